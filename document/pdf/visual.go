package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/bidi"
)

// Texts from right to left are stored in the order in which they are read, in that of their places, or letter
// by letter, and the engine's order depends on it. So the places of the characters alone decide here: sorted from left
// to right, and reversed as the Unicode Bidirectional Algorithm (UAX #9) reverses them for display, which is its own
// inverse for the texts of lines.

// isRightToLeft reports whether u is a letter of a script from right to left.
func isRightToLeft(u uint16) bool {
	return (0x590 <= u && u < 0x900 || 0xFB1D <= u && u < 0xFEFD) && unicode.IsLetter(rune(u))
}

// logical puts the characters of lines with letters from right to left in the order in which they are read. The texts of
// stated have replacements.
func (r *reader) logical(stated map[handle][]*actual) {
	if !slices.ContainsFunc(r.units, isRightToLeft) {
		return
	}
	type span struct {
		from, to int
		letters
	}
	var lines []span
	var all letters // of these lines
	for from, to := 0, 0; from < len(r.units); from = to + 1 {
		for to = from; to < len(r.units) && !endsLine(r.units[to]); to++ {
		}
		if line := directed(r.units[from:to]); line.right > 0 && r.isLevel(from, to) {
			lines = append(lines, span{from, to, line})
			all.left, all.right = all.left+line.left, all.right+line.right
		}
	}
	order := make([]int, len(r.units))
	for i := range order {
		order[i] = i
	}
	for _, l := range lines {
		r.orderLine(order[l.from:l.to], stated, l.isRightToLeft(all))
	}
	r.units, r.places, r.order = permuted(r.units, order), permuted(r.places, order), order
	if r.objects != nil {
		r.objects = permuted(r.objects, order)
	}
}

// permuted returns the elements of a list in an order of their indices.
func permuted[E any](list []E, order []int) []E {
	ordered := make([]E, len(order))
	for i, at := range order {
		ordered[i] = list[at]
	}
	return ordered
}

// at returns the engine's index of a character.
func (r *reader) at(i int) uint64 {
	if r.order == nil {
		return uint64(i)
	}
	return uint64(r.order[i])
}

// letters counts letters by their direction.
type letters struct{ left, right int }

// directed counts the letters of a text.
func directed(units []uint16) (n letters) {
	for _, u := range units {
		switch {
		case isRightToLeft(u):
			n.right++
		case isLetter(u) && !unicode.IsDigit(rune(u)):
			n.left++
		}
	}
	return n
}

// isRightToLeft reports whether a line with these letters runs from right to left, if the lines of its page with such
// letters have the other ones.
func (n letters) isRightToLeft(page letters) bool {
	return 2*(float64(n.right)+pageLetters*float64(page.right)/float64(page.left+page.right)) > float64(n.left+n.right)+pageLetters
}

// pageLetters is the number of letters of a line that weigh as much as those of its page.
const pageLetters = 40

// isLevel reports whether the letters from right to left among the characters [from, to) have about one height.
func (r *reader) isLevel(from, to int) bool {
	low, high, size := math.Inf(1), math.Inf(-1), 0.0
	for i := from; i < to; i++ {
		if _, y, ok := r.origin(i); ok && isRightToLeft(r.units[i]) {
			low, high, size = min(low, y), max(high, y), max(size, r.size(i))
		}
	}
	return high-low < size
}

// A sign is one or more characters that stay together: those of one glyph, and a letter with its marks.
type sign struct {
	at    []int  // the engine's indices
	text  handle // of the page, 0 for a character that the engine adds
	place box
	size  float64
	class bidi.Class
	level int
}

// orderLine orders the characters of a line, of which order has the engine's indices. rightToLeft is the direction of
// its paragraph.
func (r *reader) orderLine(order []int, stated map[handle][]*actual, rightToLeft bool) {
	signs := r.sorted(r.signs(order, stated))
	setLevels(signs, rightToLeft)
	for level := 2; level > 0; level-- {
		for from, to := 0, 0; from < len(signs); from = to + 1 {
			for to = from; to < len(signs) && signs[to].level >= level; to++ {
			}
			slices.Reverse(signs[from:to])
		}
	}
	n := 0
	for _, s := range signs {
		n += copy(order[n:], s.at)
	}
}

