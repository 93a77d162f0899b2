package document

import (
	"bytes"
	"fmt"
)

// headSize is how much of a file is looked at to tell its format.
const headSize = 4096

// signatures are the first bytes of files that are not text.
var signatures = []struct{ kind, prefix string }{
	{"an ELF program", "\x7fELF"},
	{"a PNG image", "\x89PNG"},
	{"a JPEG image", "\xff\xd8\xff"},
	{"a GIF image", "GIF8"},
	{"a TIFF image", "II*\x00"},
	{"a TIFF image", "MM\x00*"},
	{"bzip2 data", "BZh"},
	{"xz data", "\xfd7zXZ\x00"},
	{"Zstandard data", "\x28\xb5\x2f\xfd"},
	{"a 7z archive", "7z\xbc\xaf\x27\x1c"},
	{"a RAR archive", "Rar!\x1a\x07"},
	{"an old Office file", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{"a SQLite database", "SQLite format 3\x00"},
	{"Ogg media", "OggS"},
	{"MP3 audio", "ID3"},
}

// binaryKind names what data is by its first bytes, "" where they say nothing.
func binaryKind(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.prefix)) {
			return s.kind
		}
	}
	return ""
}

func notText(kind string) error { return fmt.Errorf("%w: %s", ErrBinary, kind) }

func isHTMLName(ext string) bool {
	return ext == "html" || ext == "htm" || ext == "xhtml" || ext == "xht"
}

// looksLikeHTML reports whether the first markup of data is that of a whole
// page.
func looksLikeHTML(data []byte) bool {
	head := bytes.ToLower(data[:min(len(data), headSize)])
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(head, []byte("<!doctype html")), startsTag(head, "html"), startsTag(head, "head"), startsTag(head, "body"):
			return true
		case bytes.HasPrefix(head, []byte("<!--")):
			head = after(head, "-->")
		case bytes.HasPrefix(head, []byte("<?")):
			head = after(head, ">")
		default:
			return false
		}
	}
}

// startsTag reports whether b starts with the tag, and no longer name.
func startsTag(b []byte, name string) bool {
	rest, ok := bytes.CutPrefix(b, []byte("<"+name))
	return ok && len(rest) > 0 && bytes.IndexByte([]byte("> \t\r\n\f/"), rest[0]) >= 0
}

// after returns what follows the first mark in b, nothing without one.
func after(b []byte, mark string) []byte {
	_, rest, _ := bytes.Cut(b, []byte(mark))
	return rest
}

// looksLikePDF reports whether data is a PDF, which may have something before
// its header.
func looksLikePDF(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-"))
}
