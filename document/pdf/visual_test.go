package pdf_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// hebrewPDF makes a page in Helvetica whose capitals state Hebrew letters, whose ~ a pointed one, and whose | and ` the
// Arabic ligature of lam and alef and an ain.
func hebrewPDF(page string) []byte {
	return statingPDF(page, "1 beginbfrange <41> <5A> <05D0> endbfrange 3 beginbfchar <7E> <05D105B8> <7C> <06440627> <60> <0639> endbfchar")
}

// hebrew returns a text with the letters that such a page shows for capitals.
func hebrew(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return 'א' + c - 'A'
		}
		return c
	}, text)
}

// TestPDFRightToLeft reads texts from right to left in the order of their letters, however a page draws them.
func TestPDFRightToLeft(t *testing.T) {
	tests := []struct{ name, page, want string }{
		{"as seen", sample.At(50, 600, "IHG FED CBA"), "ABC DEF GHI"},
		{"letters from right to left", letters("ED CBA", true), "ABC DE"},
		{"letters from left to right", letters("ED CBA", false), "ABC DE"},
		{"words from right to left", sample.At(150, 600, "CBA") + sample.At(120, 600, "FED") + sample.At(90, 600, "IHG"), "ABC DEF GHI"},
		{"other words and numbers", sample.At(50, 600, "GFE local search 25 DCBA") + sample.At(50, 580, "DCBA 1,250 GFE"), "ABCD local search 25 EFG EFG 1,250 ABCD"},
		{"mostly other words", sample.At(50, 600, "CBA") + sample.At(80, 600, "local search") + sample.At(50, 580, strings.Repeat("CBAHGFED XWVUTS ", 3)),
			"local search ABC" + strings.Repeat(" STUVWX DEFGHABC", 3)},
		{"words in a text from left to right", sample.At(50, 600, "the words ") + sample.At(106, 600, "FED CBA ") + sample.At(165, 600, "are copied from a text"),
			"the words ABC DEF are copied from a text"},
		{"a copy of each letter", letters("CBA", true) + letters("CBA", true), "ABC"},
		{"a mark", sample.At(50, 600, "B~A"), "AבָB"},
		{"a ligature", sample.At(50, 600, "`|`"), "علاع"},
		{"a slanted line", "BT /F 12 Tf .7 .7 -.7 .7 100 300 Tm (CBA) Tj ET", "ABC"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, hebrewPDF(tt.page), document.Options{}); err != nil || strings.Join(strings.Fields(doc.Text), " ") != hebrew(tt.want) {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, hebrew(tt.want))
		}
	}
}

// letters draws each letter of a text as a text of its own, the last letter first if backwards is set.
func letters(text string, backwards bool) string {
	var page string
	for i, c := range text {
		if letter := sample.At(50+9*i, 600, string(c)); backwards {
			page = letter + page
		} else {
			page += letter
		}
	}
	return page
}
