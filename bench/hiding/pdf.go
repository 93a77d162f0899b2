package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

const (
	lineChars = 80 // characters on a line
	pageLines = 45
)

// A portableWriter sets text in one font with one byte per character; a table maps bytes
// above ASCII to characters.
type portableWriter struct {
	codes map[rune]byte
	pages []string
	page  strings.Builder
	lines int
	width int // characters on the line so far
	hide  string
	room  bool // hidden text takes up space, and lines break there

	between bool // the last word was whole
}

// portable writes a PDF.
func portable(text []paragraph, w way) []byte {
	p := &portableWriter{codes: map[rune]byte{}, hide: w.mark, room: w.room}
	for _, para := range text {
		p.line(20)
		for _, x := range para {
			p.piece(x)
		}
	}
	p.pages = append(p.pages, p.page.String()+"ET\n")
	return p.file()
}

// line starts a line this number of points below the previous one.
func (p *portableWriter) line(below int) {
	if p.lines++; p.page.Len() > 0 && p.lines <= pageLines {
		fmt.Fprintf(&p.page, "0 -%d Td\n", below)
	} else {
		if p.page.Len() > 0 {
			p.pages = append(p.pages, p.page.String()+"ET\n")
		}
		p.page.Reset()
		p.page.WriteString("BT /F 12 Tf 72 760 Td\n")
		p.lines = 1
	}
	p.width = 0
}

// breakable matches words with the following space or its replacement.
var breakable = regexp.MustCompile("[^ \u3164]*[ \u3164]|[^ \u3164]+")

// piece sets text. Lines may break at its spaces, and where hidden text replaces one.
func (p *portableWriter) piece(x piece) {
	for _, w := range breakable.FindAllString(x.text, -1) {
		if p.width+len(w) > lineChars && (p.between || x.unseen && p.room) {
			p.line(14)
		}
		p.between = strings.HasSuffix(w, " ") || strings.HasSuffix(w, "\u3164")
		p.width += len(w)
		if x.unseen {
			fmt.Fprintf(&p.page, "%s (%s) Tj 0 g 0 Tr /F 12 Tf\n", p.hide, p.encode(w))
		} else {
			fmt.Fprintf(&p.page, "(%s) Tj\n", p.encode(w))
		}
	}
}

func (p *portableWriter) encode(s string) string {
	var b strings.Builder
	for _, r := range s {
		code, known := p.codes[r]
		switch {
		case strings.ContainsRune(`()\`, r):
			b.WriteString(`\` + string(r))
			continue
		case r < 0x80:
			b.WriteRune(r)
			continue
		case !known:
			code = byte(0x80 + len(p.codes))
			p.codes[r] = code
		}
		fmt.Fprintf(&b, `\%03o`, code)
	}
	return b.String()
}

func (p *portableWriter) file() []byte {
	f := newObjects("1.4")
	var kids, table strings.Builder
	for i := range p.pages {
		fmt.Fprintf(&kids, "%d 0 R ", 5+2*i)
	}
	for c := range 0x80 - 0x20 {
		fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", c+0x20, c+0x20)
	}
	for r, code := range p.codes {
		if r < 0x10000 {
			fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", code, r)
		} else {
			high, low := 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
			fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x%04x> endbfchar\n", code, high, low)
		}
	}
	f.object("<</Type/Catalog/Pages 2 0 R>>")
	f.object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 700 842]/Resources<</Font<</F 3 0 R>>>>>>", kids.String(), len(p.pages)))
	f.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 4 0 R>>")
	f.toUnicode(table.String())
	for i, s := range p.pages {
		f.object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 6+2*i))
		f.stream(s)
	}
	return f.end()
}

// objects are the objects of a PDF file, numbered from 1; the first is the catalog.
type objects struct {
	buf     bytes.Buffer
	offsets []int
}

// newObjects begins a file of a version of PDF.
func newObjects(version string) *objects {
	f := &objects{}
	f.buf.WriteString("%PDF-" + version + "\n")
	return f
}

func (f *objects) object(body string) {
	f.offsets = append(f.offsets, f.buf.Len())
	fmt.Fprintf(&f.buf, "%d 0 obj\n%s\nendobj\n", len(f.offsets), body)
}

func (f *objects) stream(s string) {
	f.object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s))
}

// toUnicode adds a table of the characters of codes of one byte, given as entries of a CMap.
func (f *objects) toUnicode(entries string) {
	f.stream("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def 1 begincodespacerange <00> <ff> endcodespacerange\n" + entries + "endcmap end end")
}

// end returns the file with its table of objects.
func (f *objects) end() []byte {
	xref := f.buf.Len()
	fmt.Fprintf(&f.buf, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, o := range f.offsets {
		fmt.Fprintf(&f.buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&f.buf, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, xref)
	return f.buf.Bytes()
}
