package document

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/otisk/otisk/document/archive"
)

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

// otherZip names what a zip archive is by one of its members, "" where that says
// nothing: documents that are not read.
func otherZip(f *zip.File) string {
	switch f.Name {
	case "xl/workbook.bin":
		return "a binary Excel workbook (save it as XLSX)"
	}
	if mime := archive.MIME(f); strings.HasPrefix(mime, "application/vnd.oasis.opendocument.") {
		return "an OpenDocument " + path.Base(strings.ReplaceAll(mime, ".", "/"))
	}
	return ""
}

func notText(kind string) error { return fmt.Errorf("%w: %s", ErrBinary, kind) }