// sorted sorts the signs of a line from left to right. Signs of one text of the page stay together, up to a gap, as
// they may overlap those of other texts, which may also be its copies.
func (r *reader) sorted(signs []sign) []sign {
	byLeft := func(a, b sign) int { return cmp.Compare(a.place.left, b.place.left) }
	var runs [][]sign
	signs, spaces := r.withoutLoose(signs)
	for from, to := 0, 0; from < len(signs); from = to {
		for to = from + 1; to < len(signs) && signs[to].text == signs[from].text; to++ {
		}
		run := signs[from:to]
		slices.SortStableFunc(run, byLeft)
		start := 0
		for i := 1; i < len(run); i++ {
			if run[i].place.left-run[i-1].place.right > runGap*run[i].size {
				runs, start = append(runs, run[start:i]), i
			}
		}
		runs = append(runs, run[start:])
	}
	slices.SortStableFunc(runs, func(a, b []sign) int { return byLeft(a[0], b[0]) })
	return r.spaced(slices.Concat(runs...), spaces)
}

// withoutLoose returns the signs without, and those of, the spaces whose places do not state where they are: those that
// the engine adds, and those that are drawn within a letter.
func (r *reader) withoutLoose(signs []sign) (rest, spaces []sign) {
	for i, s := range signs {
		loose := s.place.right <= s.place.left || s.text == 0
		for _, j := range []int{i - 1, i + 1} {
			loose = loose || j >= 0 && j < len(signs) && math.Abs(s.place.left-signs[j].place.left) < addedGap*s.size
		}
		switch last := len(rest) - 1; {
		case r.units[s.at[0]] != ' ' || !loose:
			rest = append(rest, s)
		case last >= 0 && rest[last].class == bidi.R && s.text != 0 && s.text == rest[last].text && (last == 0 || s.text != rest[last-1].text || rest[last].place.left < rest[last-1].place.left):
			rest[last].at = append(rest[last].at, s.at...) // in a text that the engine has in the order of reading
		default:
			spaces = append(spaces, s)
		}
	}
	return rest, spaces
}

// spaced returns the signs of a line with spaces, as many as there are, in its widest gaps.
func (r *reader) spaced(signs, spaces []sign) []sign {
	type gap struct {
		at    int // before this sign
		width float64
	}
	var gaps []gap
	for i := 1; i < len(signs); i++ {
		a, b := &signs[i-1], &signs[i]
		if g := (gap{i, b.place.left - a.place.right}); g.width >= addedGap*b.size && r.units[a.at[0]] != ' ' && r.units[b.at[len(b.at)-1]] != ' ' {
			gaps = append(gaps, g)
		}
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Compare(b.width, a.width) })
	gaps = gaps[:min(len(gaps), len(spaces))]
	slices.SortFunc(gaps, func(a, b gap) int { return cmp.Compare(a.at, b.at) })
	list := make([]sign, 0, len(signs)+len(spaces))
	for i, s := range signs {
		if len(gaps) > 0 && gaps[0].at == i {
			list = append(list, spaces[0])
			gaps, spaces = gaps[1:], spaces[1:]
		}
		list = append(list, s)
	}
	for _, s := range spaces {
		r.units[s.at[0]] = dropped
	}
	return append(list, spaces...)
}

// Least gaps relative to the font size.
const (
	addedGap = 0.05 // that is a space if the line has one without a place
	runGap   = 0.5  // of a text, in which others may be
)

