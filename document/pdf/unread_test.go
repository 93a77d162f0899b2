package pdf_test

import (
	"bytes"
	"fmt"
	"math"
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
		data := sample.Lettered(sample.PDF(slices.Repeat([]string{layer}, pages)...), end)
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

// TestPDFCovers: a page that is one colour, a gradient, a photo, a drawing or a logo is no page of text, even among
// pages of text, while one with lines of letters is, also if they are faint, turned, slanted or of another colour only.
func TestPDFCovers(t *testing.T) {
	var seen []string
	for i, word := range []string{"first", "second", "third"} {
		seen = append(seen, sample.At(50, 600-50*i, "A sentence in the text layer of the "+word+" page, which is long enough to be more than a stamp of a library."))
	}
	// Each page is a picture of its own.
	const width, height = 600, 800
	type colour [3]byte
	picture := func(pixel func(x, y int) colour) string {
		var b bytes.Buffer
		for y := range height {
			for x := range width {
				c := pixel(x, y)
				b.Write(c[:])
			}
		}
		return fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream", width, height, b.Len(), b.Bytes())
	}
	grey := func(v int) colour { return colour{byte(v), byte(v), byte(v)} }
	letter := func(x, y int) bool { // in words of lines, of uneven widths
		at, line := x%60, y/14
		return y%14 < 8-at%3*2 && at%9 < 4+(at/9+line)%3 && at < 50 && x > 60 && x < 540 && y > 100 && y < 600
	}
	lines := func(ink, paper colour, turn func(x, y int) (int, int)) func(x, y int) colour {
		return func(x, y int) colour {
			if letter(turn(x, y)) {
				return ink
			}
			return paper
		}
	}
	upright := func(x, y int) (int, int) { return x, y }
	slanted := func(x, y int) (int, int) { return x, y + x/25 }
	noise := func(x, y int) int { return int(uint32(x*7919+y*104729+x*y*31) * 2654435761 >> 24) }
	circle := func(x, y, cx, cy, r int) bool { return (x-cx)*(x-cx)+(y-cy)*(y-cy) < r*r }
	for name, tt := range map[string]struct {
		pixel func(x, y int) colour
		flag  bool
	}{
		"one colour":  {func(x, y int) colour { return colour{0x20, 0x40, 0x90} }, false},
		"two colours": {func(x, y int) colour { return map[bool]colour{true: {0xC0, 0x10, 0x20}, false: grey(0xFF)}[y < 300] }, false},
		"gradient":    {func(x, y int) colour { return grey(20 + y*220/height) }, false},
		"noise":       {func(x, y int) colour { return grey(noise(x, y)) }, false},
		"a photo": {func(x, y int) colour {
			return grey(min(max(128+int(60*math.Sin(float64(x)/17)+50*math.Sin(float64(x+2*y)/41)+30*math.Sin(float64(3*y-x)/9))+noise(x, y)/8, 0), 255))
		}, false},
		"a drawing": {func(x, y int) colour {
			return map[bool]colour{true: grey(0), false: grey(0xFF)}[(x+y)%97 < 3 || (x-2*y+4000)%131 < 3 || circle(x, y, 300, 400, 150) && !circle(x, y, 300, 400, 146)]
		}, false},
		"a logo": {func(x, y int) colour {
			return map[bool]colour{true: {0, 0x60, 0xB0}, false: grey(0xFF)}[circle(x, y, 300, 250, 90) && !circle(x, y, 300, 250, 60) || y > 400 && y < 440 && x > 200 && x < 400 && x%40 < 25]
		}, false},
		"bricks": {func(x, y int) colour {
			return map[bool]colour{true: {0x90, 0x40, 0x30}, false: grey(0xC0)}[y%20 < 17 && (x+y/20%2*20)%40 < 37]
		}, false},
		"letters":            {lines(grey(0x10), grey(0xF8), upright), true},
		"light letters":      {lines(grey(0xFF), colour{0, 0, 0x60}, upright), true},
		"faint letters":      {lines(grey(0xD8), grey(0xFF), upright), true},
		"turned letters":     {lines(grey(0), grey(0xFF), func(x, y int) (int, int) { return y, x }), true},
		"slanted letters":    {lines(grey(0), grey(0xFF), slanted), true},
		"red on green":       {lines(colour{200, 50, 50}, colour{50, 125, 50}, upright), true},
		"letters in a photo": {func(x, y int) colour { return grey(map[bool]int{true: 0, false: 150 + noise(x, y)/4}[letter(x, y)]) }, true},
	} {
		const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
		pages := append(slices.Clone(seen), sample.Picture)
		data := sample.PDFOf("/MediaBox[0 0 600 800]", font, []string{picture(tt.pixel)}, pages...)
		data = bytes.Replace(data, []byte("/I 4 0 R"), fmt.Appendf(nil, "/I %d 0 R", 6+2*len(pages)), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
			t.Fatal(err)
		}
		if flagged := slices.ContainsFunc(doc.Flags, func(f document.Flag) bool { return f.Kind == document.NoTextLayer }); flagged != tt.flag || !strings.Contains(fmt.Sprint(doc.Notes), "only pictures without text on 1 of 4 pages: 4") {
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
