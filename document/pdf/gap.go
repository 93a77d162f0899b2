package pdf

import (
	"slices"
	"unicode"
)

// Invisible letters between two visible ones leave a gap. Readers see it as a space if it is as
// wide as the other spaces of the line.
const (
	leastGap   = 0.15 // least gap of a space relative to the font size
	smallGap   = 1.3  // least gap relative to the spaces of the line, if the letters in the gap are small
	smallShare = 0.8  // size of small letters relative to the line
)

// apart reports whether the gap between the visible characters a and b of the line [from, to)
// looks like a space. Full-size letters replace a space, and so do all letters on a line without
// other spaces; small letters are within a word unless their gap is wider than the spaces of the
// line.
func (r *reader) apart(from, to, a, b int) bool {
	if a < 0 {
		return true
	}
	gap, ok := r.gap(a, b)
	if !ok {
		return true
	}
	size := r.size(a)
	if gap < leastGap*size {
		return false
	}
	for i := a + 1; i < b; i++ {
		if r.units[i] > ' ' && r.statedSize(i) >= smallShare*size {
			return true
		}
	}
	return gap >= smallGap*r.usualGap(from, to)
}

// gap returns the distance of two characters, if b is to the right of a.
func (r *reader) gap(a, b int) (width float64, ok bool) {
	left, aok := r.charBox(a)
	right, bok := r.charBox(b)
	return right.left - left.right, aok && bok && right.right >= left.left && right.bottom < left.top && right.top > left.bottom
}

// usualGap returns the median width of the visible spaces of the line [from, to), 0 if there are
// none.
func (r *reader) usualGap(from, to int) float64 {
	var gaps []float64
	for i := from + 1; i+1 < to; i++ {
		if r.units[i] == ' ' && r.units[i-1] > ' ' && r.units[i+1] > ' ' && r.seen[i-1] == "" && r.seen[i+1] == "" {
			if width, ok := r.gap(i-1, i+1); ok && width > 0 {
				gaps = append(gaps, width)
			}
		}
	}
	return median(gaps)
}

// generated reports whether the engine added the spaces after the visible character a up to b.
func (r *reader) generated(a, b int) bool {
	for i := a + 1; i < b; i++ {
		if r.units[i] == ' ' && r.seen[i] == "" && r.engine.int(fnGenerated, uint64(r.text), r.at(i)) != 1 {
			return false
		}
	}
	return true
}

// Least width of a missing space, beyond the usual distance of the letters of its line: relative to
// the font size, and to the spaces of the line.
const (
	missingGap   = 0.15
	missingAlone = 0.2 // on a line without spaces
	missingShare = 0.5
)

// lastSpaced is the last character of the scripts that separate words by spaces; ideographs follow.
const lastSpaced = 0x2DFF

// distances are distances between the visible characters of a line.
type distances struct {
	letters, spaces []float64
	whole           int       // words of which each is one glyph
	close           []distant // characters beside their predecessor that may miss a space
	single          []distant // Latin, Greek and Cyrillic letters one space after another
	far             []distant // characters after a space that may be in another column
}

// A distant character follows after white space from left to right. If it is to the left of its
// predecessor, right is less than left.
type distant struct {
	index       int
	left, right float64
}

func (d distant) width() float64 { return d.right - d.left }

// Least number of letters in one place that are a word, and the last character of the scripts whose
// ligatures have fewer.
const (
	wholeWord  = 4
	lastSimple = 0x52F
)

// distances measures the line [from, to).
func (r *reader) distances(from, to int) *distances {
	d := &distances{}
	last, before, same := box{}, -1, 0
	for i := from; i < to; i++ {
		if r.units[i] <= ' ' || r.units[i] == dropped || r.seen != nil && r.seen[i] != "" {
			continue
		}
		b, ok := r.charBox(i)
		if !ok {
			before = -1
			continue
		}
		if same++; before < 0 || b != last || r.units[i] > lastSimple || !isLetter(r.units[i]) {
			same = 1
		} else if same == wholeWord {
			d.whole++
		}
		if before >= 0 && b.bottom < last.top && b.top > last.bottom {
			d.add(r.units[before:i+1], distant{i, last.right, b.left})
		}
		last, before = b, i
	}
	return d
}

