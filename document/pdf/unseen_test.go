package pdf_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/pdf"
)

// unseenProse draws as much as is flagged where nobody sees it: 102 characters.
func unseenProse(x, y int) string {
	return sample.At(x, y, "A sentence that nobody sees, and that is long enough to be a large") + sample.At(x, y-14, "part of what somebody wrote or copied elsewhere with care")
}

func TestPDFHidden(t *testing.T) {
	const ground = "0 0 0.5 rg 40 590 300 30 re f\n"
	tests := []struct {
		name, page, want string
		flags            []document.Flag
	}{
		{"white", sample.At(50, 600, "seen") + "1 1 1 rg\n" + unseenProse(50, 570) + "0 g\n" + sample.At(50, 556, "more"), "seen more",
			[]document.Flag{{Kind: document.HiddenText, Start: 5, End: 5, Count: 101, Detail: "white on white"}}},
		{"white on blue", ground + "1 1 1 rg\n" + sample.At(50, 600, "seen"), "seen", nil},
		{"tiny", sample.At(50, 600, "seen") + strings.ReplaceAll(unseenProse(50, 570), "/F 12", "/F 1"), "seen", []document.Flag{{Kind: document.HiddenText, Start: 4, End: 4, Count: 101, Detail: "too small to see"}}},
		{"small font made large", "BT /F 1 Tf 12 0 0 12 50 600 Tm (seen) Tj ET\n", "seen", nil},
		{"invisible", sample.At(50, 600, "seen") + "3 Tr\n" + unseenProse(50, 586), "seen", []document.Flag{{Kind: document.HiddenText, Start: 4, End: 4, Count: 101, Detail: "drawn invisibly"}}},
		{"text of a scan", sample.Picture + "3 Tr\n" + sample.At(50, 600, "read by a program"), "read by a program", nil},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.page), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: text %q, flags %+v, want %q, %+v", tt.name, doc.Text, doc.Flags, tt.want, tt.flags)
		}
	}
}

// TestPDFUnseen checks which text of a page is visible, and that invisible letters which take
// space separate words.
func TestPDFUnseen(t *testing.T) {
	one, two := sample.At(50, 600, "copied"), sample.At(93, 600, "from")
	between := func(state string) string { return one + "q " + state + " " + sample.At(86, 600, "x") + " Q\n" + two }
	fill := "0 0 .5 rg 40 590 200 30 re f\n"
	tests := []struct{ name, page, want, why string }{
		{"white", between("1 g"), "copied from", "white on white"},
		{"nearly white", between(".99 .98 .99 rg"), "copied from", "white on white"},
		{"drawn invisibly", between("3 Tr"), "copied from", "drawn invisibly"},
		{"only a clip", one + "q BT 7 Tr /F 12 Tf 86 600 Td (x) Tj ET Q\n" + two, "copied from", "drawn invisibly"},
		{"invisible on a page with a picture elsewhere", "q 20 0 0 20 0 0 cm /I Do Q\n" + between("3 Tr"), "copied from", "drawn invisibly"},
		{"invisible over a picture", sample.Picture + between("3 Tr"), "copiedxfrom", ""},
		{"tiny", one + "BT /F 1 Tf 86 600 Td (x) Tj ET\n" + sample.At(87, 600, "from"), "copiedfrom", "too small to see"},
		{"beside the page", one + sample.At(-300, 600, "this is not on it"), "copied", "outside of the page"},
		{"white on blue", fill + "1 g " + one, "copied", ""},
		{"white on white paint", "1 g 40 590 200 30 re f\n" + one + "0 g " + sample.At(50, 560, "seen"), "seen", "white on white"},
		{"white on hardly grey paint", ".95 g 40 590 200 30 re f 1 g\n" + one + "0 g " + sample.At(50, 560, "seen"), "seen", "white on white"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.page), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if why := strings.Join(doc.Notes, "; "); !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") || len(doc.Flags) > 0 {
			t.Errorf("%s: flags %+v, notes %q, want one note: %q", tt.name, doc.Flags, why, tt.why)
		}
	}
}

