package pdf

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
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
	for w := range strings.FieldsSeq(strings.ToLower(string(utf16.Decode(units)))) {
		if w = strings.TrimFunc(w, isBeside); len(w) < 2 || strings.ContainsFunc(w, isForeign) {
			continue
		}
		words++
		if commonWords[w] {
			common++
		}
	}
	return words < least || float64(common) >= commonShare*float64(words)
}

// isBeside reports whether a character is punctuation at the ends of words.
func isBeside(r rune) bool {
	switch r {
	case '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '„', '“', '”', '"', '\'':
		return true
	}
	return false
}

// isForeign reports whether a character does not occur in words that are judged.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && !strings.ContainsRune("áéíóúýčďěňřšťůžäöüß", r)
}

// IsLanguage reports whether the lines of a page form words, or are too few to judge.
func (p *Page) IsLanguage() bool {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString(l.Text + "\n")
	}
	return isLanguage(utf16.Encode([]rune(b.String()))) && !isJumble(b.String())
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
			if unicode.IsLower(before) && unicode.IsUpper(r) || isSign(r) {
				jumbled++
				break
			}
			before = r
		}
	}
	return pieces >= wordsOfPage && jumbled*2 > pieces
}

// isSign reports whether a character is within no word of a script that separates words by spaces.
func isSign(r rune) bool {
	return (r < 0x370 || 0x2012 <= r && r < 0x2066) && !unicode.In(r, unicode.L, unicode.M, unicode.Cf) && !strings.ContainsRune("-'’·", r)
}

// testedLetters are the letters that are compared.
const testedLetters = "abcdefghijklmnopqrstuvwxyz"

// A knownShape is the shape of a letter in a known font.
type knownShape struct {
	shape
	dots, least int // squares with ink, and how many are left after a small shift
}

// knownLetters has the shapes of each tested letter in the standard fonts, in the order of letters and
// fonts: eight bytes for each row, compressed.
//
//go:embed letters.zlib
var knownLetters []byte

// known returns these shapes by letter.
var known = sync.OnceValue(func() (letters [len(testedLetters)][]knownShape) {
	r, err := zlib.NewReader(bytes.NewReader(knownLetters))
	for i := 0; err == nil; i++ {
		var k knownShape
		if err = binary.Read(r, binary.LittleEndian, &k.shape); err == nil {
			k.dots, k.least = k.count()
			letters[i/standardFonts] = append(letters[i/standardFonts], k)
		}
	}
	return letters
})

// standardFonts is the number of fonts that every engine has: [TestKnown] lists them.
const standardFonts = 7

// Thresholds of the similarity of two shapes: a shape with a similarity of at least sure counts as
// recognised; it contradicts its mapping if it is more similar to another letter by the margin
// below.
const (
	sure       = 0.6
	contradict = 0.15
)

// swapped returns pairs such as a→e of mapped and drawn letters of the page that differ; "" if they
// are few. The first page that is not in a language is postponed until there is a second one, since
// a single one is usually a table of contents or a listing.
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

// A census counts how often samples of a letter are drawn, and as which other letters.
type census struct {
	times [len(testedLetters)]int
	votes [len(testedLetters)][len(testedLetters)]int
}

// count compares samples of the letters that of accepts with the rendered page, on which no other text is drawn. most is the number of
// samples of each letter to draw; ok is false if one of them shows nothing.
func (r *reader) count(page handle, of func(i int) bool, most int) (c census, ok bool) {
	chars, area := r.sampled(of, most)
	sampled := map[handle]bool{}
	for _, i := range chars {
		sampled[r.objectOf(i)] = true
	}
	r.activateText(false, sampled)
	d, drawn := r.draw(page, area)
	r.activateText(true, sampled)
	if !drawn {
		return c, true
	}
	defer r.release(&d.picture)
	ok = true
	for _, i := range chars {
		letter := r.units[i] - 'a'
		if c.times[letter] == samples {
			continue
		}
		s, shown := d.shape(i)
		if ok = ok && shown; !shown {
			continue
		}
		c.times[letter]++
		if as, ok := recognise(s, int(letter)); ok {
			c.votes[letter][as]++
		}
	}
	return c, ok
}

// pairs compares the letters that of accepts with the rendered page. If a sample shows nothing, such as a letter in white, others are
// looked for.
func (r *reader) pairs(page handle, of func(i int) bool) string {
	found, ok := r.count(page, of, samples)
	if !ok {
		found, _ = r.count(page, of, mostSampled)
	}
	var pairs []string
	tested := 0
	for c := range testedLetters {
		if found.times[c] == 0 {
			continue
		}
		tested++
		for as, n := range found.votes[c] {
			if as != c && n*2 > found.times[c] {
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

// sampled returns at most this many samples of each letter among the first letters that of accepts, and the area of the page that has them.
func (r *reader) sampled(of func(i int) bool, most int) (chars []int, area box) {
	var times [len(testedLetters)]int
	left := mostSampled
	for i, u := range r.units {
		if u < 'a' || u > 'z' || !of(i) {
			continue
		}
		if left--; left < 0 {
			break
		}
		if times[u-'a'] == most || !r.comparable(i) {
			continue
		}
		if b, ok := r.charBox(i); ok {
			times[u-'a']++
			chars, area = append(chars, i), area.around(b)
		}
	}
	return chars, area.wider(margin)
}

// recognise returns the letter of a shape; ok is false if the shape may be the mapped letter,
// or is unknown. It compares only shapes with about as many squares, since others are not similar enough.
func recognise(s shape, said int) (letter int, ok bool) {
	letters := known()
	own, best, as := 0.0, 0.0, 0
	for _, k := range letters[said] {
		own = max(own, alike(s, k.shape))
	}
	isOther := func(a float64) bool { return a >= sure && a-own >= contradict }
	if !isOther(1) {
		return 0, false
	}
	dots, _ := s.count()
	for j := range letters {
		for _, k := range letters[j] {
			most := float64(min(dots, k.dots)) / float64(max(dots, k.least, 1)) // similarity
			if j == said || !isOther(most) {
				continue
			}
			if a := alike(s, k.shape); a > best {
				best, as = a, j
			}
		}
	}
	return as, isOther(best)
}
