package pdf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// withLayer adds optional content to a PDF: the layer L, which is on or off.
func withLayer(data []byte, state string) []byte {
	group := "<</Type/OCG/Name(draft)>>"
	data = bytes.Replace(data, []byte("/Type/Catalog"), []byte("/Type/Catalog/OCProperties<</OCGs[9 0 R]/D<</"+state+"[9 0 R]>>>>"), 1)
	data = bytes.Replace(data, []byte("/Resources<<"), []byte("/Resources<</Properties<</L 9 0 R>>"), 1)
	return bytes.Replace(data, []byte("xref\n0 "), []byte("9 0 obj\n"+group+"\nendobj\nxref\n0 "), 1)
}

func TestPDFVeiled(t *testing.T) {
	one, two, hidden := sample.At(50, 600, "copied"), sample.At(93, 600, "from"), sample.At(86, 600, "x")
	const box = "1 g 85.5 597 7 13 re f 0 g\n"
	layer := one + "/OC /L BDC " + hidden + "EMC\n" + two
	plain := func(page string) []byte { return sample.PDF(page) }
	tests := []struct {
		name      string
		data      []byte
		want, why string
	}{
		{"layer off", withLayer(plain(layer), "OFF"), "copied from", "on a layer that is off"},
		{"layer on", withLayer(plain(layer), "ON"), "copiedxfrom", ""},
		{"clipped", plain(one + "q 0 0 1 1 re W n " + hidden + "Q\n" + two), "copied from", "outside its clip path"},
		{"within its clip path", plain(one + "q 80 590 20 30 re W n " + hidden + "Q\n" + two), "copiedxfrom", ""},
		{"without width", plain(one + "BT 1 Tz /F 12 Tf 89 600 Td (x) Tj 100 Tz ET\n" + two), "copied from", "too narrow to see"},
		{"under a box", plain(one + hidden + two + box), "copied from", "under a drawing"},
		{"on a box", plain(one + box + hidden + two), "copiedxfrom", ""},
		{"under a box in one text", plain(sample.At(50, 600, "some words are seen") + "1 g 83 597 31 13 re f 0 g\n"), "some are seen", "under a drawing"},
		{"colour of its background", plain(one + "q .2 .5 .3 rg 85.5 597 7 13 re f " + hidden + "Q\n" + two), "copied from", "in the colour of its background"},
		{"transparent over a picture", bytes.Replace(plain("q 200 0 0 100 40 560 cm /I Do Q\n/G gs "+one+hidden+two), []byte("/Resources<<"), []byte("/Resources<</ExtGState<</G<</ca 0>>>>"), 1), "copiedxfrom", ""},
		{"colour of an earlier background", plain(one + "q .2 .5 .3 rg 80 590 50 30 re f 1 g 85.5 597 7 13 re f .2 .5 .3 rg " + hidden + "Q\n" + two), "copiedxfrom", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if why := strings.Join(doc.Notes, "; "); !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") || len(doc.Flags) > 0 {
			t.Errorf("%s: flags %+v, notes %q, want one note: %q", tt.name, doc.Flags, why, tt.why)
		}
	}
}

// TestPDFGaps checks that invisible letters of any size leave the words as they look.
func TestPDFGaps(t *testing.T) {
	small := func(size, x string) string { return "q 1 g BT /F " + size + " Tf " + x + " 600 Td (q) Tj ET Q\n" }
	line := sample.At(300, 600, "and the spaces of a line")
	tests := []struct{ name, page, want string }{
		{"small, inside a word", sample.At(50, 600, "mo") + small("3.5", "66.7") + sample.At(69, 600, "st") + line, "most and the spaces of a line"},
		{"half the size, inside a word", sample.At(50, 600, "mo") + small("5", "66.7") + sample.At(69, 600, "st") + line, "most and the spaces of a line"},
		{"full size, for a space", sample.At(50, 600, "mo") + small("12", "66.7") + sample.At(73, 600, "st") + line, "mo st and the spaces of a line"},
		{"small, for all spaces of a line", sample.At(50, 600, "more") + small("5", "77.4") + sample.At(80, 600, "words"), "more words"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.page), document.Options{}); err != nil || strings.Join(strings.Fields(doc.Text), " ") != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}
