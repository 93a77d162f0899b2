package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// strokes draws lines of shapes as high and wide as letters, in words of different lengths.
func strokes(x, y, lines, perLine int) string {
	var b strings.Builder
	for i := range lines {
		at := float64(x)
		for j := range perLine {
			width, height := 2.5+float64((i+j*5)%4), 5.0
			if j%3 == 0 {
				height = 8
			}
			fmt.Fprintf(&b, "%.1f %d %.1f %.0f re f\n", at, y-14*i, width, height)
			if at += width + 1.5; j%6 == 5 {
				at += 3
			}
		}
	}
	return b.String()
}

// object returns the PDF with a further object, numbered 20.
func object(data []byte, dict, stream string) []byte {
	more := fmt.Sprintf("20 0 obj\n<<%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", dict, len(stream), stream)
	return bytes.Replace(data, []byte("xref\n0 "), []byte(more+"xref\n0 "), 1)
}

func TestPDFUnread(t *testing.T) {
	seen := sample.At(50, 700, "A sentence in the text layer of the page, which is long enough to be more than a stamp of a library.")
	prose := strings.Repeat("(some words of a copied text of some length) Tj T*\n", 6)
	const form = "/BBox[0 0 500 200]/Resources<</Font<</F 3 0 R>>>>"
	draw := "BT /F 11 Tf 14 TL 0 180 Td\n" + prose + "ET"
	stamp := bytes.Replace(object(sample.PDF(seen), "/Type/XObject/Subtype/Form"+form, draw),
		[]byte("/Type/Page/Parent"), []byte("/Type/Page/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[50 300 550 500]/AP<</N 20 0 R>>>>]/Parent"), 1)
	tiles := bytes.Replace(object(sample.PDF(seen+"/Pattern cs /P scn 50 300 500 200 re f\n"), "/PatternType 1/PaintType 1/TilingType 1/XStep 500/YStep 200/Matrix[1 0 0 1 50 300]"+form, draw),
		[]byte("/Resources<<"), []byte("/Resources<</Pattern<</P 20 0 R>>"), 1)
	// The second page of a scan is a picture: an empty one, or one with lines of ink.
	scan := func(text, ink string) []byte {
		pixels := []byte(strings.Repeat("\xff", 100*1000))
		for i := range len(ink) {
			for y := 200 + 40*i; y < 210+40*i; y++ {
				copy(pixels[100*y+10:], strings.Repeat(ink[i:i+1], 70))
			}
		}
		return bytes.Replace(object(sample.PDF(seen, sample.Picture+text), "/Type/XObject/Subtype/Image/Width 800/Height 1000/ColorSpace/DeviceGray/BitsPerComponent 1", string(pixels)),
			[]byte("/I 4 0 R"), []byte("/I 20 0 R"), 1)
	}
	const found = "pictures or drawings on 1 of 1 pages show text that is not read"
	tests := []struct {
		name string
		data []byte
		note string
		flag bool
	}{
		{"outlines", sample.PDF(seen + strokes(50, 500, 6, 60)), found, false},
		{"outlines of a whole page", sample.PDF(seen + strokes(50, 650, 40, 70)), "only pictures without text on 1 of 1 pages", true},
		{"stamp", stamp, found, false},
		{"tiling pattern", tiles, found, false},
		{"an empty page", scan("", ""), "only pictures without text on 1 of 2 pages: 2", false},
		{"a title before a picture", scan(sample.At(200, 300, "A short title"), ""), "only pictures without text on 1 of 2 pages: 2", false},
		{"a title before a page with ink", scan(sample.At(200, 300, "A short title"), "\x13\x57\x9a\x11\x75\x93"), "only pictures without text on 1 of 2 pages: 2", true},
		{"a page with ink", scan("", "\x13\x57\x9a\x11\x75\x93"), "only pictures without text on 1 of 2 pages: 2", true},
		{"two lines", sample.PDF(seen + strokes(50, 500, 2, 100)), "", false},
		{"bars of equal width", sample.PDF(seen + strings.Repeat("60 500 5 6 re f\n", 1) + bars()), "", false},
		{"under its text layer", sample.PDF(seen + strokes(50, 500, 6, 60) + "3 Tr " + layer()), "", false},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		notes := strings.Join(doc.Notes, "; ")
		if !strings.HasPrefix(notes, tt.note) || (notes == "") != (tt.note == "") || len(doc.Flags) > 0 != tt.flag {
			t.Errorf("%s: notes %q, flags %+v, want %q", tt.name, notes, doc.Flags, tt.note)
		}
	}
}

// scanPicture returns an image of width × height pixels with lines of shapes like words, and white below
// the row end.
func scanPicture(width, height, end int) string {
	dots := bytes.Repeat([]byte{0xFF}, (width+7)/8*height)
	for y := range end {
		for x := range (width + 7) / 8 {
			if y%40 < 22-x%3*5 && x%9 < 7 && x > 8 && x < width/8-8 {
				dots[y*((width+7)/8)+x] = 0x81
			}
		}
	}
	return fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 1/Length %d>>\nstream\n%s\nendstream", width, height, len(dots), dots)
}

