package sample

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// NamedPDF returns a PDF of one page that draws the lines in Helvetica. Its ToUnicode table maps
// each letter to the one that named returns.
func NamedPDF(lines []string, named func(byte) byte) []byte {
	var page, table strings.Builder
	for i, l := range lines {
		page.WriteString(At(50, 760-16*i, l))
	}
	for c := byte(' '); c < 0x7F; c++ {
		fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", c, named(c))
	}
	data := PDF(page.String())
	data = bytes.Replace(data, []byte("/WinAnsiEncoding>>"), []byte("/WinAnsiEncoding/ToUnicode 8 0 R>>"), 1)
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n" + table.String() + "endcmap end end"
	object := fmt.Sprintf("8 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap)
	return bytes.Replace(data, []byte("xref\n0 "), []byte(object+"xref\n0 "), 1)
}

// PDF returns a PDF with a page of 600 by 800 points for each content stream. The resources of the
// pages are the font F and the image I.
func PDF(streams ...string) []byte {
	return PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", nil, streams...)
}

// PDFOf is like PDF with these attributes of the pages and this font object. more are objects after
// those of the pages; the first has the number 6 + 2 × the number of pages.
func PDFOf(pages, font string, more []string, streams ...string) []byte {
	var buf bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, buf.Len())
		fmt.Fprintf(&buf, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	buf.WriteString("%PDF-1.4\n")
	var kids strings.Builder
	for i := range streams {
		fmt.Fprintf(&kids, "%d 0 R ", 6+2*i)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d%s/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>>>", kids.String(), len(streams), pages))
	object(font)
	object("<</Type/XObject/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8/Length 16>>\nstream\n" + strings.Repeat("\x40\xc0\x40\xf0", 4) + "\nendstream")
	object("<</Title(A Title)/Author(Jan Nov\\341k)>>")
	for i, s := range streams {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 7+2*i))
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s))
	}
	for _, m := range more {
		object(m)
	}
	xref := buf.Len()
	fmt.Fprintf(&buf, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&buf, "trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return buf.Bytes()
}

// Picture draws the image I over a whole page.
const Picture = "q 600 0 0 800 0 0 cm /I Do Q\n"

// At draws a line of text with the font F, 12 points high, at a position in points.
func At(x, y int, text string) string {
	return fmt.Sprintf("BT /F 12 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

// letters returns an image of width × height pixels with lines of shapes like words, and white below
// the row end.
func letters(width, height, end int) string {
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

// Lettered returns a PDF whose image I shows lines of shapes like words above the row end of 2000.
func Lettered(data []byte, end int) []byte {
	from := bytes.Index(data, []byte("<</Type/XObject/Subtype/Image"))
	to := from + bytes.Index(data[from:], []byte("endstream")) + len("endstream")
	return slices.Replace(data, from, to, []byte(letters(1600, 2000, end))...)
}
