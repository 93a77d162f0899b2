package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// mappedPDF makes a page in Helvetica whose characters x and ~ state other texts, in UTF-16.
func mappedPDF(page, x, tilde string) []byte {
	return statingPDF(page, "2 beginbfchar <78> <"+x+"> <7E> <"+tilde+"> endbfchar")
}

// statingPDF makes a page in Helvetica whose characters state what these operators of a CMap map them to.
func statingPDF(page, operators string) []byte {
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n" +
		operators + " endcmap end end"
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 8 0 R>>"
	return sample.PDFOf("/MediaBox[0 0 600 800]", font, []string{fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(cmap), cmap)}, page)
}

// TestPDFStatedCharacters reads the characters that fonts state in unusual ways.
func TestPDFStatedCharacters(t *testing.T) {
	const house = "0048004F005500530045" // HOUSE
	var symbols strings.Builder
	for i, site := range []string{"copied.of.the", "from.the.word", "and.not.that"} {
		y := 600 - 20*i
		symbols.WriteString(stating("homepage: "+site, sample.At(50, y, "~")+sample.At(66, y, site)))
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a soft hyphen that is drawn", mappedPDF(sample.At(50, 600, "the well~known words"), "0078", "00AD"), "the well-known words"},
		{"no character", mappedPDF(sample.At(50, 600, "the sexons of it"), "0000", "007E"), "the se\uFFFDons of it"},
		{"numerals for letters", mappedPDF(sample.At(50, 600, "sex~onxs ix"), "217D", "217F"), "secmoncs ic"},
		{"commas under letters", sample.PDF(sample.At(50, 600, "This is a st") + "BT /F 8 Tf 104.6 597.5 Td (,) Tj ET BT /F 12 Tf 107.35 600 Td (ie, it is) Tj ET\n"), "This is a sție, it is"},
		{"letters from right to left", mappedPDF("BT /F 12 Tf -14 Tc 1 0 0 1 200 600 Tm (xx~~ x~) Tj ET", "05D0", "05D1"), "אאבב אב"},
		{"names of symbols", mappedPDF(symbols.String(), "0078", house), "homepage: copied.of.the homepage: from.the.word homepage: and.not.that"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || strings.Join(strings.Fields(doc.Text), " ") != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if len(doc.Flags) > 0 {
			t.Errorf("%s: flags %+v, want none", tt.name, doc.Flags)
		}
	}
}
