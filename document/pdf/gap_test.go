package pdf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestPDFMissingSpaces separates words that are apart by the spacing of characters, for which the engine adds
// no space, and keeps words together all of whose letters are apart.
func TestPDFMissingSpaces(t *testing.T) {
	tests := []struct{ name, drawn, want string }{
		{"spacing after a letter", "(access improve) Tj 6 Tc (st) Tj 0 Tc [500 (he text)] TJ", "access improves the text"},
		{"spacing of all letters", "2.4 Tc (improves) Tj", "improves"},
		{"spacing of all letters and words", "2.4 Tc (improves the text) Tj", "improves the text"},
		{"tracked label", tracked("STREAM OF EVENTS", 240, 300), "STREAM OF EVENTS"},
		{"tracked title", tracked("Bronze is raw", 240, 320), "Bronze is raw"},
		{"tracked widely", tracked("SUMMARY", 400, 450), "SUMMARY"},
		{"few letters", "[(i) -20 (f) -350 (w)] TJ", "if w"},
		{"number of a note", "4 Ts /F 7 Tf (12) Tj 0 Ts /F 12 Tf (Formally, it is) Tj", "12 Formally, it is"},
		{"number of a product", "(12a is) Tj", "12a is"},
		{"numbers", tracked("123456", 400, 400), "1 2 3 4 5 6"},
		{"small spacing", "(access improve) Tj 1.2 Tc (st) Tj 0 Tc [100 (he text)] TJ", "access improvesthe text"},
	}
	for _, tt := range tests {
		data := sample.NamedPDF([]string{"x"}, func(c byte) byte { return c })
		data = bytes.Replace(data, []byte("(x) Tj"), []byte(tt.drawn), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

// tracked draws text whose letters are apart by these distances in turn, in thousandths of the font size.
func tracked(text string, apart ...int) string {
	var b strings.Builder
	for i, c := range text {
		fmt.Fprintf(&b, "(%c) -%d ", c, apart[i%len(apart)])
	}
	return "[" + b.String() + "] TJ"
}

// TestPDFInterrupted checks that invisible text elsewhere does not divide the word or the line around it.
func TestPDFInterrupted(t *testing.T) {
	for name, junk := range map[string]string{
		"above the page":         sample.At(62, 2000, "junk"),
		"beside the page":        sample.At(900, 600, "junk"),
		"raised off the page":    "BT /F 12 Tf 62 600 Td 2000 Ts (junk) Tj 0 Ts ET\n",
		"outside the crop box":   sample.At(62, 740, "junk"),
		"too small, on the page": "BT /F 1 Tf 62 300 Td (junk) Tj ET\n",
	} {
		page := sample.At(50, 600, "co") + junk + sample.At(63, 600, "pied from") + sample.At(50, 586, "a text")
		data := sample.PDFOf("/MediaBox[0 0 600 800]/CropBox[0 0 600 700]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", nil, page)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "copied from a text" {
			t.Errorf("%s: text %q, %v, want %q", name, doc.Text, err, "copied from a text")
		}
	}
}

// TestPDFWholeWords checks that words which are one glyph each are noted, and many flagged, but no ligatures.
func TestPDFWholeWords(t *testing.T) {
	tests := []struct {
		stated       string
		words        int
		notes, flags int
	}{
		{"0074006800610074", 25, 0, 1},            // that
		{"0074006800610074", 5, 1, 0},             // that
		{"006600660069", 25, 0, 0},                // ffi
		{"0635064406490020062706440644", 8, 0, 0}, // an Arabic blessing
	}
	for _, tt := range tests {
		page := sample.At(50, 700, "a text that has some words of the author before it")
		for i := range tt.words {
			page += fmt.Sprintf("BT /F 12 Tf %d %d Td (A) Tj ET\n", 50+60*(i%5), 650-20*(i/5))
		}
		data := statingPDF(page, "1 beginbfchar <41> <"+tt.stated+"> endbfchar")
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || len(doc.Notes) != tt.notes || len(doc.Flags) != tt.flags {
			t.Errorf("%s: %v, text %q, notes %q, flags %+v, want %d and %d", tt.stated, err, doc.Text, doc.Notes, doc.Flags, tt.notes, tt.flags)
		}
	}
}
