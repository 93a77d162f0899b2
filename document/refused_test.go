package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestRefused reports the type of each file that is not read, and the remedy.
func TestRefused(t *testing.T) {
	long := strings.Repeat("\x01\x02", 300)
	tests := []struct {
		data []byte
		want string
	}{
		{sample.Compound("__properties_version1.0", long), "a message of Outlook (save it as .eml)"},
		{sample.Compound("\x05HwpSummaryInformation", long), "a Hangul document (save it as DOCX)"},
		{sample.Compound("Something", long), "an old Office file"},
		{[]byte("\xffWPC" + long), "a WordPerfect document (open it in LibreOffice and save it as DOCX)"},
		{[]byte("ITSF" + long), "a help file of Windows (unpack it: its pages are HTML)"},
		{[]byte("\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d" + long), "a OneNote section (export it as PDF or DOCX)"},
		{[]byte("\xa1\x2f\xff\x43\xd9\xef\x76\x4c" + long), "a table of contents of OneNote (export its sections as PDF or DOCX)"},
		{[]byte("\x00\x01\x00\x00Standard Jet DB\x00" + long), "a database of Access (export its tables as CSV)"},
		{[]byte("[InternetShortcut]\r\nURL=https://example.org/\r\n"), "a shortcut to a web page (save the page itself)"},
		{[]byte("-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n"), "a signed message (save the document in it)"},
		{append([]byte("\x30\x82\x01\x00\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"), long...), "a signed message (save the document in it)"},
		{append([]byte("\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"), long...), "an encrypted message (open it and save the document in it)"},
		{[]byte(`{"url":"https://docs.google.com/open?id=1","doc_id":"1","email":"x@example.org"}`), "a link to a document of Google (export it as DOCX or PDF)"},
		{[]byte(lock(54, 162, " ")), "a lock of Office (the document is beside it)"},
		{[]byte(lock(54, 162, "\x00")), "a lock of Office (the document is beside it)"},
		{[]byte(lock(55, 165, " ")), "a lock of Office (the document is beside it)"},
		{[]byte("HWP Document File V3.00 \x1a\x01\x02" + long), "a Hangul document (save it as DOCX)"},
		{zipped.Of("mimetype", "application/hwp+zip", "Contents/section0.xml", "<x/>"), "a Hangul document (save it as DOCX)"},
		{zipped.Of("[Content_Types].xml", "<Types><Override PartName='/visio/d2.xml' ContentType='application/vnd.ms-visio.drawing.main+xml'/></Types>", "visio/d2.xml", "<VisioDocument/>"), "a drawing of Visio (save it as PDF)"},
		{zipped.Of("[Content_Types].xml", "<Types><Override PartName='/xl/w2.bin' ContentType='application/vnd.ms-excel.sheet.binary.macroEnabled.main'/></Types>", "xl/w2.bin", "x"), "a binary Excel workbook (save it as XLSX)"},
		{zipped.Of("[Content_Types].xml", "<Types/>", "visio/document.xml", "<VisioDocument/>"), "a drawing of Visio (save it as PDF)"},
		{[]byte("SIMPLE  =                    T / FITS"), "a picture of an instrument (FITS)"},
		{[]byte("%!PS-Adobe-3.0\n(text) show\n"), "PostScript (convert it to PDF)"},
		{zipped.Of("Index/Document.iwa", "a", "QuickLook/Preview.pdf", "b"), "a document of Pages, Keynote or Numbers (export it as PDF, DOCX or PPTX)"},
	}
	for _, tt := range tests {
		err := read(t.Context(), &Document{}, tt.data, Options{})
		if !errors.Is(err, ErrBinary) || !strings.HasSuffix(err.Error(), ": "+tt.want) {
			t.Errorf("%.20q: error %v, want %v: %s", tt.data, err, ErrBinary, tt.want)
		}
	}
	if err := read(t.Context(), &Document{}, sample.Compound("EncryptedPackage", long, "EncryptionInfo", long), Options{}); err != ErrEncrypted {
		t.Errorf("an encrypted DOCX: error %v, want %v", err, ErrEncrypted)
	}
}

// lock returns the lock of a document, in which the name of the user is again at byte at.
func lock(at, size int, filler string) string {
	const name = "Jan Nov\u00e1k"
	data := "\x09" + "Jan Nov\xe1k" + strings.Repeat(filler, at-10) + "\x09\x00"
	for _, c := range name {
		data += string([]byte{byte(c), byte(c >> 8)})
	}
	return data + strings.Repeat(" \x00", (size-len(data))/2) + strings.Repeat("\x00", (size-len(data))%2)
}
