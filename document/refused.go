package document

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/ole"
	"github.com/otisk/otisk/lang/phrase"
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
	{"a WordPerfect document (open it in LibreOffice and save it as DOCX)", "\xffWPC"},
	{"a document of Word 2 or older (open it in LibreOffice and save it as DOCX)", "\xdb\xa5"},
	{"a document of Write or Word for DOS (open it in LibreOffice and save it as DOCX)", "\x31\xbe\x00\x00"},
	{"a OneNote section (export it as PDF or DOCX)", "\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d"},
	{"a table of contents of OneNote (export its sections as PDF or DOCX)", "\xa1\x2f\xff\x43\xd9\xef\x76\x4c"},
	{"a database of Access (export its tables as CSV)", "\x00\x01\x00\x00Standard "},
	{"a help file of Windows (unpack it: its pages are HTML)", "ITSF"},
	{"a workbook of Excel 4 or older (open it in LibreOffice and save it as XLSX)", "\x09\x04\x06\x00"},
	{"a workbook of Excel 4 or older (open it in LibreOffice and save it as XLSX)", "\x09\x02\x06\x00"},
	{"a workbook of Excel 4 or older (open it in LibreOffice and save it as XLSX)", "\x09\x00\x04\x00"},
	{"PostScript (convert it to PDF)", "%!PS"},
	{"an attachment of Outlook (winmail.dat: ask for the files in it)", "\x78\x9f\x3e\x22"},
	{"a shortcut to a web page (save the page itself)", "[InternetShortcut]"},
	{"a signed message (save the document in it)", "-----BEGIN PKCS7"},
	{"a signed message (save the document in it)", "-----BEGIN CMS"},
	{"a picture of an instrument (FITS)", "SIMPLE  ="},
	{"a Hangul document (save it as DOCX)", "HWP Document File"},
	{"a SQLite database", "SQLite format 3\x00"},
	{"Ogg media", "OggS"},
	{"MP3 audio", "ID3"},
}

// binaryKind returns the kind of a binary file by its first bytes, "" if unknown.
func binaryKind(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.prefix)) {
			return s.kind
		}
	}
	switch {
	case isMessage(data, 2):
		return "a signed message (save the document in it)"
	case isMessage(data, 3):
		return "an encrypted message (open it and save the document in it)"
	case googleLink().Match(data[:min(len(data), 1<<10)]):
		return "a link to a document of Google (export it as DOCX or PDF)"
	case isLock(data):
		return "a lock of Office (the document is beside it)"
	}
	return ""
}

// isMessage reports whether data is a message of PKCS #7 of this kind: the object 1.2.840.113549.1.7.kind.
func isMessage(data []byte, kind byte) bool {
	return bytes.HasPrefix(data, []byte{0x30}) && bytes.Contains(data[:min(len(data), 32)], append([]byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"), kind))
}

// googleLink matches a file of Google Drive, which has only the address of a document.
var googleLink = format.Pattern(`^\s*\{\s*(?s:.*)"(?:url|doc_id|resource_id)"\s*:(?s:.*)(?:docs\.google\.com|"doc_id"|"resource_id")`)

// isLock reports whether data is the file that Office writes beside an open document, with the name
// of the user: its length, the name in 8-bit characters, filled up with spaces or zeros, and at byte 54 or 55 both again in 16.
func isLock(data []byte) bool {
	if len(data) != 162 && len(data) != 165 {
		return false
	}
	name := int(data[0])
	return name > 0 && name < 54 && (int(data[54]) == name || int(data[55]) == name) &&
		bytes.IndexByte(data[1:1+name], 0) < 0 && len(bytes.Trim(data[1+name:54], " \x00")) == 0
}

// otherZip returns the kind of an unsupported document by one member of its zip archive, "" if
// unknown.
func otherZip(f *zip.File) string {
	kind := archive.ContentType(f)
	switch {
	case f.Name == "xl/workbook.bin" || strings.Contains(kind, ".sheet.binary."):
		return "a binary Excel workbook (save it as XLSX)"
	case f.Name == "visio/document.xml" || strings.Contains(kind, ".ms-visio."):
		return "a drawing of Visio (save it as PDF)"
	}
	switch f.Name {
	case "Index/Document.iwa", "index.apxl", "buildVersionHistory.plist", "Metadata/BuildVersionHistory.plist":
		return "a document of Pages, Keynote or Numbers (export it as PDF, DOCX or PPTX)"
	case "FixedDocSeq.fdseq", "FixedDocumentSequence.fdseq":
		return "an XPS document (print it as PDF)"
	}
	if mime := archive.MIME(f); mime == "application/hwp+zip" {
		return "a Hangul document (save it as DOCX)"
	} else if strings.HasPrefix(mime, "application/vnd.oasis.opendocument.") {
		return "an OpenDocument " + path.Base(strings.ReplaceAll(mime, ".", "/"))
	}
	return ""
}

// compounds are streams that identify unsupported compound files.
var compounds = []struct{ stream, kind string }{
	{"__properties_version1.0", "a message of Outlook (save it as .eml)"},
	{"Quill", "a document of Publisher (save it as PDF)"},
	{"VisioDocument", "a drawing of Visio (save it as PDF)"},
	{"HwpSummaryInformation", "a Hangul document (save it as DOCX)"},
	{"MatOST", "a document of Works (open it in LibreOffice and save it as DOCX)"},
}

// refused returns the reason why data of no supported format is not read.
func refused(data []byte, kind string) error {
	if !ole.Looks(data) {
		return notText(kind)
	}
	f, err := ole.Open(data)
	if err != nil {
		return err
	}
	if f.Has("EncryptedPackage") {
		return ErrEncrypted
	}
	for _, c := range compounds {
		if f.Has(c.stream) || f.Has("\x05"+c.stream) {
			return notText(c.kind)
		}
	}
	return notText(kind)
}

func notText(kind string) error { return fmt.Errorf("%w: %w", ErrBinary, phrase.Fixed(kind)) }