// signs returns the signs of a line.
func (r *reader) signs(order []int, stated map[handle][]*actual) []sign {
	var signs []sign
	for _, i := range order {
		class := classOf(r.units[i])
		b, _ := r.charBox(i)
		text := r.objectOf(i)
		if n := len(signs) - 1; n >= 0 && (r.units[i] == dropped || text == signs[n].text && b == signs[n].place) {
			signs[n].at = append(signs[n].at, i)
			continue
		}
		form := r.formOf(i)
		signs = append(signs, sign{at: []int{i}, text: text, place: b, size: r.size(i) * math.Hypot(form.c, form.d), class: class})
	}
	for i := range signs {
		if s := &signs[i]; len(s.at) > 1 && (s.class == bidi.NSM || isAlef(r.units[s.at[0]]) && r.units[s.at[1]] == lam && len(stated[s.text]) == 0) {
			slices.Reverse(s.at) // the engine reverses the characters of one glyph, too
			s.class = classOf(r.units[s.at[0]])
		}
	}
	for i := range signs {
		if signs[i].class != bidi.NSM {
			continue
		}
		if base := r.baseOf(signs, i); base >= 0 {
			b := &signs[base]
			b.at, b.place.left = append(b.at, signs[i].at...), min(b.place.left, signs[i].place.left)
			signs[i].at = nil
		}
	}
	return slices.DeleteFunc(signs, func(s sign) bool { return s.at == nil })
}

// lam is the Arabic letter that forms one glyph with the alef after it.
const lam = 0x644

func isAlef(u uint16) bool { return u == 0x622 || u == 0x623 || u == 0x625 || u == 0x627 || u == 0x671 }

// baseOf returns the letter of a mark, -1 if it has none: of the letters around it one of its text, above or below which it
// is drawn, one of its text, or the nearest.
func (r *reader) baseOf(signs []sign, mark int) int {
	ink, _ := r.inkBox(signs[mark].at[0])
	middle, base, most := (ink.left+ink.right)/2, -1, 0
	for _, by := range []int{-1, 1, -2, 2, -3, 3} {
		i := mark + by
		if i < 0 || i >= len(signs) || signs[i].class == bidi.NSM {
			continue
		}
		fit := 1
		if signs[i].text == signs[mark].text {
			if fit++; middle >= signs[i].place.left && middle <= signs[i].place.right {
				fit++
			}
		}
		if fit > most {
			base, most = i, fit
		}
	}
	return base
}

// classOf returns the class of a character, as far as it decides: a letter from left to right (L) or from right to left (R),
// a digit (EN), a separator or sign of numbers (CS, ET), a mark (NSM), or another (ON).
func classOf(u uint16) bidi.Class {
	p, _ := bidi.LookupRune(rune(u))
	switch class := p.Class(); {
	case utf16.IsSurrogate(rune(u)):
		return bidi.L
	case class == bidi.AL:
		return bidi.R
	case class == bidi.AN && unicode.IsDigit(rune(u)):
		return bidi.EN
	case class == bidi.ES || class == bidi.AN:
		return bidi.CS
	case class == bidi.L || class == bidi.R || class == bidi.EN || class == bidi.CS || class == bidi.ET || class == bidi.NSM:
		return class
	}
	return bidi.ON
}

// setLevels sets the levels of signs from left to right: even for text from left to right.
func setLevels(signs []sign, rightToLeft bool) {
	base, strong := 0, bidi.R
	if rightToLeft {
		base, strong = 1, bidi.L
	}
	last := -1 // the last sign of a text in the other direction
	for i := range signs {
		s := &signs[i]
		s.level = base
		if last >= 0 && i > 0 && s.place.left-signs[i-1].place.right > columnGap*s.size {
			last = -1
		}
		switch {
		case s.class == strong, last >= 0 && rightToLeft && s.class == bidi.EN:
			if last >= 0 {
				for j := last + 1; j < i; j++ {
					signs[j].level = max(signs[j].level, base+1)
				}
			}
			s.level, last = base+1, i
		case s.class == bidi.L || s.class == bidi.R:
			last = -1
		}
	}
	for i := range signs {
		if s := &signs[i]; s.level == 1 && isNumeric(signs, i) {
			s.level = 2
		}
	}
}

// isNumeric reports whether a sign is part of a number.
func isNumeric(signs []sign, i int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(signs) && signs[i].class == bidi.EN }
	switch signs[i].class {
	case bidi.EN:
		return true
	case bidi.CS:
		return digit(i-1) && digit(i+1)
	case bidi.ET:
		return digit(i-1) || digit(i+1)
	}
	return false
}