// TestPDFAccused checks which invisible text is flagged and which is only noted. Flagged text
// can hide a copy; noted text is left in files by programs and printers.
func TestPDFAccused(t *testing.T) {
	lines := func(state string, n int) string {
		var b strings.Builder
		for i := range n {
			y := 700 - 20*i
			b.WriteString(sample.At(50, y, "copied") + "q " + state + " " + sample.At(86, y, "x") + " Q\n" + sample.At(93, y, "from") + "q " + state + " " + sample.At(120, y, "y") + " Q\n" + sample.At(127, y, "it"))
		}
		return b.String()
	}
	signs := func(next, n int) string {
		var b strings.Builder
		for i := range n {
			y := 700 - 20*i
			b.WriteString(sample.At(50, y, "copied") + "q 1 g " + sample.At(next-10, y, "% ") + " Q\n" + sample.At(next, y, "from"))
		}
		return b.String()
	}
	turned := func(edge int) string {
		var b strings.Builder
		for y := 300; y < 500; y += 14 {
			b.WriteString(sample.At(50, y, strings.Repeat("a sentence of the page ", 3)))
		}
		for x := 100; x < 500; x += 30 {
			for i, word := range []string{"words", "that", "run", "off"} {
				fmt.Fprintf(&b, "BT /F 12 Tf 0 1 -1 0 %d %d Tm (%s) Tj ET\n", x, edge+31*i-62, word)
			}
		}
		return b.String()
	}
	white := func(drawn ...string) []string {
		var pages []string
		for _, s := range drawn {
			pages = append(pages, sample.At(50, 600, "one sentence.")+"1 g\n"+s)
		}
		return pages
	}
	slug := func(page string) string {
		return sample.At(50, 500, "Produced by a program of some printer on 3 May, draft, page "+page)
	}
	tests := []struct {
		name  string
		pages []string
		flags int
	}{
		{"between words", []string{lines("1 g", 2)}, 4},
		{"between two words only", []string{lines("1 g", 1)}, 0},
		{"beside the page, which parts no words", []string{lines("1 0 0 1 -400 0 cm", 2)}, 0},
		{"signs between words", []string{signs(110, 6)}, 0},
		{"signs inside words", []string{signs(96, 6)}, 6},
		{"prose", white(unseenProse(50, 500)), 1},
		{"prose on all pages", white(unseenProse(50, 500), sample.At(50, 520, "And quite another one of five words")), 2},
		{"the same on all pages", white(slug("1"), slug("2"), slug("3")), 0},
		{"labels", white(sample.At(50, 500, "First label"), sample.At(50, 500, "Second"), sample.At(50, 400, "The last of them")), 0},
		{"turned lines that run off the upper edge", []string{turned(803)}, 0},
		{"turned lines that run off the lower edge", []string{turned(-1)}, 0},
		{"prose beside the page", []string{sample.At(50, 600, "seen") + unseenProse(-700, 500)}, 0},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.pages...), document.Options{}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		flags := 0
		for _, f := range doc.Flags {
			flags += f.Count
		}
		if (flags > 0) != (tt.flags > 0) || (tt.flags == 0) != (len(doc.Notes) == 1) {
			t.Errorf("%s: flags %+v, notes %q, want %d flagged", tt.name, doc.Flags, doc.Notes, tt.flags)
		}
		if strings.Contains(doc.Text, "x") || strings.Contains(doc.Text, "nobody sees") {
			t.Errorf("%s: text %q, want it without what is not seen", tt.name, doc.Text)
		}
	}
}

// TestPDFPattern takes text that is filled with a shading or a pattern for seen, in whatever
// colours the engine says that it is.
func TestPDFPattern(t *testing.T) {
	const shading = "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 600 0]/Function<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>/Extend[true true]>>"
	page := "/Pattern cs /P scn\n" + sample.At(50, 600, "this is filled with a shading") + sample.At(50, 580, "and this as well.")
	data := bytes.Replace(sample.PDF(page), []byte("/Resources<<"), []byte("/Resources<</Pattern<</P<</PatternType 2/Shading"+shading+">>>>"), 1)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "this is filled with a shading and this as well." || len(doc.Flags)+len(doc.Notes) > 0 {
		t.Errorf("text %q, flags %+v, notes %q, %v: want all of it", doc.Text, doc.Flags, doc.Notes, err)
	}
}

