package store

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A Base is a folder that the names of documents are relative to. Only the base records
// where the files are: when they move, the base changes, and no document does.
type Base struct {
	Key    string // documents refer to the base by it; never changes
	Name   string // names start with it and a slash; "" for nothing
	Folder string // absolute path without symbolic links
	Flat   bool   // covers the files in the folder, but not those in folders below
}

// WholePaths is the key of a pseudo-base: an index has it if it has both bases and documents named
// by their absolute path.
const WholePaths = ""

// A jsonBase is the JSON form of a Base. A folder may have bytes that are not UTF-8, which
// JSON cannot represent.
type jsonBase struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Flat   bool   `json:"flat,omitempty"`
	Bytes  []byte `json:"folder_bytes,omitempty"` // where it is not UTF-8
	Named  []byte `json:"name_bytes,omitempty"`   // likewise
}

// MarshalJSON preserves every byte of name and folder.
func (b Base) MarshalJSON() ([]byte, error) {
	j := jsonBase{Key: b.Key, Name: b.Name, Folder: b.Folder, Flat: b.Flat}
	if !utf8.ValidString(b.Folder) {
		j.Bytes = []byte(b.Folder)
	}
	if !utf8.ValidString(b.Name) {
		j.Named = []byte(b.Name)
	}
	return json.Marshal(j)
}

// UnmarshalJSON parses the result of MarshalJSON.
func (b *Base) UnmarshalJSON(data []byte) error {
	var j jsonBase
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*b = Base{Key: j.Key, Name: j.Name, Folder: j.Folder, Flat: j.Flat}
	if j.Bytes != nil {
		b.Folder = string(j.Bytes)
	}
	if j.Named != nil {
		b.Name = string(j.Named)
	}
	return nil
}

// File returns the path of the file of a document, given its path and the key of its base.
// For a member of an archive, the name of the member follows. If there is no such base, it
// returns "". Without a key, path is absolute and returned unchanged.
func File(bases []Base, key, path string) string {
	if key == "" {
		return path
	}
	for _, b := range bases {
		if b.Key == key {
			return b.File(path)
		}
	}
	return ""
}

// File returns the path of the file of a document of b.
func (b *Base) File(path string) string {
	if b.Name != "" {
		path = strings.TrimPrefix(path, b.Name+"/")
	}
	// The path inside an archive always has slashes.
	file, member, ok := strings.Cut(path, "!/")
	if !ok || file == "" || strings.HasSuffix(file, "/") {
		return filepath.Join(b.Folder, filepath.FromSlash(path))
	}
	return filepath.Join(b.Folder, filepath.FromSlash(file)) + "!/" + member
}
