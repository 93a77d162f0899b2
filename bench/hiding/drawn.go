package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// pdfHiders are ways to hide text in a PDF.
func pdfHiders() (all []hider) {
	for _, w := range []struct{ name, mark, objects string }{
		{"letters on a layer that is off", "/OC /Off BDC BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET EMC", ""},
		{"letters outside their clip path", "q 0 0 1 1 re W n BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET Q", ""},
		{"letters compressed to hardly any width", "BT /F 10 Tf .5 Tz %[1]g %[2]g Td (xq) Tj ET BT 100 Tz ET", ""},
		{"letters under white boxes", "BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET 1 g %[1]g %[3]g 12 12 re f 0 g", ""},
		{"letters in the colour of a box", ".8 .9 1 rg %[1]g %[3]g 12 12 re f BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET 0 g", ""},
		{"white letters of 2.5 pt", "1 g BT /F 2.5 Tf %[1]g %[2]g Td (xq) Tj ET 0 g", ""},
		{"invisible letters of 3.5 pt", "BT 3 Tr /F 3.5 Tf %[1]g %[2]g Td (xq) Tj 0 Tr ET", ""},
		{"white letters of 5 pt", "1 g BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET 0 g", ""},
	} {
		all = append(all, hider{"PDF, words", w.name, func(copied, _ []string, thin bool) ([]byte, error) {
			return drawn{pages: typeset(copied, func(i int) string {
				if i%step(thin) != 1 {
					return ""
				}
				return w.mark
			}), catalog: "/OCProperties<</OCGs[5 0 R]/D<</OFF[5 0 R]>>>>"}.file(), nil
		}})
	}
	all = append(all,
		hider{"PDF, words", "words in a font with exchanged letters", exchanged},
		hider{"PDF, words", "other words stated than drawn (ActualText)", stated},
		hider{"PDF", "paragraphs on a layer that is off", func(copied, own []string, _ bool) ([]byte, error) {
			pages := typeset(own, nil)
			pages[0] += "/OC /Off BDC\n" + typeset(copied, nil)[0] + "EMC\n"
			return drawn{pages: pages, catalog: "/OCProperties<</OCGs[5 0 R]/D<</OFF[5 0 R]>>>>"}.file(), nil
		}},
		hider{"PDF", "pictures of paragraphs", func(copied, own []string, _ bool) ([]byte, error) { return pictured(copied, own[:200]) }},
		hider{"PDF", "a picture of a page under typed lines", func(copied, own []string, _ bool) ([]byte, error) { return pictured(copied, own[:30]) }},
		hider{"PDF", "letters drawn as paths", traced},
		hider{"PDF", "tiling pattern", func(copied, own []string, _ bool) ([]byte, error) {
			return inForm(copied, own, "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/XStep 700/YStep 842", "/Pattern cs /P scn 0 0 700 842 re f\n", ""), nil
		}},
		hider{"PDF", "soft mask", func(copied, own []string, _ bool) ([]byte, error) {
			return inForm(copied, own, "/Type/XObject/Subtype/Form/Group<</S/Transparency/CS/DeviceGray>>", "/Masked gs 0 g 0 0 700 842 re f\n", ""), nil
		}})
	for _, kind := range []string{"Stamp", "Square", "Ink", "Line", "Watermark", "FreeText"} {
		all = append(all, hider{"PDF", "appearance of " + kind, func(copied, own []string, _ bool) ([]byte, error) {
			return inForm(copied, own, "/Type/XObject/Subtype/Form", "", "/Annots[<</Type/Annot/Subtype/"+kind+"/F 4/Rect[0 0 700 842]/AP<</N 6 0 R>>>>]"), nil
		}})
	}
	for _, w := range []struct{ name, catalog string }{{"attached file", ""}, {"portfolio", "/Collection<</View/D>>"}} {
		all = append(all, hider{"PDF", w.name, func(copied, own []string, _ bool) ([]byte, error) {
			text := strings.Join(copied, " ")
			return drawn{pages: typeset(own, nil), catalog: w.catalog + "/Names<</EmbeddedFiles<</Names[(a.txt)<</Type/Filespec/F(a.txt)/EF<</F 6 0 R>>>>]>>>>",
				objects: []string{fmt.Sprintf("<</Type/EmbeddedFile/Length %d>>\nstream\n%s\nendstream", len(text), text)}}.file(), nil
		}})
	}
	return all
}

