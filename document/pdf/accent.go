package pdf

import (
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TeX fonts without Central European letters draw accents separately, and the engine returns
// them anywhere in the line, with spaces around: «mo ˇ znosti». Only their position shows to
// which letter they belong.

// dropped replaces a character that is not text.
const dropped = 0xFFFF

// accentMarks maps separately drawn accents to combining marks. Control characters are those
// of TeX's oldest fonts without a character mapping.
var accentMarks = map[uint16]rune{
	'´': '\u0301', '`': '\u0300', 'ˇ': caron, '˚': '\u030A', '¨': '\u0308', 'ˆ': '\u0302', '˜': '\u0303', '¯': '\u0304',
	'˘': '\u0306', '˙': '\u0307', '˝': '\u030B', '¸': '\u0327', '˛': '\u0328',
	0x12: '\u0300', 0x13: '\u0301', 0x14: caron, 0x15: '\u0306', 0x16: '\u0304', 0x17: '\u030A', 0x18: '\u0327',
}

const caron = '\u030C'

// accentReach is the maximum distance, in characters, of an accent from its letter.
const accentReach = 150

// A glyph is the position of a character in its line.
type glyph struct {
	known              bool
	left, right        float64
	bottom, lineHeight float64
}

func (g glyph) middle() float64 { return (g.left + g.right) / 2 }

// accents combines the accents of the page with their letters.
func (r *reader) accents() {
	glyphs := make([]glyph, len(r.units))
	for i, u := range r.units {
		mark, ok := accentMarks[u]
		at, letter := i-1, r.overComma(i)
		if ok {
			at, letter = r.letterOf(i, mark, glyphs)
		}
		if letter == 0 {
			continue
		}
		if mark == caron {
			r.carons++
		}
		r.units[at] = letter
		r.units[i] = dropped
		r.closeUp(i, at, glyphs)
	}
}

// overComma returns the Romanian letter of the character before a smaller comma under it, 0 if i is no such
// comma.
func (r *reader) overComma(i int) uint16 {
	if r.units[i] != ',' || i == 0 {
		return 0
	}
	at := strings.IndexByte("sStT", byte(min(r.units[i-1], 'z')))
	if at < 0 || r.statedSize(i) >= r.statedSize(i-1) {
		return 0
	}
	comma, cok := r.charBox(i)
	letter, lok := r.charBox(i - 1)
	if middle := (comma.left + comma.right) / 2; !cok || !lok || comma.bottom >= letter.bottom || !letter.holds(middle, letter.top) {
		return 0
	}
	return [...]uint16{'ș', 'Ș', 'ț', 'Ț'}[at]
}

// letterOf returns the letter under the accent at i and the composed character; -1 if there is
// none.
func (r *reader) letterOf(i int, mark rune, glyphs []glyph) (int, uint16) {
	letters, accent := composed()[mark], r.glyph(i, glyphs)
	best, letter, nearest := -1, uint16(0), math.Inf(1)
	for step := 2; step < 2*accentReach; step++ {
		j := i + step/2
		if step%2 == 1 {
			j = i - step/2
		}
		if j < 0 || j >= len(r.units) {
			continue
		}
		u := plainLetter(r.units[j])
		if u < 'A' || u > 'z' || letters[u-'A'] == 0 {
			continue
		}
		g := r.glyph(j, glyphs)
		if !g.known || !accent.known || math.Abs(g.bottom-accent.bottom) > 0.5*g.lineHeight {
			continue
		}
		// Above a slanted letter the accent is to the right of its middle.
		off := math.Abs(accent.middle() - g.middle() - 0.03*g.lineHeight)
		if off < (g.right-g.left)/2+0.1*g.lineHeight && off < nearest {
			best, letter, nearest = j, letters[u-'A'], off
		}
		if nearest < 0.06*accent.lineHeight {
			break // no other can be nearer
		}
	}
	return best, letter
}

// composed maps each mark to the composed letters from A to z, 0 where none exists.
var composed = sync.OnceValue(func() map[rune]*['z' - 'A' + 1]uint16 {
	all := map[rune]*['z' - 'A' + 1]uint16{}
	for _, mark := range accentMarks {
		all[mark] = new(['z' - 'A' + 1]uint16)
		for l := 'A'; l <= 'z'; l++ {
			if both := []rune(norm.NFC.String(string([]rune{l, mark}))); unicode.IsLetter(l) && len(both) == 1 {
				all[mark][l-'A'] = uint16(both[0])
			}
		}
	}
	// TeX draws the bar of the Croatian letter as a macron.
	all['\u0304']['d'-'A'], all['\u0304']['D'-'A'] = 'đ', 'Đ'
	return all
})

// plainLetter returns the letter without an accent, i for the dotless i.
func plainLetter(u uint16) uint16 {
	switch u {
	case 'ı':
		return 'i'
	case 'ȷ':
		return 'j'
	}
	return u
}

// closeUp removes the spaces beside the removed accent at i, unless its neighbours are apart.
// Above a tall letter the accent is so high, and a comma so low, that the engine adds a line end after it,
// which is removed, too.
func (r *reader) closeUp(i, letter int, glyphs []glyph) {
	from, to := i, i+1
	for from > 0 && blank(r.units[from-1]) {
		from--
	}
	for to < len(r.units) && blank(r.units[to]) {
		to++
	}
	next := to
	for next < len(r.units) && (blank(r.units[next]) || endsLine(r.units[next])) {
		next++
	}
	if from > 0 && next < len(r.units) && r.level(from-1, next, glyphs) {
		if b := r.glyph(next, glyphs); next <= letter || b.left-r.glyph(from-1, glyphs).right <= 0.1*b.lineHeight {
			to = next
		}
	}
	apart := true
	if from > 0 && to < len(r.units) && !endsLine(r.units[from-1]) && !endsLine(r.units[to]) {
		a, b := r.glyph(from-1, glyphs), r.glyph(to, glyphs)
		gap := b.left - a.right
		apart = gap > 0.1*b.lineHeight || gap < -b.lineHeight
	}
	for ; from < to; from++ {
		if apart && (r.units[from] == ' ' || endsLine(r.units[from])) {
			r.units[from] = ' '
			apart = false // one space stays
			continue
		}
		r.units[from] = dropped
	}
}

// level reports whether two characters are on one line, the second after the first.
func (r *reader) level(i, j int, glyphs []glyph) bool {
	a, b := r.glyph(i, glyphs), r.glyph(j, glyphs)
	return a.known && b.known && math.Abs(a.bottom-b.bottom) < 0.1*b.lineHeight && b.left > a.left
}

func blank(u uint16) bool { return u == ' ' || u == dropped }

// glyph returns the position of the character at i.
func (r *reader) glyph(i int, glyphs []glyph) glyph {
	if !glyphs[i].known {
		b, ok := r.charBox(i)
		if !ok {
			return glyph{}
		}
		glyphs[i] = glyph{true, b.left, b.right, b.bottom, b.top - b.bottom}
	}
	return glyphs[i]
}

// looseAccents reports whether the page may draw accents separately.
func (r *reader) looseAccents() bool {
	for i, u := range r.units {
		if accentMarks[u] != 0 || r.overComma(i) != 0 {
			return true
		}
	}
	return false
}

// manyCarons is the number of separately drawn carons in a file above which apostrophes are
// read as the carons of d, t and l.
const manyCarons = 10

var apostrophes = strings.NewReplacer("d’", "ď", "t’", "ť", "l’", "ľ", "L’", "Ľ")

// apostrophes restores the carons of d, t and l that such fonts draw as apostrophes.
func (r *reader) apostrophes(f *File) {
	if r.carons < manyCarons {
		return
	}
	for _, p := range f.Pages {
		for i := range p.Lines {
			p.Lines[i].Text = apostrophes.Replace(p.Lines[i].Text)
		}
	}
}
