package normalize

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is the largest number of combining marks on a character that are
// compared; further marks are ignored. No script uses that many, and without a limit
// one character could exhaust the memory. Even if each of them decomposes into
// two, they are fewer than the 30 after which x/text inserts a joiner (Stream-Safe
// Text Format of Unicode).
const maxMarks = 12

// isMark reports whether the character at the start of s combines with the one
// before it, like an accent or a part of a Hangul syllable, and returns its size.
func isMark(t *table, s string) (size int, ok bool) {
	if s == "" || s[0] < firstMarkByte {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(s)
	if r < tableSize {
		return size, t.mark[r]
	}
	switch {
	case r == utf8.RuneError, isPlain(r), 0x3000 <= r && r < 0x302A, 0xFF00 <= r && r < 0xFF66:
		return size, false // errors, and most characters of Chinese, Japanese and Korean
	case isVoicing(r):
		return size, true
	}
	return size, !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// isPlain reports whether a character is a letter of Chinese, Japanese or Korean that
// composition does not change.
func isPlain(r rune) bool {
	return firstChinese <= r && r < 0xA000 || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA || 0xAC00 <= r && r <= 0xD7A3
}

// unit returns the length in bytes of the character at the start of s with all its
// marks, and the length of the part up to maxMarks, which is compared. counts is 0
// for a byte that is not UTF-8. A unit can be written in several canonically
// equivalent ways, so it is always compared as a whole.
func unit(t *table, s string) (size, counts int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		return 1, 0
	}
	if r == '\r' && len(s) > 1 && s[1] == '\n' {
		size = 2
	}
	counts = size
	for marks := 0; ; marks++ {
		n, ok := isMark(t, s[size:])
		if !ok {
			return size, counts
		}
		size += n
		if marks < maxMarks {
			counts = size
		}
	}
}

// A folder composes units and converts them to lower case. It reuses its buffers.
type folder struct {
	composed, lowered, folded []byte
}

// fold returns the composed lower-case form of a unit, valid until the next
// call.
func (f *folder) fold(s string) []byte {
	if len(s) == 1 {
		f.folded = append(f.folded[:0], byte(foldRune(rune(s[0]))))
		return f.folded
	}
	return f.lower(f.compose(s))
}

// compose returns the composed form of a unit, valid until the next call.
func (f *folder) compose(s string) []byte {
	f.composed = f.composed[:0]
	if r, _ := utf8.DecodeRuneInString(s); isForm(r) {
		f.composed = append(f.composed, formOf(s)...)
		return f.composed
	}
	if norm.NFC.QuickSpanString(s) == len(s) { // faster for composed text, as in Thai and Hindi
		f.composed = append(f.composed, s...)
	} else {
		f.composed = norm.NFC.AppendString(f.composed, s)
	}
	return f.composed
}

// lower returns the lower-case form of a composed unit, valid until the next
// call. It composes the result again: J with a caron has no composed capital, but
// its lower-case form is a single character.
func (f *folder) lower(composed []byte) []byte {
	f.lowered = f.lowered[:0]
	runes := 0
	for i := 0; i < len(composed); runes++ {
		r, size := utf8.DecodeRune(composed[i:])
		f.lowered = utf8.AppendRune(f.lowered, foldRune(r))
		i += size
	}
	if runes == 1 || norm.NFC.QuickSpan(f.lowered) == len(f.lowered) {
		return f.lowered
	}
	f.folded = norm.NFC.Append(f.folded[:0], f.lowered...)
	return f.folded
}