// add adds the distance between the first and the last of units. The units between them are spaces or
// invisible.
func (d *distances) add(units []uint16, to distant) {
	width := to.width()
	seen := !slices.ContainsFunc(units[1:len(units)-1], func(u uint16) bool { return u > ' ' })
	if seen && (width >= columnGap*minSize || width < -backwards*minSize) {
		d.far = append(d.far, to)
	}
	switch {
	case width < -minSize: // right to left
	case len(units) > 2 && (width >= missingGap*minSize || slices.ContainsFunc(units[1:len(units)-1], func(u uint16) bool { return u != dropped })):
		d.spaces = append(d.spaces, width)
		if len(units) == 3 && max(units[0], units[2]) <= lastSimple && unicode.IsLetter(rune(units[0])) && unicode.IsLetter(rune(units[2])) {
			d.single = append(d.single, to)
		}
	default:
		d.letters = append(d.letters, width)
		if width >= missingGap*minSize && units[0] != '-' && max(units[0], units[1]) <= lastSpaced {
			d.close = append(d.close, to)
		}
	}
}

// missing returns the characters before which the engine omits a space that a reader sees. It ignores
// distances that a file sets as spacing of characters, and compares others with the widths of letters,
// so that up to one space of ten is lost in justified text.
func (r *reader) missing(d *distances) []int {
	if len(d.close) == 0 {
		return nil
	}
	letter, space, least := max(median(d.letters), 0), median(d.spaces), missingGap
	if space == 0 {
		least = missingAlone
	}
	var list []int
	for _, c := range d.close {
		more := c.width() - letter
		if more >= least*r.size(c.index) && more >= missingShare*(space-letter) {
			list = append(list, c.index)
		}
	}
	return list
}

// Distances of the letters of tracked text, as designers set titles and labels.
const (
	leastTracked = 0.08 // relative to the font size
	mostTracked  = 0.6
	evenTracked  = 1.3 // maximum relative to the median
	minTracked   = 4   // least number of such distances on a line
)

// tracked returns the letters before which the engine adds a space to a line with wide letter spacing,
// although a reader sees no more than the usual distance of its letters.
func (r *reader) tracked(d *distances) []int {
	if len(d.single) == 0 {
		return nil
	}
	size, wide := r.size(d.single[0].index), 0
	isWide := func(width float64) bool { return width >= leastTracked*size && width <= mostTracked*size }
	for _, w := range d.letters {
		if isWide(w) {
			wide++
		}
	}
	if wide += len(d.single); wide < minTracked || 2*wide < len(d.letters)+len(d.single) {
		return nil
	}
	widths := slices.Clone(d.letters)
	for _, c := range d.single {
		widths = append(widths, c.width())
	}
	usual := median(widths)
	if !isWide(usual) {
		return nil
	}
	var list []int
	for _, c := range d.single {
		if c.width() <= evenTracked*usual && r.engine.int(fnGenerated, uint64(r.text), r.at(c.index-1)) == 1 {
			list = append(list, c.index)
		}
	}
	return list
}

// Least distances of a character that may be in another column, relative to the font size.
const (
	columnGap = 0.8
	backwards = 6
)

// columns returns the characters that may start another column.
func (r *reader) columns(d *distances) []distant {
	return slices.DeleteFunc(d.far, func(c distant) bool {
		size := r.size(c.index)
		return c.width() < columnGap*size && c.width() > -backwards*size
	})
}

// median returns the median of widths, which it sorts, 0 if there are none.
func median(widths []float64) float64 {
	if len(widths) == 0 {
		return 0
	}
	slices.Sort(widths)
	return widths[len(widths)/2]
}
