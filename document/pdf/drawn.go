package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A font maps its glyphs to characters, but may draw other letters. Then people and programs
// read different texts. The mapped text has no words: a page with hardly any common word of
// any language is rendered, and its glyphs are compared with those of known fonts.

// commonWords are the most common words of languages in Latin script, if they have only
// unaccented letters.
var commonWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`the of and to in is that it for was as on with be by at
		se na je že to do by ale jako za po pro si od byl sa nie som ako
		nie do jest na po jak od za der die und den von zu das mit des auf ist im nicht ein eine
		de la le et les des en un une du que est pour qui dans par el los las del una con no por es
		di e il che per non sono da del della os um uma com do no na een het van dat niet och att det som en
		az egy hogy nem is meg og til av er som i su koji sa u si la din pe cu care ja on ei ne
		és bir bu ve ile olarak olan daha gibi ir yra kad kaip iš arba bei nuo yang dan untuk dengan pada ini dari dalam adalah tidak atau
		että tai kun ovat kui see mis ar par kas kao ili kot ali pri tudi af til den ang mga kwa katika els amb dhe`) {
		m[w] = true
	}
	return m
}()

// Limits for rendering, and thresholds for findings.
const (
	wordsOfPage = 60  // least words of a page that is judged
	commonShare = 0.1 // least share of common words of a page that is language
	maxDrawn    = 40  // maximum number of rendered pages of a file
	maxHonest   = 3   // maximum number of these without a finding
	samples     = 3   // samples of each letter
	minLetters  = 8   // least different letters of a page that is judged
)

// isLanguage reports whether the characters of a page form words, or are too few to judge.
func isLanguage(units []uint16) bool { return isLanguageOf(units, wordsOfPage) }

// isLanguageOf is like isLanguage for a text that can be judged from this number of words on.
func isLanguageOf(units []uint16, least int) bool {
	words, common := 0, 0
	for _, w := range strings.Fields(strings.ToLower(string(utf16.Decode(units)))) {
		if w = strings.Trim(w, ".,;:!?()[]„“”\"'"); strings.Trim(w, "abcdefghijklmnopqrstuvwxyzáéíóúýčďěňřšťůžäöüß") != "" || len(w) < 2 {
			continue
		}
		words++
		if commonWords[w] {
			common++
		}
	}
	return words < least || float64(common) >= commonShare*float64(words)
}

// isJumble reports whether most of the letters on a page form no words in any script, such as
// when glyphs are numbered in order of use.
func isJumble(text string) bool {
	pieces, jumbled := 0, 0
	for piece := range strings.FieldsSeq(text) {
		w := strings.TrimFunc(piece, func(r rune) bool { return !unicode.IsLetter(r) })
		if len(w) < 2 {
			continue
		}
		pieces++
		before := ' '
		for _, r := range w {
			if unicode.IsLower(before) && unicode.IsUpper(r) || r < utf8.RuneSelf && !unicode.IsLetter(r) && r != '-' && r != '\'' {
				jumbled++
				break
			}
			before = r
		}
	}
	return pieces >= wordsOfPage && jumbled*2 > pieces
}

// testedLetters are the letters that are compared.
const testedLetters = "abcdefghijklmnopqrstuvwxyz"

// knownFonts are the standard fonts, which every engine has.
var knownFonts = []string{"Helvetica", "Times-Roman", "Times-Italic", "Helvetica-Bold", "Times-Bold", "Helvetica-Oblique", "Courier"}

// known has the shapes of the letters of the known fonts.
var known struct {
	once    sync.Once
	letters [len(testedLetters)][]shape
}

// specimen returns a PDF with the letters, a line for each known font.
func specimen() []byte {
	var buf bytes.Buffer
	var fonts, lines strings.Builder
	for i, f := range knownFonts {
		fmt.Fprintf(&fonts, "/F%d<</Type/Font/Subtype/Type1/BaseFont/%s>>", i, f)
		for j, c := range testedLetters {
			fmt.Fprintf(&lines, "BT /F%d 12 Tf %d %d Td (%c) Tj ET\n", i, 20+20*j, 30+30*i, c)
		}
	}
	fmt.Fprintf(&buf, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 300]/Resources<</Font<<%s>>>>/Contents 4 0 R>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n", fonts.String(), lines.Len(), lines.String())
	return buf.Bytes()
}

