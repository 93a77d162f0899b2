package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// Marks of notes are numbers and signs that are smaller and higher than the word before them.
const (
	markSize   = 0.85 // most size relative to the word
	markRaise  = 0.15 // least height above the baseline, relative to the size of the word
	markLength = 8    // most characters
	markWord   = 4    // least letters of the word, as x² and km² are not notes
	markShort  = 2    // the same before a number of 4 or more, which is no exponent of a unit
)

// markSigns are the characters of marks besides digits.
const markSigns = "*†‡,–-[]"

// noteMark returns the end of the mark of a note that starts at character i of the line
// [from, to), 0 if none does. A mark follows a word or its punctuation, perhaps after a space, and
// ends there.
func (r *reader) noteMark(from, to, i int) int {
	before := i
	if i > from && r.units[i-1] == ' ' {
		before--
	}
	if before <= from || !isMarkSign(r.units[i]) || r.seen != nil && r.seen[i] != "" || !r.ended(from, before, r.units[i]) {
		return 0
	}
	end := i
	for end < to && end-i < markLength && isMarkSign(r.units[end]) {
		end++
	}
	if end < to && isLetter(r.units[end]) || !slices.ContainsFunc(r.units[i:end], func(u uint16) bool { return !strings.ContainsRune(",–-[]", rune(u)) }) {
		return 0
	}
	size := r.size(before - 1)
	_, base, ok := r.origin(before - 1)
	if !ok {
		return 0
	}
	for end > i && !r.raised(end-1, base, size) { // punctuation of the line after the mark
		end--
	}
	for j := i; j < end; j++ {
		if !r.raised(j, base, size) {
			return 0
		}
	}
	return end
}

// afterNumber returns the first letter after the raised number of a note that starts the line [from, to), for a
// space before it; none if the line does not start so.
func (r *reader) afterNumber(from, to int) []int {
	end := from
	for end < to && end-from < markLength && isMarkSign(r.units[end]) {
		end++
	}
	if end == from || end == to || !unicode.IsLetter(rune(r.units[end])) {
		return nil
	}
	_, base, ok := r.origin(end)
	size := r.size(end)
	for i := from; i < end; i++ {
		ok = ok && r.raised(i, base, size)
	}
	if !ok {
		return nil
	}
	return []int{end}
}

// raised reports whether a character is small and above a baseline of text of a size.
func (r *reader) raised(i int, base, size float64) bool {
	_, y, ok := r.origin(i)
	return ok && y-base >= markRaise*size && r.size(i) <= markSize*size
}

// ended reports whether a word, perhaps with punctuation, ends before character i of a line that
// starts at from. first is the first character of the mark.
func (r *reader) ended(from, i int, first uint16) bool {
	j := i
	for j > from && i-j < markLength && strings.ContainsRune(".,;:!?\"”“’»)", rune(r.units[j-1])) {
		j--
	}
	letters := 0
	for j-letters > from && letters < markWord && unicode.IsLetter(rune(r.units[j-letters-1])) {
		letters++
	}
	return letters == markWord || letters > 0 && j < i || letters >= markShort && '4' <= first && first <= '9'
}

func isMarkSign(u uint16) bool {
	return '0' <= u && u <= '9' || strings.ContainsRune(markSigns, rune(u))
}
