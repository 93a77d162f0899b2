package office_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestXLS(t *testing.T) {
	const long = "příliš žluťoučký kůň"
	data := sample.OldBook([]string{"shared", long},
		sample.XLSRecord(0x00FD, sample.Shorts(0, 0, 0), sample.Numbers(1)),
		sample.XLSRecord(0x0203, sample.Shorts(0, 1, 0), sample.Float(0.1)),
		sample.XLSRecord(0x0208, sample.Shorts(1, 0, 9, 255, 0, 0), sample.Numbers(0x20)),
		sample.XLSRecord(0x027E, sample.Shorts(1, 0, 0), sample.Numbers(1234<<2|3)),
		sample.XLSRecord(0x00BD, sample.Shorts(1, 1, 0), sample.Numbers(7<<2|2), sample.Shorts(0), sample.Numbers(8<<2|2), sample.Shorts(2)),
		sample.XLSRecord(0x0006, sample.Shorts(2, 0, 0), "\x00\x00\x00\x00\x00\x00\xff\xff", sample.Shorts(0, 0)),
		sample.XLSRecord(0x0207, sample.Shorts(6), "\x00", "made "), sample.XLSRecord(0x003C, "\x01", sample.Wide("…")),
		sample.XLSRecord(0x0006, sample.Shorts(2, 1, 0), sample.Float(1e20)),
		sample.XLSRecord(0x0205, sample.Shorts(2, 2, 0), "\x07\x01"),
		sample.XLSRecord(0x005D, sample.Shorts(0x15, 18, 6)), sample.XLSRecord(0x01B6, sample.Shorts(0, 0, 0, 0, 0, 3, 16)), sample.XLSRecord(0x003C, "\x00box"), sample.XLSRecord(0x003C, sample.Shorts(0, 0)),
		sample.XLSRecord(0x005D, sample.Shorts(0x15, 18, 0x19)), sample.XLSRecord(0x01B6, sample.Shorts(0, 0, 0, 0, 0, 7, 16)), sample.XLSRecord(0x003C, "\x00comment"),
		sample.XLSRecord(sample.XLSBegin, sample.Shorts(0x0600, 0x20)), sample.XLSRecord(0x0204, sample.Shorts(9, 9, 0, 5), "\x00chart"), sample.XLSRecord(sample.XLSEnd),
		sample.XLSRecord(0x00FD, sample.Shorts(3, 0, 0), sample.Numbers(0)), sample.XLSRecord(0x00FD, sample.Shorts(3, 1, 0), sample.Numbers(99)))
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	want := "Hidden\n\nspare!\n\nŽlutý\n\n" + long + "\t0.1\n12.34\t7\t8\nmade …\t1e+20\nshared\n\nbox"
	if doc.Text != want || doc.Format != "xls" {
		t.Errorf("%s text %q, want xls %q", doc.Format, doc.Text, want)
	}
	if got, want := strings.Join(doc.Notes, "; "), "hidden sheets are read, too: Hidden; hidden rows are read, too: 1; 1 word that may be shown is not read: comment"; got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
	book := string(data)
	book = strings.Replace(book, sample.XLSRecord(0x00FC)[:2], sample.XLSRecord(0x002F)[:2], 1)
	if err := readtest.Read(t.Context(), &document.Document{}, []byte(book), document.Options{}); err != document.ErrEncrypted {
		t.Errorf("with a password: error %v, want %v", err, document.ErrEncrypted)
	}
}

// TestXLSContinued reads shared strings that continue in another record, which states again
// whether characters have one byte or two.
func TestXLSContinued(t *testing.T) {
	begin := func(kind int) string { return sample.XLSRecord(sample.XLSBegin, sample.Shorts(0x0600, kind, 0, 0)) }
	shared := sample.XLSRecord(0x00FC, sample.Numbers(2, 2), sample.Shorts(8), "\x08", sample.Shorts(1), "abcd") + sample.XLSRecord(0x003C, "\x01", sample.Wide("ěščř"), sample.Shorts(0)) + sample.XLSRecord(0x003C, sample.Shorts(0), sample.Shorts(3), "\x00end")
	sheet := begin(0x10) + sample.XLSRecord(0x00FD, sample.Shorts(0, 0, 0), sample.Numbers(0)) + sample.XLSRecord(0x00FD, sample.Shorts(0, 1, 0), sample.Numbers(1)) + sample.XLSRecord(sample.XLSEnd)
	book := func(at int) string {
		return begin(5) + sample.XLSRecord(0x0085, sample.Numbers(at), "\x00\x00", "\x01\x00A") + shared + sample.XLSRecord(sample.XLSEnd)
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.Compound("Workbook", book(len(book(0)))+sheet), document.Options{}); err != nil || doc.Text != "A\n\nabcděščř\tend" {
		t.Errorf("text %q, %v, want both texts", doc.Text, err)
	}
}

// TestXLS95 reads a workbook of Excel 95, whose texts are in a code page.
func TestXLS95(t *testing.T) {
	begin := func(kind int) string { return sample.XLSRecord(sample.XLSBegin, sample.Shorts(0x0500, kind, 0, 0)) }
	sheet := begin(0x10) + sample.XLSRecord(0x0204, sample.Shorts(0, 0, 0, 3), "k\xf9\xf2") + sample.XLSRecord(sample.XLSEnd)
	book := func(at int) string {
		return begin(5) + sample.XLSRecord(0x0042, sample.Shorts(1250)) + sample.XLSRecord(0x0085, sample.Numbers(at), "\x00\x00", "\x04\x8eiv\xe9") + sample.XLSRecord(sample.XLSEnd)
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.Compound("Book", book(len(book(0)))+sheet), document.Options{}); err != nil || doc.Text != "Živé\n\nkůň" {
		t.Errorf("text %q, %v, want that of Windows-1250", doc.Text, err)
	}
	err := readtest.Read(t.Context(), &document.Document{}, []byte("\x09\x04\x06\x00\x00\x00\x10\x00"+strings.Repeat("\x00", 50)), document.Options{})
	if !errors.Is(err, document.ErrBinary) || !strings.Contains(err.Error(), "Excel 4 or older") {
		t.Errorf("a sheet of Excel 4: error %v, want what it is", err)
	}
}
