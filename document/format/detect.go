package format

import "bytes"

// HeadSize is how much of a file is looked at to find out what it is.
const HeadSize = 4096

// Head returns the start of data.
func Head(data []byte) []byte { return data[:min(len(data), HeadSize)] }

// BOM is the byte order mark of UTF-8.
var BOM = []byte("\xef\xbb\xbf")

// StartsTag reports whether b starts with the tag, and no longer name.
func StartsTag(b []byte, name string) bool {
	rest, ok := bytes.CutPrefix(b, []byte("<"+name))
	return ok && len(rest) > 0 && bytes.IndexByte([]byte("> \t\r\n\f/"), rest[0]) >= 0
}

// Names returns a set of names: of elements, commands or styles.
func Names(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
