package pdf

import (
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TeX's fonts without letters of Central Europe draw accents by themselves, and
// the engine gives them anywhere in the line, with spaces around: «mo ˇ znosti».
// Only their place says to which letter they belong.

// dropped stands for a character that is no text.
const dropped = 0xFFFF

// accentMarks are the accents that may be drawn by themselves, as combining
// marks. Control characters are those of TeX's oldest fonts where nothing says
// what their characters mean.
var accentMarks = map[uint16]rune{
	'´': '\u0301', '`': '\u0300', 'ˇ': caron, '˚': '\u030A', '¨': '\u0308', 'ˆ': '\u0302', '˜': '\u0303', '¯': '\u0304',
	'˘': '\u0306', '˙': '\u0307', '˝': '\u030B', '¸': '\u0327', '˛': '\u0328',
	0x12: '\u0300', 0x13: '\u0301', 0x14: caron, 0x15: '\u0306', 0x16: '\u0304', 0x17: '\u030A', 0x18: '\u0327',
}

const caron = '\u030C'

// accentReach is how many characters off an accent its letter is looked for.
const accentReach = 150

// A glyph is the place that a character takes in its line.
type glyph struct {
	known              bool
	left, right        float64
	bottom, lineHeight float64
}

func (g glyph) middle() float64 { return (g.left + g.right) / 2 }

// accents puts the accents of the page on their letters.
func (r *reader) accents() {
	glyphs := make([]glyph, len(r.units))
	for i, u := range r.units {
		mark, ok := accentMarks[u]
		if !ok {
			continue
		}
		at, letter := r.letterOf(i, mark, glyphs)
		if at < 0 {
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

// letterOf returns the letter that is under the accent at i, and what both
// are; -1 without one.
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
		// A slanted letter has its accent to the right of its middle.
		off := math.Abs(accent.middle() - g.middle() - 0.03*g.lineHeight)
		if off < (g.right-g.left)/2+0.1*g.lineHeight && off < nearest {
			best, letter, nearest = j, letters[u-'A'], off
		}
		if nearest < 0.06*accent.lineHeight {
			break // nothing can be nearer
		}
	}
	return best, letter
}

// composed are the letters from A to z with each mark, 0 where there is none
// such.
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
	return all
})

// plainLetter returns the letter that an accent is put on: i for one without its
// dot.
func plainLetter(u uint16) uint16 {
	switch u {
	case 'ı':
		return 'i'
	case 'ȷ':
		return 'j'
	}
	return u
}

// closeUp takes away the spaces beside the accent at i that was taken out, unless its
// neighbours are apart. Above a tall letter the accent is so high that the engine ends
// the line after it: that goes, too.
func (r *reader) closeUp(i, letter int, glyphs []glyph) {
	from, to := i, i+1
	for from > 0 && blank(r.units[from-1]) {
		from--
	}
	for to < len(r.units) && blank(r.units[to]) {
		to++
	}
	if from > 0 && to < letter && endsLine(r.units[to]) && r.level(from-1, letter, glyphs) {
		for to < letter && (blank(r.units[to]) || endsLine(r.units[to])) {
			to++
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

// glyph returns where the character at i is.
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

// looseAccents reports whether the page may draw accents by themselves.
func (r *reader) looseAccents() bool {
	for _, u := range r.units {
		if accentMarks[u] != 0 {
			return true
		}
	}
	return false
}

// manyCarons is how many carons a file draws by themselves before apostrophes
// are taken for the carons of d, t and l.
const manyCarons = 10

var apostrophes = strings.NewReplacer("d’", "ď", "t’", "ť", "l’", "ľ", "L’", "Ľ")

// apostrophes puts the carons on d, t and l that fonts of that kind draw as an
// apostrophe.
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