// TestPDFPartlyRecognised notes scans whose text layer has a part of what their pictures show, also beyond
// the limit of pixels.
func TestPDFPartlyRecognised(t *testing.T) {
	const pages = 7
	read := func(end int) string {
		t.Helper()
		layer := "q 600 0 0 800 0 0 cm /I Do Q\n3 Tr\n"
		for y := 790; y > 600; y -= 16 {
			layer += sample.At(50, y, "the words that these pictures show, as recognised by a program, in long lines")
		}
		data := sample.PDF(slices.Repeat([]string{layer}, pages)...)
		from := bytes.Index(data, []byte("<</Type/XObject/Subtype/Image"))
		to := from + bytes.Index(data[from:], []byte("endstream")) + len("endstream")
		data = slices.Replace(data, from, to, []byte(scanPicture(1600, 2000, end))...)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(doc.Notes, "; ")
	}
	want := fmt.Sprintf("on 4 of %d pages show text that is not read", pages)
	if got := read(2000); !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf("on 3 of %d pages were not searched", pages)) {
		t.Errorf("recognised in part: notes %q, want %q", got, want)
	}
	if got := read(460); got != "" {
		t.Errorf("recognised: notes %q, want none", got)
	}
}

// bars draws rows of equal shapes, like the markers of a diagram.
func bars() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "%d %d 5 6 re f\n", 50+8*(i%50), 500-14*(i/50))
	}
	return b.String()
}

// layer writes lines of text where strokes draws six.
func layer() string {
	var b strings.Builder
	for i := range 6 {
		b.WriteString(sample.At(50, 500-14*i, "the words that these outlines show, as recognised by a program"))
	}
	return b.String()
}

// TestPDFSmoothPage: a page that is one colour or a gradient is no page of text, even among pages of
// text, while one with faint lines is.
func TestPDFSmoothPage(t *testing.T) {
	var seen []string
	for i, word := range []string{"first", "second", "third"} {
		seen = append(seen, sample.At(50, 600-50*i, "A sentence in the text layer of the "+word+" page, which is long enough to be more than a stamp of a library."))
	}
	seen = append(seen, sample.Picture)
	page := func(pixel func(x, y int) byte) []byte {
		var b bytes.Buffer
		for y := range 280 {
			for x := range 200 {
				b.WriteByte(pixel(x, y))
			}
		}
		return bytes.Replace(object(sample.PDF(seen...), "/Type/XObject/Subtype/Image/Width 200/Height 280/ColorSpace/DeviceGray/BitsPerComponent 8", b.String()), []byte("/I 4 0 R"), []byte("/I 20 0 R"), 1)
	}
	lines := func(x, y int) bool { return y%14 < 6 && x%7 < 5 }
	for name, tt := range map[string]struct {
		pixel func(x, y int) byte
		flag  bool
	}{
		"one colour": {func(x, y int) byte { return 0x60 }, false},
		"gradient":   {func(x, y int) byte { return byte(20 + y*220/280) }, false},
		"noise":      {func(x, y int) byte { return byte(0x60 + (x*7+y*13)%9) }, false},
		"lines":      {func(x, y int) byte { return map[bool]byte{true: 0x20, false: 0xF0}[lines(x, y)] }, true},
		"faint":      {func(x, y int) byte { return map[bool]byte{true: 0xC8, false: 0xFF}[lines(x, y)] }, true},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, page(tt.pixel), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if flagged := slices.ContainsFunc(doc.Flags, func(f document.Flag) bool { return f.Kind == document.NoTextLayer }); flagged != tt.flag || len(doc.Notes) == 0 {
			t.Errorf("%s: flags %v, notes %q", name, doc.Flags, doc.Notes)
		}
	}
}

// TestPDFManyPictures: beyond the limit of pixels, one page in four is searched for text, and the note
// states the numbers of the others.
func TestPDFManyPictures(t *testing.T) {
	const pages = 13
	var streams []string
	for i := range pages {
		streams = append(streams, sample.At(50, 780, fmt.Sprintf("Page %c has a picture and this sentence above it, which is long enough.", 'A'+i))+"q 500 0 0 600 50 50 cm /I Do Q\n")
	}
	pixels := []byte(strings.Repeat("\xff", 125*1000))
	for i := range 25 { // lines of ink as high and wide as letters
		for y := 200 + 24*i; y < 212+24*i; y++ {
			for x := 10; x < 110; x++ {
				pixels[125*y+x] = "\x00\x0f\x03\xff"[x%4]
			}
		}
	}
	picture := fmt.Sprintf("<</Type/XObject/Subtype/Image/Width 1000/Height 1000/ColorSpace/DeviceGray/BitsPerComponent 1/Length %d>>\nstream\n%s\nendstream", len(pixels), pixels)
	const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	data := sample.PDFOf("/MediaBox[0 0 600 800]", font, []string{picture}, streams...)
	data = bytes.Replace(data, []byte("/I 4 0 R"), fmt.Appendf(nil, "/I %d 0 R", 6+2*pages), 1)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(doc.Notes, "\n")
	if !strings.Contains(notes, "were not searched for text, as that takes too long: 6–8, 10–12") {
		t.Errorf("notes %q, want the pages after the fourth but 5, 9 and 13", notes)
	}
}