// step returns the distance of changed words.
func step(thin bool) int {
	if thin {
		return thinStep
	}
	return 2
}

const (
	courier   = 6.0 // width of a letter of 10 pt
	left      = 60.0
	right     = 500.0
	perPage   = 52
	leading   = 14.0
	firstLine = 780.0
)

// typeset sets words in Courier. Inside the words for which mark returns one, that is drawn, as a format of its
// position and of the bottom of the line.
func typeset(words []string, mark func(i int) string) (pages []string) {
	var b strings.Builder
	x, y := left, firstLine
	for i, w := range words {
		if x+courier*float64(len(w)) > right {
			if x, y = left, y-leading; y < firstLine-perPage*leading {
				pages, y = append(pages, b.String()), firstLine
				b.Reset()
			}
		}
		begin, m := w, ""
		if mark != nil && len(w) > 3 {
			m = mark(i)
		}
		if m != "" {
			begin = w[:len(w)/2]
			fmt.Fprintf(&b, "BT /F 10 Tf %g %g Td (%s) Tj ET\n", x, y, begin)
			x += courier * float64(len(begin))
			fmt.Fprintf(&b, m+"\n", x, y, y-3)
			begin = w[len(w)/2:]
		}
		fmt.Fprintf(&b, "BT /F 10 Tf %g %g Td (%s ) Tj ET\n", x, y, begin)
		x += courier * float64(len(begin)+1)
	}
	return append(pages, b.String())
}

// A drawn is a PDF of content streams. Object 3 is the font F, 4 the font G with exchanged letters, 5 a layer;
// objects starts with 6.
type drawn struct {
	pages            []string
	objects          []string
	catalog, page    string // further entries of the catalog and of the first page
	imageX, patternX string // further resources
}

func (d drawn) file() []byte {
	f := newObjects("1.6")
	first := 6 + len(d.objects)
	var kids strings.Builder
	for i := range d.pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i)
	}
	f.object("<</Type/Catalog/Pages 2 0 R" + d.catalog + ">>")
	f.object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 700 842]/Resources<</Font<</F 3 0 R/G 4 0 R>>/Properties<</Off 5 0 R>>%s>>>>", kids.String(), len(d.pages), d.imageX+d.patternX))
	f.object("<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>")
	var names, table strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		fmt.Fprintf(&names, "/%c", turnedLetter(c))
		fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", c, c)
	}
	f.object(fmt.Sprintf("<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[97%s]>>/ToUnicode %d 0 R>>", names.String(), first+2*len(d.pages)))
	f.object("<</Type/OCG/Name(a)>>")
	for _, o := range d.objects {
		f.object(o)
	}
	for i, content := range d.pages {
		entries := ""
		if i == 0 {
			entries = d.page
		}
		f.object(fmt.Sprintf("<</Type/Page/Parent 2 0 R%s/Contents %d 0 R>>", entries, first+2*i+1))
		f.stream(content)
	}
	f.toUnicode(table.String())
	return f.end()
}

// turnedLetter returns the letter that the font G draws for c: 13 letters further.
func turnedLetter(c rune) rune { return 'a' + (c-'a'+13)%26 }

// exchanged sets every second word, or one of eight, in the font G, so that it is drawn as it was copied.
func exchanged(copied, _ []string, thin bool) ([]byte, error) {
	words := slices.Clone(copied)
	for i := range words {
		if i%step(thin) == 1 {
			words[i] = strings.Map(turnedLetter, words[i])
		}
	}
	return drawn{pages: changed(typeset(words, nil), thin, func(_ int, word string) string { return strings.Replace(word, "/F 10", "/G 10", 1) })}.file(), nil
}

