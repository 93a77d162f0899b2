package office_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/ole"
)

// TestUnreadBinary plants prose in headers, comments, masters, charts and objects of the binary formats of
// Office, and finds the notes.
func TestUnreadBinary(t *testing.T) {
	const words = "many copied words stand here "
	prose := strings.Repeat(words, 8)
	// word returns a document whose second story is this one.
	word := func(story int, text string) []byte {
		data := sample.OldWord([]sample.Piece{{Text: "text\r"}}, text+"\r")
		const sizes = 512 + 0x4C
		size := binary.LittleEndian.Uint32(data[sizes+4:])
		binary.LittleEndian.PutUint32(data[sizes+4:], 0)
		binary.LittleEndian.PutUint32(data[sizes+4*story:], size)
		return data
	}
	slides := func(more ...string) []byte { return sample.OldSlides("text", "a", "b", false, more...) }
	line := func(instance int, text string) string {
		return sample.PPTRecord(0, instance, 0x0FBA, sample.Wide(text))
	}
	master := func(holder string) []byte {
		box := sample.PPTRecord(15, 0, 0xF004, holder, sample.PPTRecord(15, 0, 0xF00D, sample.PPTText(4, prose)))
		return slides(sample.PPTRecord(15, 1, 0x0FF0, sample.PPTRecord(0, 0, 0x03F3, sample.Numbers(5, 0, 0, 300, 0))), sample.PPTRecord(15, 0, 0x03F8, box))
	}
	cell := sample.XLSRecord(0x0204, sample.Shorts(0, 0, 0, 4), "\x00text")
	comment := sample.XLSRecord(0x005D, sample.Shorts(0x15, 18, 0x19)) + sample.XLSRecord(0x01B6, sample.Shorts(0, 0, 0, 0, 0, len(prose), 16)) + sample.XLSRecord(0x003C, "\x00"+prose)
	chart := sample.XLSRecord(sample.XLSBegin, sample.Shorts(0x0600, 0x20, 0, 0)) + sample.XLSRecord(0x100D, "\x00\x00", string([]byte{byte(len(prose))}), "\x00"+prose) + sample.XLSRecord(sample.XLSEnd)
	// holding returns a compound file with a further entry.
	holding := func(data []byte, stream, entry string) []byte {
		f, err := ole.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		content, err := f.Stream(stream)
		if err != nil {
			t.Fatal(err)
		}
		pairs := []string{stream, string(content), entry, "x"}
		if table, err := f.Stream("0Table"); err == nil {
			pairs = append(pairs, "0Table", string(table))
		}
		return sample.Compound(pairs...)
	}
	tests := []struct {
		name string
		data []byte
		note string
	}{
		{"a header of DOC", word(2, prose), "40 words that may be shown are not read: header"},
		{"the same header of two sections of DOC", word(2, prose+"\r\r"+prose), "40 words that may be shown are not read: header"},
		{"a running head of DOC", word(2, words), "5 words that may be shown are not read: header"},
		{"a field in a header of DOC", word(2, "\x13 "+prose+"\x14 1 \x15"), ""},
		{"comments of DOC", word(4, prose), "40 words that may be shown are not read: comment"},
		{"a box in a header of DOC", word(7, prose), "40 words that may be shown are not read: header"},
		{"an object in DOC", holding(word(2, ""), "WordDocument", "_1234567890"), "not read, although it may be shown: ObjectPool"},
		{"a comment of PPT", slides(sample.PPTRecord(15, 0, 0x2EE0, line(0, prose+"author"), line(1, prose))), "40 words that may be shown are not read: comment"},
		{"a footer of PPT", slides(sample.PPTRecord(15, 0, 0x0FD9, line(2, prose))), "40 words that may be shown are not read: footer"},
		{"an object in PPT", slides(sample.PPTRecord(15, 0, 0x0FCC, line(2, "Word.Document.8"))), "not read, although it may be shown: ExOleEmbed"},
		{"a formula in PPT", slides(sample.PPTRecord(15, 0, 0x0FCC, line(2, "Equation.3"))), ""},
		{"a master of PPT", master(""), "40 words that may be shown are not read: master"},
		{"the prompt of a master of PPT", master(sample.PPTRecord(0, 0, 0x0BC3, sample.Numbers(0, 0))), ""},
		{"a comment of XLS", sample.OldBook(nil, cell, comment), "40 words that may be shown are not read: comment"},
		{"the head of XLS", sample.OldBook(nil, cell, sample.XLSRecord(0x0014, sample.Shorts(len(prose)), "\x00"+prose)), "40 words that may be shown are not read: header"},
		{"a chart of XLS", sample.OldBook(nil, cell, chart), "40 words that may be shown are not read: chart"},
		{"an object in XLS", holding(sample.OldBook(nil, cell), "Workbook", "MBD0012"), "not read, although it may be shown: MBD"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, tt.data, document.Options{})
		got := strings.Join(doc.Notes, "; ")
		for _, hidden := range []string{"hidden slides are read, too: 2", "hidden sheets are read, too: Hidden"} {
			got = strings.TrimPrefix(strings.TrimPrefix(got, hidden), "; ")
		}
		if err != nil || got != tt.note || strings.Contains(doc.Text, "copied") {
			t.Errorf("%s: text %q, notes %q, %v, want %q", tt.name, doc.Text, got, err, tt.note)
		}
	}
}