// TestPDFDrawnLetters takes invisible text over letters that are drawn as lines for
// that of the page.
func TestPDFDrawnLetters(t *testing.T) {
	var lines strings.Builder
	for x := 50; x < 200; x += 6 {
		fmt.Fprintf(&lines, "%d 600 3 9 re f\n", x)
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.PDF(lines.String()+"3 Tr\n"+sample.At(50, 600, "read by a program")), document.Options{}); err != nil || doc.Text != "read by a program" {
		t.Errorf("text %q, %v, want what is over the letters", doc.Text, err)
	}
}

// ownScalePDF makes a page in a font of pictures as old TeX has it: in a scale of its own,
// so that a size of 0.1 is one of 10 points. Characters before the space mean nothing.
func ownScalePDF(content string) []byte { return picturesPDF(50, 70, content) }

// picturesPDF is like ownScalePDF with letters of a size.
func picturesPDF(letterWidth, letterHeight int, content string) []byte {
	glyph := func(width, height int) string {
		s := fmt.Sprintf("60 0 0 0 %d %d d1 %d 0 0 %d 0 0 cm BI /W 1 /H 1 /IM true /BPC 1 ID \x00 EI", width, height, width, height)
		return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s)
	}
	var procs, names strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		fmt.Fprintf(&procs, "/%c 8 0 R", c)
		fmt.Fprintf(&names, "/%c", c)
	}
	font := "<</Type/Font/Subtype/Type3/FontBBox[0 0 50 70]/FontMatrix[1 0 0 1 0 0]/FirstChar 0/LastChar 122/Widths[" + strings.Repeat("60 ", 123) +
		"]/CharProcs<<" + procs.String() + "/period 9 0 R/x0 8 0 R>>/Encoding<</Differences[0/x0 46/period 97" + names.String() + "]>>/Resources<<>>>>"
	return sample.PDFOf("/MediaBox[0 0 600 800]", font, []string{glyph(letterWidth, letterHeight), glyph(10, 10)}, content)
}

// TestPDFOwnScale takes the drawn size of a font, not the declared one.
func TestPDFOwnScale(t *testing.T) {
	line := func(y int, size, text string) string {
		return fmt.Sprintf("BT /F %s Tf 50 %d Td (%s) Tj ET\n", size, y, text)
	}
	tests := []struct {
		name, page, want string
		unseen           string
	}{
		{"seen", line(600, ".1", "some words.") + line(400, ".1", "."), "some words.\n\n.", ""},
		{"not seen", line(600, ".1", "some words.") + line(586, ".005", "too small"), "some words.", "8 characters"},
		{"after characters without a meaning", line(600, ".1", `some\000\000\000\000words`) + line(586, ".005", "small") + line(572, ".1", "and others"), "somewords and others", "5 characters"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, ownScalePDF(tt.page), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if notes := strings.Join(doc.Notes, "; "); !strings.HasPrefix(notes, tt.unseen) || (notes == "") != (tt.unseen == "") {
			t.Errorf("%s: notes %q, want that %s are not seen", tt.name, notes, tt.unseen)
		}
	}
}

// TestPDFBlankGlyph takes a glyph that draws nothing among others of a font of type 3 for a space, as such a font states
// no characters, and leaves out a word of them.
func TestPDFBlankGlyph(t *testing.T) {
	const font = "<</Type/Font/Subtype/Type3/FontBBox[0 0 0 0]/FontMatrix[.01 0 0 .01 0 0]/FirstChar 97/LastChar 122/Widths[%s]/CharProcs<<%s/z 9 0 R>>/Encoding<</Differences[97%s/z]>>/Resources<<>>>>"
	const letter, blank = "60 0 0 0 50 70 d1 10 0 40 70 re f", "60 0 0 0 0 0 d1"
	var procs, names strings.Builder
	for c := 'a'; c < 'z'; c++ {
		fmt.Fprintf(&procs, "/%c 8 0 R", c)
		fmt.Fprintf(&names, "/%c", c)
	}
	stream := func(s string) string { return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s) }
	for page, want := range map[string]string{
		sample.At(50, 600, "otherszreadzthis") + sample.At(50, 500, "zandzthat"): "others read this and that",
		sample.At(50, 600, "othersread") + sample.At(150, 600, "zzzzzzzz"):       "othersread",
	} {
		data := sample.PDFOf("/MediaBox[0 0 600 800]", fmt.Sprintf(font, strings.Repeat("60 ", 26), procs.String(), names.String()), []string{stream(letter), stream(blank)}, page)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || strings.Join(strings.Fields(doc.Text), " ") != want {
			t.Errorf("text %q, %v, notes %q, want %q", doc.Text, err, doc.Notes, want)
		}
	}
}