// stated draws the copied words and states others.
func stated(copied, own []string, thin bool) ([]byte, error) {
	return drawn{pages: changed(typeset(copied, nil), thin, func(i int, word string) string {
		return "/Span<</ActualText(" + own[i%len(own)] + " )>>BDC\n" + word + "EMC\n"
	})}.file(), nil
}

// changed changes the operators of every second word, or of one of eight.
func changed(pages []string, thin bool, change func(i int, word string) string) []string {
	i := 0
	for p, page := range pages {
		var b strings.Builder
		for word := range strings.SplitAfterSeq(page, "\n") {
			if word != "" && i%step(thin) == 1 {
				word = change(i, word)
			}
			if b.WriteString(word); word != "" {
				i++
			}
		}
		pages[p] = b.String()
	}
	return pages
}

// inForm shows the copied words on the first page by a stream with these entries, object 6.
func inForm(copied, own []string, entries, content, page string) []byte {
	text := typeset(copied, nil)[0]
	if strings.Contains(content, "Masked") {
		text = "1 g " + text
	}
	return drawn{pages: append([]string{content}, typeset(own, nil)...), page: page,
		objects:  []string{fmt.Sprintf("<<%s/BBox[0 0 700 842]/Resources<</Font<</F 3 0 R>>>>/Length %d>>\nstream\n%s\nendstream", entries, len(text), text)},
		patternX: "/Pattern<</P 6 0 R>>/ExtGState<</Masked<</SMask<</S/Luminosity/G 6 0 R>>>>>>"}.file()
}

// A bitmap is a rendered page.
type bitmap struct {
	width, height int
	grey          []byte
}

// rendered draws words with a number of dots per inch and returns the page as a picture, by poppler.
func rendered(words []string, dpi int) (bitmap, error) {
	var m bitmap
	cmd := exec.Command("pdftoppm", "-gray", "-r", strconv.Itoa(dpi), "-f", "1", "-l", "1")
	cmd.Stdin = bytes.NewReader(drawn{pages: typeset(words, nil)}.file())
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("pdftoppm: %w", err)
	}
	var most int
	if _, err := fmt.Sscanf(string(out[:min(len(out), 20)]), "P5\n%d %d\n%d", &m.width, &m.height, &most); err != nil || len(out) < m.width*m.height {
		return m, errors.New("pdftoppm: no picture")
	}
	m.grey = out[len(out)-m.width*m.height:]
	return m, nil
}

// pictured shows the copied words as a picture under own lines; own pages follow.
func pictured(copied, own []string) ([]byte, error) {
	m, err := rendered(copied, 100)
	if err != nil {
		return nil, err
	}
	page := typeset(own, nil)[0]
	lines := 1 + strings.Count(page, "\n")/10
	page += fmt.Sprintf("q 700 0 0 842 0 %g cm /Im Do Q\n", -leading*float64(lines))
	return drawn{pages: append([]string{page}, typeset(own, nil)...), imageX: "/XObject<</Im 6 0 R>>",
		objects: []string{fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream", m.width, m.height, len(m.grey), m.grey)}}.file(), nil
}

// traced draws the letters of the copied words as rectangles, a path for each row, on a page after an own one.
func traced(copied, own []string, _ bool) ([]byte, error) {
	m, err := rendered(copied, 300)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	sx, sy := 700/float64(m.width), 842/float64(m.height)
	for y := range m.height {
		row := m.grey[y*m.width : (y+1)*m.width]
		for x := 0; x < m.width; x++ {
			from := x
			for x < m.width && row[x] < 128 {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "%.2f %.2f %.2f %.2f re ", sx*float64(from), 842-sy*float64(y+1), sx*float64(x-from), sy)
			}
		}
		b.WriteString("f\n")
	}
	return drawn{pages: append(typeset(own, nil), b.String())}.file(), nil
}
