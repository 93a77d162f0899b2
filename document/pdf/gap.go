package pdf

import "slices"

// Invisible letters between two visible ones leave a gap, which is a space or not as the reader
// sees it: compared with the spaces of the line.
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
		if r.units[i] > ' ' && r.sizeIn(r.text, i) >= smallShare*size {
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
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// generated reports whether the engine added the spaces after the visible character a up to b.
func (r *reader) generated(a, b int) bool {
	for i := a + 1; i < b; i++ {
		if r.units[i] == ' ' && r.seen[i] == "" && r.engine.int(fnGenerated, uint64(r.text), uint64(i)) != 1 {
			return false
		}
	}
	return true
}