// TestPDFCropped notes text on the sheet outside its visible part, such as printer's marks,
// and does not flag it as a disguise.
func TestPDFCropped(t *testing.T) {
	const boxes = "/MediaBox[0 0 600 800]/CropBox[0 100 600 800]"
	data := sample.PDFOf("", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", nil, sample.At(50, 600, "one")+sample.At(50, 50, "Printed by")+sample.At(50, -50, "beside"), sample.At(50, 600, "two")+sample.At(50, 50, "Printed by"))
	data = bytes.ReplaceAll(data, []byte("/Type/Page/Parent"), []byte("/Type/Page"+boxes+"/Parent"))
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "one two" {
		t.Errorf("text %q, %v, want what is shown", doc.Text, err)
	}
	want := []string{"18 characters on 2 of 2 pages are invisible, the first on page 1: cut off the page: they are left out", "6 characters on 1 of 2 pages are invisible, the first on page 1: outside of the page: they are left out"}
	if len(doc.Flags) > 0 || !slices.Equal(doc.Notes, want) {
		t.Errorf("flags %+v, notes %q, want %q", doc.Flags, doc.Notes, want)
	}
}

// TestPDFOutlines reads the invisible text of a diagram whose letters are outlines, with its dots and thin
// letters, which leave no trace, and leaves out invisible text where few letters are drawn.
func TestPDFOutlines(t *testing.T) {
	const text = "pv.spec.capacity is copied from a drawing of a program and from a book."
	for share, notes := range map[int]int{len(text): 0, len(text) / 3: 1} {
		var page strings.Builder
		for i, c := range text {
			x := 50 + 7*i
			if i < share && c != '.' && c != ' ' {
				fmt.Fprintf(&page, "%d 600 4 6 re f\n", x)
			}
			if c != ' ' {
				fmt.Fprintf(&page, "BT 3 Tr /F 12 Tf %d 600 Td (%c) Tj ET\n", x, c)
			}
		}
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(page.String()), document.Options{}); err != nil || len(doc.Notes) != notes || len(doc.Flags) > 0 {
			t.Errorf("%d letters: text %q, %v, notes %q, flags %+v, want %d notes", share, doc.Text, err, doc.Notes, doc.Flags, notes)
		}
	}
}

// TestPDFRunsOff checks which text off the page continues a line that ends at its edge.
func TestPDFRunsOff(t *testing.T) {
	done, err := pdf.Ready(t.Context(), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	tests := []struct {
		name, page string
		want       bool
	}{
		{"over the right edge", sample.At(576, 600, "of a") + sample.At(602, 600, "wide table"), true},
		{"over the left edge", sample.At(2, 600, "of a") + sample.At(-60, 600, "wide table"), true},
		{"far from the edge", sample.At(576, 600, "of a") + sample.At(660, 600, "wide table"), false},
		{"beside a line that ends in the middle", sample.At(100, 600, "of a") + sample.At(602, 600, "wide table"), false},
		{"above a line at the edge", sample.At(576, 600, "of a") + sample.At(576, 810, "wide table"), false},
	}
	for _, tt := range tests {
		data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", nil, tt.page)
		f, err := pdf.Read(t.Context(), data, pdf.Options{MaxText: 1000})
		if err != nil || len(f.Pages[0].Hidden) == 0 {
			t.Fatalf("%s: %v, nothing hidden", tt.name, err)
		}
		if got := slices.ContainsFunc(f.Pages[0].Hidden, func(h pdf.Hidden) bool { return h.Edge }); got != tt.want {
			t.Errorf("%s: %+v, want at the edge: %v", tt.name, f.Pages[0].Hidden, tt.want)
		}
	}
}
