package document

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf16"
)

// xlsRecord makes a record of Excel.
func xlsRecord(kind int, body ...string) string {
	all := strings.Join(body, "")
	head := binary.LittleEndian.AppendUint16(nil, uint16(kind))
	return string(binary.LittleEndian.AppendUint16(head, uint16(len(all)))) + all
}

// shorts are numbers of two bytes each.
func shorts(list ...int) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return string(b)
}

// wide are characters of two bytes each.
func wide(text string) string {
	var list []int
	for _, u := range utf16.Encode([]rune(text)) {
		list = append(list, int(u))
	}
	return shorts(list...)
}

// float is a number of eight bytes.
func float(v float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}

const xlsBOF, xlsEOF = 0x0809, 0x000A

// oldBook makes a workbook of Excel 97 with a sheet of these records, after a hidden one, and
// with texts that cells share.
func oldBook(shared []string, records ...string) []byte {
	begin := func(kind int) string { return xlsRecord(xlsBOF, shorts(0x0600, kind, 0, 0)) }
	hidden := begin(0x10) + xlsRecord(0x0204, shorts(0, 0, 0, 6), "\x00", "spare!") + xlsRecord(xlsEOF)
	sheet := begin(0x10) + strings.Join(records, "") + xlsRecord(xlsEOF)
	texts := numbers(len(shared), len(shared))
	for _, s := range shared {
		texts += shorts(len(utf16.Encode([]rune(s)))) + "\x01" + wide(s)
	}
	book := func(at int) string {
		return begin(5) + xlsRecord(0x0085, numbers(at), "\x01\x00", "\x06\x00Hidden") +
			xlsRecord(0x0085, numbers(at+len(hidden)), "\x00\x00", "\x05\x01", wide("Žlutý")) +
			xlsRecord(0x0085, numbers(0), "\x00\x02", "\x05\x00Chart") + xlsRecord(0x00FC, texts) + xlsRecord(xlsEOF)
	}
	stream := book(len(book(0))) + hidden + sheet
	return compound("Workbook", stream)
}

func TestXLS(t *testing.T) {
	const long = "příliš žluťoučký kůň"
	data := oldBook([]string{"shared", long},
		xlsRecord(0x00FD, shorts(0, 0, 0), numbers(1)),
		xlsRecord(0x0203, shorts(0, 1, 0), float(0.1)),
		xlsRecord(0x0208, shorts(1, 0, 9, 255, 0, 0), numbers(0x20)),
		xlsRecord(0x027E, shorts(1, 0, 0), numbers(1234<<2|3)),
		xlsRecord(0x00BD, shorts(1, 1, 0), numbers(7<<2|2), shorts(0), numbers(8<<2|2), shorts(2)),
		xlsRecord(0x0006, shorts(2, 0, 0), "\x00\x00\x00\x00\x00\x00\xff\xff", shorts(0, 0)),
		xlsRecord(0x0207, shorts(6), "\x00", "made "), xlsRecord(0x003C, "\x01", wide("…")),
		xlsRecord(0x0006, shorts(2, 1, 0), float(1e20)),
		xlsRecord(0x0205, shorts(2, 2, 0), "\x07\x01"),
		xlsRecord(0x005D, shorts(0x15, 18, 6)), xlsRecord(0x01B6, shorts(0, 0, 0, 0, 0, 3, 16)), xlsRecord(0x003C, "\x00box"), xlsRecord(0x003C, shorts(0, 0)),
		xlsRecord(0x005D, shorts(0x15, 18, 0x19)), xlsRecord(0x01B6, shorts(0, 0, 0, 0, 0, 7, 16)), xlsRecord(0x003C, "\x00comment"),
		xlsRecord(xlsBOF, shorts(0x0600, 0x20)), xlsRecord(0x0204, shorts(9, 9, 0, 5), "\x00chart"), xlsRecord(xlsEOF),
		xlsRecord(0x00FD, shorts(3, 0, 0), numbers(0)), xlsRecord(0x00FD, shorts(3, 1, 0), numbers(99)))
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil {
		t.Fatal(err)
	}
	want := "Hidden\n\nspare!\n\nŽlutý\n\n" + long + "\t0.1\n12.34\t7\t8\nmade …\t1e+20\nshared\n\nbox"
	if doc.Text != want || doc.Format != "xls" {
		t.Errorf("%s text %q, want xls %q", doc.Format, doc.Text, want)
	}
	if len(doc.Notes) != 2 || !strings.Contains(strings.Join(doc.Notes, ";"), "hidden sheets are read, too: Hidden") {
		t.Errorf("notes %q, want the hidden sheet and row", doc.Notes)
	}
	book := string(data)
	book = strings.Replace(book, xlsRecord(0x00FC)[:2], xlsRecord(0x002F)[:2], 1)
	if err := read(t.Context(), &Document{}, []byte(book), Options{}); err != ErrEncrypted {
		t.Errorf("with a password: error %v, want %v", err, ErrEncrypted)
	}
}

// TestXLSContinued reads shared texts that go on in another record: that says anew whether
// characters have one byte or two.
func TestXLSContinued(t *testing.T) {
	begin := func(kind int) string { return xlsRecord(xlsBOF, shorts(0x0600, kind, 0, 0)) }
	shared := xlsRecord(0x00FC, numbers(2, 2), shorts(8), "\x08", shorts(1), "abcd") + xlsRecord(0x003C, "\x01", wide("ěščř"), shorts(0)) + xlsRecord(0x003C, shorts(0), shorts(3), "\x00end")
	sheet := begin(0x10) + xlsRecord(0x00FD, shorts(0, 0, 0), numbers(0)) + xlsRecord(0x00FD, shorts(0, 1, 0), numbers(1)) + xlsRecord(xlsEOF)
	book := func(at int) string {
		return begin(5) + xlsRecord(0x0085, numbers(at), "\x00\x00", "\x01\x00A") + shared + xlsRecord(xlsEOF)
	}
	doc := &Document{}
	if err := read(t.Context(), doc, compound("Workbook", book(len(book(0)))+sheet), Options{}); err != nil || doc.Text != "A\n\nabcděščř\tend" {
		t.Errorf("text %q, %v, want both texts", doc.Text, err)
	}
}

// TestXLS95 reads a workbook of Excel 95, whose texts are in a code page.
func TestXLS95(t *testing.T) {
	begin := func(kind int) string { return xlsRecord(xlsBOF, shorts(0x0500, kind, 0, 0)) }
	sheet := begin(0x10) + xlsRecord(0x0204, shorts(0, 0, 0, 3), "k\xf9\xf2") + xlsRecord(xlsEOF)
	book := func(at int) string {
		return begin(5) + xlsRecord(0x0042, shorts(1250)) + xlsRecord(0x0085, numbers(at), "\x00\x00", "\x04\x8eiv\xe9") + xlsRecord(xlsEOF)
	}
	doc := &Document{}
	if err := read(t.Context(), doc, compound("Book", book(len(book(0)))+sheet), Options{}); err != nil || doc.Text != "Živé\n\nkůň" {
		t.Errorf("text %q, %v, want that of Windows-1250", doc.Text, err)
	}
	err := read(t.Context(), &Document{}, []byte("\x09\x04\x06\x00\x00\x00\x10\x00"+strings.Repeat("\x00", 50)), Options{})
	if !errors.Is(err, ErrBinary) || !strings.Contains(err.Error(), "Excel 4 or older") {
		t.Errorf("a sheet of Excel 4: error %v, want what it is", err)
	}
}
