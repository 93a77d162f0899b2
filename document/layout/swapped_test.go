package layout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

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
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.NamedPDF(lines, rotate(by)), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if by == 7 && !strings.HasPrefix(doc.Text, "aol xbpjr iyvdu") {
			t.Errorf("text %.20q, want the letters as they are named", doc.Text)
		}
		if len(doc.Flags) != want {
			t.Errorf("letters moved by %d: flags %+v, want %d", by, doc.Flags, want)
			continue
		}
		if want > 0 && (doc.Flags[0].Kind != document.UnknownFont || doc.Flags[0].End != len(doc.Text) || !strings.Contains(doc.Flags[0].Detail, "o→h") || len(doc.Notes) == 0) {
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
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.NamedPDF(lines, func(c byte) byte { return c }), document.Options{}); err != nil || len(doc.Flags) > 0 {
		t.Errorf("flags %+v, %v, want none", doc.Flags, err)
	}
}

// TestPDFJumble: a text with hardly any words is reported as having fonts that do not state their characters.
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
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.NamedPDF(lines, jumble), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(doc.Notes, "; "); !strings.Contains(notes, "the fonts do not state which characters they show") {
		t.Errorf("text %.40q, notes %q", doc.Text, notes)
	}
}

// TestPDFMeaningless reads files whose fonts do not state their characters: one without other text is
// not read, and accused of nothing; in one with other text the characters are flagged.
func TestPDFMeaningless(t *testing.T) {
	const table = "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <01> <04> <e001> endbfrange endcmap"
	read := func(doc *document.Document, silent int) error {
		page := sample.At(50, 700, strings.Repeat(`\001\002\003\004 `, silent)) + sample.At(50, 600, strings.Repeat("some honest words ", 4))
		font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 8 0 R>>"
		data := sample.PDFOf("/MediaBox[0 0 600 800]", font, []string{fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(table), table)}, page)
		return readtest.Read(t.Context(), doc, data, document.Options{})
	}
	doc := &document.Document{}
	err := read(doc, 40)
	if !errors.Is(err, document.ErrNoLayer) || !strings.Contains(err.Error(), "the fonts do not state which characters they show") {
		t.Errorf("text %q, error %v, want %v and the reason", doc.Text, err, document.ErrNoLayer)
	}
	doc = &document.Document{}
	if err := read(doc, 8); err != nil || len(doc.Flags) != 1 || doc.Flags[0].Kind != document.UnknownFont {
		t.Errorf("flags %+v, %v, want one of the font", doc.Flags, err)
	}
}

// TestPDFShiftedFont notes a short text whose font states other characters, of which only spaces have no meaning.
func TestPDFShiftedFont(t *testing.T) {
	shifted := sample.NamedPDF([]string{"Lorem ipsum dolor sit amet consectetur"}, func(c byte) byte { return c - 28 })
	for _, tt := range []struct {
		data []byte
		want bool
	}{{shifted, true}, {sample.NamedPDF([]string{"Lorem ipsum dolor sit amet consectetur"}, func(c byte) byte { return c }), false}} {
		doc := readPDF(t, tt.data)
		if got := strings.Contains(strings.Join(doc.Notes, "; "), "the fonts do not state which characters they show"); got != tt.want || len(doc.Flags) > 0 {
			t.Errorf("text %q: notes %q, flags %+v, want the note: %v", doc.Text, doc.Notes, doc.Flags, tt.want)
		}
	}
}
