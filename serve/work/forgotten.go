package work

import (
	"crypto/sha256"
	"encoding/hex"
)

// Marks returns the marks of a deleted document, by which a source is kept from adding it again: one
// of its name and one of its content, the checksum of its file. They differ between collections.
func Marks(collection, name, content string) []string {
	marks := []string{mark(collection, "name", name)}
	if content != "" {
		marks = append(marks, mark(collection, "content", content))
	}
	return marks
}

func mark(collection, kind, value string) string {
	sum := sha256.Sum256([]byte(collection + "\n" + kind + "\n" + value))
	return hex.EncodeToString(sum[:16])
}
