package format

import (
	"bytes"

	"github.com/otisk/otisk/internal/lists"
)

// HeadSize is the number of bytes of a file that are examined to detect its format.
const HeadSize = 4096

// Head returns the start of data.
func Head(data []byte) []byte { return data[:min(len(data), HeadSize)] }

// BOM is the byte order mark of UTF-8.
var BOM = []byte("\xef\xbb\xbf")

// StartsTag reports whether b starts with a tag of exactly this name.
func StartsTag(b []byte, name string) bool {
	rest, ok := bytes.CutPrefix(b, []byte("<"+name))
	return ok && len(rest) > 0 && bytes.IndexByte([]byte("> \t\r\n\f/"), rest[0]) >= 0
}

// Names returns a set of names: of elements, commands or styles.
func Names(names ...string) map[string]bool {
	return lists.Set(names)
}
