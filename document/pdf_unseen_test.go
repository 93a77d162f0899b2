package document

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestPDFUnseen checks what of a page is seen, and that letters which take room
// without being seen separate words.
func TestPDFUnseen(t *testing.T) {
	one, two := at(50, 600, "copied"), at(93, 600, "from")
	between := func(state string) string { return one + "q " + state + " " + at(86, 600, "x") + " Q\n" + two }
	fill := "0 0 .5 rg 40 590 200 30 re f\n"
	tests := []struct{ name, page, want, why string }{
		{"white", between("1 g"), "copied from", "white on white"},
		{"nearly white", between(".99 .98 .99 rg"), "copied from", "white on white"},
		{"drawn invisibly", between("3 Tr"), "copied from", "drawn invisibly"},
		{"only a clip", one + "q BT 7 Tr /F 12 Tf 86 600 Td (x) Tj ET Q\n" + two, "copied from", "drawn invisibly"},
		{"invisible on a page with a picture elsewhere", "q 20 0 0 20 0 0 cm /I Do Q\n" + between("3 Tr"), "copied from", "drawn invisibly"},
		{"invisible over a picture", picture + between("3 Tr"), "copiedxfrom", ""},
		{"tiny", one + "BT /F 1 Tf 86 600 Td (x) Tj ET\n" + at(87, 600, "from"), "copiedfrom", "too small to see"},
		{"beside the page", one + at(-300, 600, "this is not on it"), "copied", "outside of the page"},
		{"white on blue", fill + "1 g " + one, "copied", ""},
		{"white on white paint", "1 g 40 590 200 30 re f\n" + one + "0 g " + at(50, 560, "seen"), "seen", "white on white"},
		{"white on hardly grey paint", ".95 g 40 590 200 30 re f 1 g\n" + one + "0 g " + at(50, 560, "seen"), "seen", "white on white"},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(tt.page), Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		why := ""
		if len(doc.Flags) > 0 {
			why = doc.Flags[0].Detail
		}
		if why != tt.why || len(doc.Flags) > 1 {
			t.Errorf("%s: flags %s, want one: %q", tt.name, fmt.Sprintf("%+v", doc.Flags), tt.why)
		}
	}
}

// ownScalePDF makes a page in a font of pictures as old TeX has it: in a scale of its own,
// so that a size of 0.1 is one of 10 points. Characters before the space mean nothing.
func ownScalePDF(content string) []byte {
	glyph := func(width, height int) string {
		s := fmt.Sprintf("60 0 0 0 %d %d d1 0 0 %d %d re f", width, height, width, height)
		return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s)
	}
	var procs, names strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		fmt.Fprintf(&procs, "/%c 8 0 R", c)
		fmt.Fprintf(&names, "/%c", c)
	}
	font := "<</Type/Font/Subtype/Type3/FontBBox[0 0 50 70]/FontMatrix[1 0 0 1 0 0]/FirstChar 0/LastChar 122/Widths[" + strings.Repeat("60 ", 123) +
		"]/CharProcs<<" + procs.String() + "/period 9 0 R/x0 8 0 R>>/Encoding<</Differences[0/x0 46/period 97" + names.String() + "]>>/Resources<<>>>>"
	return pdfOf("/MediaBox[0 0 600 800]", font, []string{glyph(50, 70), glyph(10, 10)}, content)
}

// TestPDFOwnScale takes what is drawn for the size of a font, not what is stated.
func TestPDFOwnScale(t *testing.T) {
	line := func(y int, size, text string) string {
		return fmt.Sprintf("BT /F %s Tf 50 %d Td (%s) Tj ET\n", size, y, text)
	}
	hidden := func(at, count int) []Flag {
		return []Flag{{Kind: HiddenText, Start: at, End: at, Count: count, Detail: "too small to see"}}
	}
	tests := []struct {
		name, page, want string
		flags            []Flag
	}{
		{"seen", line(600, ".1", "some words.") + line(400, ".1", "."), "some words.\n\n.", nil},
		{"not seen", line(600, ".1", "some words.") + line(586, ".005", "too small"), "some words.", hidden(11, 8)},
		{"after characters without a meaning", line(600, ".1", `some\000\000\000\000words`) + line(586, ".005", "small") + line(572, ".1", "and others"), "somewords and others", hidden(10, 5)},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, ownScalePDF(tt.page), Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: flags %+v, want %+v", tt.name, doc.Flags, tt.flags)
		}
	}
}

// TestPDFCropped takes what is on the sheet but outside of what is shown of it, as a
// printer's marks are, for a note and not for a disguise.
func TestPDFCropped(t *testing.T) {
	const boxes = "/MediaBox[0 0 600 800]/CropBox[0 100 600 800]"
	data := pdfOf("", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", nil, at(50, 600, "one")+at(50, 50, "Printed by")+at(50, -50, "beside"), at(50, 600, "two")+at(50, 50, "Printed by"))
	data = bytes.ReplaceAll(data, []byte("/Type/Page/Parent"), []byte("/Type/Page"+boxes+"/Parent"))
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != "one two" {
		t.Errorf("text %q, %v, want what is shown", doc.Text, err)
	}
	if want := []Flag{{Kind: HiddenText, Start: 3, End: 3, Count: 6, Detail: "outside of the page"}}; !reflect.DeepEqual(doc.Flags, want) {
		t.Errorf("flags %+v, want %+v", doc.Flags, want)
	}
	if want := "18 characters are cut off on 2 of 2 pages, the first is page 1: they are left out"; len(doc.Notes) != 1 || doc.Notes[0] != want {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
}
