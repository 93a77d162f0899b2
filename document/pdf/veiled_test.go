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

// TestPDFThinLetters: letters thinner than two pixels are as visible as the letters before them.
func TestPDFThinLetters(t *testing.T) {
	const words = "all the illness of still lilies will kill a little"
	for x := range 12 {
		page := fmt.Sprintf("/G gs BT /F 3.5 Tf %.2f 600 Td (%s) Tj ET\n", 50+float64(x)/16, words)
		data := bytes.Replace(sample.PDF(page), []byte("/Resources<<"), []byte("/Resources<</ExtGState<</G<</BM/Multiply>>>>"), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != words || len(doc.Notes) > 0 {
			t.Errorf("text %q, notes %q, %v, want %q", doc.Text, doc.Notes, err, words)
		}
		page = fmt.Sprintf("BT /F .1 Tf %.2f %.2f Td (illness.) Tj ET\n", 50+float64(x)/8, 600-float64(x)/9)
		doc = &document.Document{}
		if err := readtest.Read(t.Context(), doc, picturesPDF(8, 70, page), document.Options{}); err != nil || doc.Text != "illness." || len(doc.Notes) > 0 {
			t.Errorf("pictures of letters: text %q, notes %q, %v, want %q", doc.Text, doc.Notes, err, "illness.")
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

// TestPDFDots checks that letters that are drawn as small as a dot, wherever between pixels, are visible.
func TestPDFDots(t *testing.T) {
	for tenths := range 14 {
		page := fmt.Sprintf("BT /F .1 Tf %.1f 600.%d Td (copied words) Tj ET\n", 50+float64(tenths)/10, tenths%10)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, picturesPDF(10, 10, page), document.Options{}); err != nil || doc.Text != "copied words" || len(doc.Notes) > 0 {
			t.Errorf("%d tenths of a point: text %q, notes %q, %v", tenths, doc.Text, doc.Notes, err)
		}
	}
}

// withPaints adds paints to the resources of a PDF: patterns, a graphics state, a form and a font of type 3
// that paint something if shown is set, and nothing otherwise.
func withPaints(data []byte, shown bool) []byte {
	mark, mask, kind := "", "", "/PaintType 2"
	if shown {
		mark, mask, kind = "0 0 600 800 re f", "1 g 0 0 600 800 re f", "/PaintType 1"
	}
	stream := func(entries, content string) string {
		return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
	}
	const box, tile = "/BBox[0 0 600 800]", "/Type/Pattern/PatternType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"
	const form = "/Type/XObject/Subtype/Form/Group<</S/Transparency/CS/DeviceGray>>" + box
	data = bytes.Replace(data, []byte("/Resources<<"), []byte("/Resources<</Pattern<</P 20 0 R/Q 21 0 R>>/ExtGState<</M<</SMask<</S/Luminosity/G 22 0 R>>>>/S<</BM/Screen>>>>/ColorSpace<</C[/Pattern/DeviceRGB]>>"), 1)
	data = bytes.Replace(data, []byte("/XObject<<"), []byte("/XObject<</X 23 0 R"), 1)
	data = bytes.Replace(data, []byte("/Font<<"), []byte("/Font<</T 24 0 R"), 1)
	var more bytes.Buffer
	for i, o := range []string{
		stream(tile+"/PaintType 1", mark), stream(tile+kind, mark), stream(form, mask),
		stream(form+"/Resources<</Font<</F 3 0 R>>>>", "BT /F 12 Tf 86 600 Td (x) Tj ET"),
		"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 600]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 120/LastChar 120/Widths[500]/CharProcs<</x 25 0 R>>/Encoding<</Differences[120/x]>>/Resources<<>>>>",
		stream("", "500 0 0 0 500 500 d1 "+mark),
	} {
		fmt.Fprintf(&more, "%d 0 obj\n%s\nendobj\n", 20+i, o)
	}
	return bytes.Replace(data, []byte("xref\n0 "), append(more.Bytes(), "xref\n0 "...), 1)
}

// TestPDFUnpainted checks that a letter in a paint that shows nothing is omitted, and that the same
// paint with something to show leaves it in the text.
func TestPDFUnpainted(t *testing.T) {
	one, two := sample.At(50, 600, "copied"), sample.At(93, 600, "from")
	letter := func(before string) string { return one + "q " + before + " " + sample.At(86, 600, "x") + "Q\n" + two }
	tests := []struct{ name, hidden, shown string }{
		{"outline", letter("1 Tr 1 G"), letter("1 Tr .3 G")},
		{"dashed outline", letter("1 Tr [1 9000] 5000 d"), letter("1 Tr [3 1] 0 d")},
		{"outline over its letter", one + "q 2 Tr 1 G 2 w " + sample.At(86, 600, "x") + " Q\n" + two, letter("2 Tr")},
		{"pattern", letter("/Pattern cs /P scn"), letter("/Pattern cs /P scn")},
		{"pattern in the current colour", letter("/C cs 0 0 0 /Q scn"), letter("/Pattern cs /P scn")},
		{"blend mode", one + "q 1 g 85.5 597 7 13 re f 0 g /S gs " + sample.At(86, 600, "x") + "Q\n" + two, letter("/S gs")},
		{"soft mask", letter("/M gs"), letter("/M gs")},
		{"soft mask of a form", one + "q /M gs /X Do Q\n" + two, one + "q /M gs /X Do Q\n" + two},
		{"hole of a clip path", letter("0 0 600 800 re 85 595 8 14 re W* n"), letter("0 0 600 800 re 400 400 8 14 re W* n")},
		{"two clip paths", letter("80 590 8 30 re W n 89 590 9 30 re W n"), letter("80 590 20 30 re W n 84 590 9 30 re W n")},
		{"letter as a clip path", one + "q BT 7 Tr /F 12 Tf 300 300 Td (.) Tj ET 0 Tr " + sample.At(86, 600, "x") + "Q\n" + two, letter("")},
		{"glyph", one + "BT /T 12 Tf 86 600 Td (x) Tj ET\n" + two, one + "BT /T 12 Tf 86 600 Td (x) Tj ET\n" + two},
	}
	for _, tt := range tests {
		for shown, want := range map[bool]string{false: "copied from", true: "copiedxfrom"} {
			page := tt.hidden
			if shown {
				page = tt.shown
			}
			doc := &document.Document{}
			if err := readtest.Read(t.Context(), doc, withPaints(sample.PDF(page), shown), document.Options{}); err != nil || strings.ReplaceAll(doc.Text, ".", "") != want {
				t.Errorf("%s, shown %v: text %q, %v, notes %q, want %q", tt.name, shown, doc.Text, err, doc.Notes, want)
			}
		}
	}
}
