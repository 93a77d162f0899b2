package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// pdfHiders are ways to hide text in a PDF.
func pdfHiders() (all []hider) {
	for _, w := range []struct{ name, mark string }{
		{"letters on a layer that is off", "/OC /Off BDC BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET EMC"},
		{"letters outside their clip path", "q 0 0 1 1 re W n BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters compressed to hardly any width", "BT /F 10 Tf .5 Tz %[1]g %[2]g Td (xq) Tj ET BT 100 Tz ET"},
		{"letters under white boxes", "BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET 1 g %[1]g %[3]g 12 12 re f 0 g"},
		{"letters in the colour of a box", ".8 .9 1 rg %[1]g %[3]g 12 12 re f BT /F 10 Tf %[1]g %[2]g Td (xq) Tj ET 0 g"},
		{"white letters of 2.5 pt", "1 g BT /F 2.5 Tf %[1]g %[2]g Td (xq) Tj ET 0 g"},
		{"invisible letters of 3.5 pt", "BT 3 Tr /F 3.5 Tf %[1]g %[2]g Td (xq) Tj 0 Tr ET"},
		{"white letters of 5 pt", "1 g BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET 0 g"},
		{"letters with white outlines", "q 1 G BT 1 Tr /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters under their own white outlines", "q 1 G 2 w BT 2 Tr /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters with a dash that paints nothing", "q [0 9000] 0 d BT 1 Tr /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters with a line outside the gaps of its dash", "q [1 9000] 5000 d BT 1 Tr /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters in a pattern that paints nothing", "q /Pattern cs /Blank scn BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters in a pattern of no colour that paints nothing", "q /Uncoloured cs 0 0 0 /Plain scn BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters in a white shading", "q /Pattern cs /White scn BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters with a blend mode that hides them", "q 1 g %[1]g %[3]g 12 12 re f 0 g /Screened gs BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters with a soft mask", "q /Shut gs BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters in a form with a soft mask", "q /Shut gs 1 0 0 1 %[1]g %[2]g cm /Letters Do Q"},
		{"letters in a form with a blend mode that hides them", "q 1 g %[1]g %[3]g 12 12 re f 0 g /Screened gs 1 0 0 1 %[1]g %[2]g cm /Letters Do Q"},
		{"letters in a hole of their clip path", "q 0 0 700 842 re %[1]g %[3]g 12 12 re W* n BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters clipped by a letter", "q BT /F 10 Tf 7 Tr 20 20 Td (a) Tj ET BT 0 Tr /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters in the colour none", "q /None cs 1 scn BT /F 5 Tf %[1]g %[2]g Td (xq) Tj ET Q"},
		{"letters on a picture of their colour", "q 12 0 0 12 %[1]g %[3]g cm /Grey Do Q BT .9 g /F 10 Tf %[1]g %[2]g Td (xq) Tj 0 g ET"},
		{"letters on a shading of their colour", "q %[1]g %[3]g 12 12 re W n /Even sh Q BT .9 g /F 10 Tf %[1]g %[2]g Td (xq) Tj 0 g ET"},
		{"letters whose glyphs paint nothing", "BT /Empty 5 Tf %[1]g %[2]g Td (xq) Tj ET"},
		{"letters raised off the page", "BT /F 10 Tf %[1]g %[2]g Td 2000 Ts (xq) Tj 0 Ts ET"},
		{"letters off the page", "BT /F 10 Tf %[1]g 2000 Td (xq) Tj ET"},
	} {
		all = append(all, hider{"PDF, words", w.name, func(copied, _ []string, thin bool) ([]byte, error) {
			return drawn{pages: typeset(copied, func(i int) string {
				if i%step(thin) != 1 {
					return ""
				}
				return w.mark
			}), catalog: "/OCProperties<</OCGs[5 0 R]/D<</OFF[5 0 R]>>>>", fonts: "/Empty 12 0 R", resources: veiling, objects: veilingObjects(strings.Contains(w.mark, "/Plain"))}.file(), nil
		}})
	}
	all = append(all,
		hider{"PDF, words", "words in a font with exchanged letters", exchanged},
		hider{"PDF, words", "other words stated than drawn (ActualText)", stated},
		hider{"PDF, words", "other words stated than drawn, by glyphs of a word each", glyphWords},
		hider{"PDF", "words drawn in any order", func(copied, _ []string, _ bool) ([]byte, error) {
			pages := typeset(copied, nil)
			for i, p := range pages {
				pages[i] = reordered(p, func(a, b int) int { return a*7919%1009 - b*7919%1009 })
			}
			return drawn{pages: pages}.file(), nil
		}},
		hider{"PDF", "words drawn column by column", func(copied, _ []string, _ bool) ([]byte, error) {
			pages := typeset(copied, nil)
			for i, p := range pages {
				pages[i] = reordered(p, func(a, b int) int { return a%9 - b%9 })
			}
			return drawn{pages: pages}.file(), nil
		}},
		hider{"PDF", "field that shows other words than its value", func(copied, own []string, _ bool) ([]byte, error) {
			text := typeset(copied, nil)[0]
			return drawn{pages: typeset(own[:20], nil), page: "/Annots[7 0 R]", catalog: "/AcroForm<</Fields[7 0 R]>>", objects: []string{
				fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 700 842]/Resources<</Font<</F 3 0 R>>>>/Length %d>>\nstream\n%s\nendstream", len(text), text),
				"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F 4/Rect[0 0 700 842]/V(" + strings.Join(own, " ") + ")/AP<</N 6 0 R>>>>",
			}}.file(), nil
		}},
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

// veiling has the resources of ways to hide letters: paints that paint nothing or white, and a picture and a
// shading of one grey.
const veiling = "/Pattern<</Blank 6 0 R/Plain 7 0 R/White<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 700 0]/Extend[true true]/Function<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>>>>>>>" +
	"/Shading<</Even<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 700 0]/Extend[true true]/Function<</FunctionType 2/Domain[0 1]/C0[.9]/C1[.9]/N 1>>>>>>" +
	"/ExtGState<</Screened<</BM/Screen>>/Shut<</SMask<</S/Luminosity/G 8 0 R>>>>>>" +
	"/ColorSpace<</Uncoloured[/Pattern/DeviceRGB]/None[/Separation/None/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>]>>" +
	"/XObject<</Letters 9 0 R/Grey 10 0 R>>"

// veilingObjects returns the objects of veiling, starting with object 6, and the font Empty. The pattern
// Plain has the current colour only on demand, as any text of the file may then be of a pattern.
func veilingObjects(uncoloured bool) []string {
	plain := "/PaintType 1"
	if uncoloured {
		plain = "/PaintType 2"
	}
	stream := func(entries, content string) string {
		return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
	}
	const form = "/Type/XObject/Subtype/Form/BBox[0 0 700 842]/Resources<</Font<</F 3 0 R>>>>/Group<</S/Transparency/CS/DeviceGray>>"
	const tile = "/Type/Pattern/PatternType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>"
	return []string{
		stream(tile+"/PaintType 1", ""),
		stream(tile+plain, ""),
		stream(form, ""),
		stream(form, "BT /F 5 Tf (xq) Tj ET"),
		stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "\xE6"),
		stream("", "600 0 0 0 600 600 d1"),
		"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 600]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 113/LastChar 120/Widths[600 600 600 600 600 600 600 600]/CharProcs<</n 11 0 R>>/Encoding<</Differences[113/n 120/n]>>/Resources<<>>/ToUnicode 13 0 R>>",
		stream("", "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <71> <0071> <78> <0078> endbfchar endcmap end end"),
	}
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
	fonts, resources string // further resources
}

