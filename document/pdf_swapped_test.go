package document

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// namedPDF makes a PDF of one page that draws the lines in Helvetica and says
// that its letters are those that named returns.
func namedPDF(lines []string, named func(byte) byte) []byte {
	var page, table strings.Builder
	for i, l := range lines {
		page.WriteString(at(50, 760-16*i, l))
	}
	for c := byte(' '); c < 0x7F; c++ {
		fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", c, named(c))
	}
	data := makePDF(page.String())
	data = bytes.Replace(data, []byte("/WinAnsiEncoding>>"), []byte("/WinAnsiEncoding/ToUnicode 8 0 R>>"), 1)
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n" + table.String() + "endcmap end end"
	object := fmt.Sprintf("8 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
	return bytes.Replace(data, []byte("xref\n0 "), []byte(object+"xref\n0 "), 1)
}

func TestPDFSwapped(t *testing.T) {
	sentence := "the quick brown fox jumps over the lazy dog and is seen by a man of the village with his hazel box"
	var lines []string
	for range 5 {
		lines = append(lines, sentence[:50], sentence[50:])
	}
	rotate := func(by byte) func(byte) byte {
		return func(c byte) byte {
			if c < 'a' || c > 'z' {
				return c
			}
			return 'a' + (c-'a'+by)%26
		}
	}
	for by, want := range map[byte]int{0: 0, 7: 1} {
		doc := &Document{}
		if err := read(t.Context(), doc, namedPDF(lines, rotate(by)), Options{}); err != nil {
			t.Fatal(err)
		}
		if by == 7 && !strings.HasPrefix(doc.Text, "aol xbpjr iyvdu") {
			t.Errorf("text %.20q, want the letters as they are named", doc.Text)
		}
		if len(doc.Flags) != want {
			t.Errorf("letters moved by %d: flags %+v, want %d", by, doc.Flags, want)
			continue
		}
		if want > 0 && (doc.Flags[0].Kind != UnknownFont || doc.Flags[0].End != len(doc.Text) || !strings.Contains(doc.Flags[0].Detail, "o→h") || len(doc.Notes) == 0) {
			t.Errorf("flag %+v, notes %q, want the whole page, with o drawn as h", doc.Flags[0], doc.Notes)
		}
	}
}

// TestPDFOtherLanguage checks that text of a language that is not known is no
// swapped font.
func TestPDFOtherLanguage(t *testing.T) {
	var lines []string
	for range 8 {
		lines = append(lines, "Mutta tuolla kaukana metsien takana kasvavat", "suuret hongat joita kukaan ole ennen kaatanut")
	}
	doc := &Document{}
	if err := read(t.Context(), doc, namedPDF(lines, func(c byte) byte { return c }), Options{}); err != nil || len(doc.Flags) > 0 {
		t.Errorf("flags %+v, %v, want none", doc.Flags, err)
	}
}

// TestPDFJumble says of a text that is hardly words that the fonts do not say what it is.
func TestPDFJumble(t *testing.T) {
	var lines []string
	for range 8 {
		lines = append(lines, "parliament committee questions otherwise concerned", "themselves government represent important documents")
	}
	jumble := func(c byte) byte {
		if c == ' ' {
			return c
		}
		return '!' + (c*37)%94
	}
	doc := &Document{}
	if err := read(t.Context(), doc, namedPDF(lines, jumble), Options{}); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(doc.Notes, "; "); !strings.Contains(notes, "the fonts do not state which characters they show") {
		t.Errorf("text %.40q, notes %q", doc.Text, notes)
	}
}
