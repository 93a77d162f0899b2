// Package document reads files of any format into the original text that is
// compared and shown.
//
// The original text is what every offset of a report points into. For plain
// text in UTF-8 it is the file, byte for byte; for other formats it is the text
// without its markup, with the format's paragraphs parted by blank lines.
package document

import (
	"time"
)

// A Document is what was read out of one file.
type Document struct {
	Path    string    // as it was given
	Format  string    // text, html
	Ext     string    // file type by name, lower case without the dot: whose rules normalise it
	Text    string    // original text: valid UTF-8 without NUL
	Parted  bool      // the format states paragraphs; blank lines of Text part them
	Title   string    // where the format states one
	Author  string    // where the format states one
	Bytes   int64     // size of the file
	ModTime time.Time // of the file, UTC, whole seconds
	Content string    // SHA-256 of the file, hexadecimal
}
