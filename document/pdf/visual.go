package pdf

import (
	"slices"
	"unicode"
)

// The engine returns some texts from right to left in the order of their places, from left to right, if a
// file moves back after each letter.

// isRightToLeft reports whether u is a letter of a script from right to left.
func isRightToLeft(u uint16) bool {
	return (0x590 <= u && u < 0x900 || 0xFB1D <= u && u < 0xFEFD) && unicode.IsLetter(rune(u))
}

// logical puts the texts from right to left whose letters have rising places in the order in which they are
// read.
func (r *reader) logical() {
	if !slices.ContainsFunc(r.units, isRightToLeft) {
		return
	}
	reversed := false
	for from, to := 0, 0; from < len(r.units); from = to {
		for to = from + 1; to < len(r.units) && r.objectOf(to) == r.objectOf(from); to++ {
		}
		if r.objectOf(from) == 0 || !r.rises(from, to) {
			continue
		}
		reversed = true
		units := r.units[from:to]
		slices.Reverse(units)
		for start, end := 0, 0; start < len(units); start = end + 1 { // numbers and words of other scripts
			for end = start; end < len(units) && units[end] > ' ' && !isRightToLeft(units[end]); end++ {
			}
			slices.Reverse(units[start:end])
		}
	}
	for i := 1; reversed && i+1 < len(r.units); i++ { // spaces that the engine adds between texts that touch
		if r.units[i] == ' ' && r.objectOf(i) == 0 && isRightToLeft(r.units[i-1]) && isRightToLeft(r.units[i+1]) {
			if gap := r.bounds(r.objectOf(i-1)).left - r.bounds(r.objectOf(i+1)).right; gap < missingGap*r.size(i-1) {
				r.units[i] = dropped
			}
		}
	}
}

// rises reports whether the letters from right to left among the characters [from, to) of a text follow each
// other from left to right.
func (r *reader) rises(from, to int) bool {
	rising, all, last := 0, -1, 0.0
	for i := from; i < to; i++ {
		if !isRightToLeft(r.units[i]) {
			continue
		}
		b, ok := r.charBox(i)
		if all++; ok && all > 0 && b.left > last {
			rising++
		}
		last = b.left
	}
	return all > 0 && 2*rising > all
}