func (d drawn) file() []byte {
	f := newObjects("1.6")
	first := 6 + len(d.objects)
	var kids strings.Builder
	for i := range d.pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i)
	}
	f.object("<</Type/Catalog/Pages 2 0 R" + d.catalog + ">>")
	f.object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 700 842]/Resources<</Font<</F 3 0 R/G 4 0 R%s>>/Properties<</Off 5 0 R>>%s>>>>", kids.String(), len(d.pages), d.fonts, d.resources))
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

// reordered returns a page with its words, of a line each, in another order of their numbers.
func reordered(page string, order func(a, b int) int) string {
	words := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	var list []int
	for i := range words {
		list = append(list, i)
	}
	slices.SortStableFunc(list, order)
	var b strings.Builder
	for _, i := range list {
		b.WriteString(words[i] + "\n")
	}
	return b.String()
}

// hexadecimal returns the digits of a text in UTF-16.
func hexadecimal(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04x", u)
	}
	return b.String()
}

// glyphWords draws the copied words by glyphs of a font of type 3, for every second word or one of eight, and
// states others.
func glyphWords(copied, own []string, thin bool) ([]byte, error) {
	const first, last = 33, 255
	code := first
	var differences, procedures, table strings.Builder
	d := drawn{fonts: "/Words 6 0 R"}
	var glyphs []string
	d.pages = changed(typeset(copied, nil), thin, func(i int, word string) string {
		at, end := strings.Index(word, "("), strings.Index(word, ")")
		if code > last {
			return word
		}
		text := word[at+1 : end]
		fmt.Fprintf(&differences, "/w%d", code)
		fmt.Fprintf(&procedures, "/w%d %d 0 R", code, 8+len(glyphs))
		fmt.Fprintf(&table, "1 beginbfchar <%02x> <%s> endbfchar\n", code, hexadecimal(own[i%len(own)]))
		stream := fmt.Sprintf("%d 0 d0 BT /F 1000 Tf (%s) Tj ET", 600*len(text), text)
		glyphs = append(glyphs, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(stream), stream))
		code++
		return strings.Replace(word[:at], "/F", "/Words", 1) + fmt.Sprintf("<%02x>", code-1) + word[end+1:]
	})
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n" + table.String() + "endcmap end end"
	widths := strings.Repeat("3000 ", last-first+1)
	d.objects = append([]string{
		fmt.Sprintf("<</Type/Font/Subtype/Type3/FontBBox[0 0 9000 900]/FontMatrix[.001 0 0 .001 0 0]/FirstChar %d/LastChar %d/Widths[%s]/CharProcs<<%s>>/Encoding<</Differences[%d%s]>>/Resources<</Font<</F 3 0 R>>>>/ToUnicode 7 0 R>>",
			first, last, widths, procedures.String(), first, differences.String()),
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(cmap), cmap),
	}, glyphs...)
	return d.file(), nil
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
		objects:   []string{fmt.Sprintf("<<%s/BBox[0 0 700 842]/Resources<</Font<</F 3 0 R>>>>/Length %d>>\nstream\n%s\nendstream", entries, len(text), text)},
		resources: "/Pattern<</P 6 0 R>>/ExtGState<</Masked<</SMask<</S/Luminosity/G 6 0 R>>>>>>"}.file()
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
	return drawn{pages: append([]string{page}, typeset(own, nil)...), resources: "/XObject<</Im 6 0 R>>",
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