// learn renders the letters of the known fonts once.
func (r *reader) learn() {
	known.once.Do(func() {
		m := r.engine
		s := &reader{ctx: r.ctx, engine: m, pauses: drawPauses}
		if s.open(specimen()) != nil {
			return
		}
		page := m.handle(fnLoadPage, uint64(s.doc), 0)
		defer m.call(fnClosePage, uint64(page))
		text := m.handle(fnTextLoadPage, uint64(page))
		defer m.call(fnTextClosePage, uint64(text))
		d, ok := s.draw(page, text, everywhere)
		if !ok {
			return
		}
		for i := range m.int(fnCountChars, uint64(text)) {
			if at := strings.IndexRune(testedLetters, rune(m.call(fnUnicode, uint64(text), uint64(i)))); at >= 0 {
				if s, ok := d.shape(i); ok {
					known.letters[at] = append(known.letters[at], s)
				}
			}
		}
	})
}

// Thresholds of the similarity of two shapes: from sure on a shape counts as recognised; it
// contradicts its mapping if it is more similar to another letter by the margin below.
const (
	sure       = 0.6
	contradict = 0.15
)

// swapped returns pairs such as a→e of mapped and drawn letters of the page that differ; "" if
// they are few. The first page without language is postponed until there is a second, as
// single ones are tables of contents or listings.
func (r *reader) swapped(page handle, index int) string {
	jumble := isJumble(string(utf16.Decode(r.units)))
	if jumble {
		r.jumbles++
	}
	if !jumble && isLanguage(r.units) {
		return ""
	}
	if r.strange++; r.strange == 1 {
		r.waiting = index
		return ""
	}
	return r.contradicted(page, everyChar)
}

// waited examines the postponed page if other pages are strange, too, or if it is the only
// page.
func (r *reader) waited(f *File) {
	if r.strange == 0 || r.strange == 1 && len(f.Pages) > 2 {
		r.strange = 0
		return
	}
	if r.drawn > 0 && r.drawn == r.honest || f.Pages[r.waiting].Swapped != "" {
		return
	}
	m := r.engine
	page := m.handle(fnLoadPage, uint64(r.doc), uint64(r.waiting))
	defer m.call(fnClosePage, uint64(page))
	r.text = m.handle(fnTextLoadPage, uint64(page))
	defer m.call(fnTextClosePage, uint64(r.text))
	if page != 0 && r.text != 0 && r.load() == nil {
		f.Pages[r.waiting].Swapped = r.contradicted(page, everyChar)
	}
}

func everyChar(int) bool { return true }

// contradicted returns the letter pairs of the characters of the loaded page that of accepts.
func (r *reader) contradicted(page handle, of func(i int) bool) string {
	if r.blind || r.drawn >= maxDrawn || r.honest >= maxHonest {
		return ""
	}
	r.drawn++
	r.honest++
	pairs := r.pairs(page, of)
	if pairs != "" {
		r.honest--
	}
	return pairs
}

// pairs compares the letters that of accepts with the rendered page.
func (r *reader) pairs(page handle, of func(i int) bool) string {
	r.learn()
	d, ok := r.draw(page, r.text, r.sampled(of))
	if !ok {
		return ""
	}
	var times [len(testedLetters)]int
	var votes [len(testedLetters)][len(testedLetters)]int
	for i, u := range r.units {
		if u < 'a' || u > 'z' || times[u-'a'] == samples || !of(i) {
			continue
		}
		if s, ok := d.shape(i); ok {
			times[u-'a']++
			if as, ok := recognise(s, int(u-'a')); ok {
				votes[u-'a'][as]++
			}
		}
	}
	var pairs []string
	tested := 0
	for c := range testedLetters {
		if times[c] == 0 {
			continue
		}
		tested++
		for as, n := range votes[c] {
			if as != c && n*2 > times[c] {
				pairs = append(pairs, fmt.Sprintf("%c→%c", testedLetters[c], testedLetters[as]))
			}
		}
	}
	if tested < minLetters || len(pairs)*4 < tested {
		return ""
	}
	return strings.Join(pairs, " ")
}

// mostSampled is the number of letters that are looked through for samples. Letters that do not occur among
// them are rare, and rendering the rest of the page for them took most of the time for a file.
const mostSampled = 800

// sampled returns the area of the page with the first letters that of accepts.
func (r *reader) sampled(of func(i int) bool) box {
	var area box
	left := mostSampled
	for i, u := range r.units {
		if u < 'a' || u > 'z' || !of(i) {
			continue
		}
		if b, ok := r.charBox(i); ok {
			area = area.around(b)
		}
		if left--; left == 0 {
			break
		}
	}
	return box{area.left - margin, area.bottom - margin, area.right + margin, area.top + margin}
}

// recognise returns the letter of a shape; ok is false if the shape may be the mapped letter,
// or is unknown.
func recognise(s shape, said int) (letter int, ok bool) {
	own, best, as := 0.0, 0.0, 0
	for j := range known.letters {
		for _, k := range known.letters[j] {
			switch a := alike(s, k); {
			case j == said:
				own = max(own, a)
			case a > best:
				best, as = a, j
			}
		}
	}
	return as, best >= sure && best-own >= contradict
}
