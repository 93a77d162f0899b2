package normalize

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many combining marks on one character count. No script stacks
// so many; without a limit one character could fill the memory. Even when each
// is two marks in one they stay under the 30 past which x/text, as the
// Stream-Safe Text Format of Unicode has it, puts a joiner between them.
const maxMarks = 12

// isMark reports whether the character at the start of s joins the one before
// it: an accent, or a part of a Hangul syllable.
func isMark(t *table, s string) (size int, ok bool) {
	if s == "" || s[0] < firstMarkByte {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(s)
	if r < tableSize {
		return size, t.mark[r]
	}
	if r == utf8.RuneError {
		return size, false
	}
	return size, !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// unit returns the length of the character at the start of s with all marks on
// it, and that of the part that counts: 0 for a byte that is not UTF-8. Unicode
// calls texts equivalent that write a unit in different ways, so nothing
// smaller is ever looked at.
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

// fold appends the composed lower-case form of a unit to dst.
func fold(dst []byte, s string) []byte {
	if len(s) == 1 {
		return append(dst, byte(lowerRune(rune(s[0]))))
	}
	var buf [8 * utf8.UTFMax]byte
	return appendLower(dst, norm.NFC.AppendString(buf[:0], s))
}

// appendLower appends the lower-case form of a composed unit to dst. It
// composes once more, since J with a caron has no capital letter of its own.
func appendLower(dst, composed []byte) []byte {
	var buf [8 * utf8.UTFMax]byte
	low := buf[:0]
	runes := 0
	for _, r := range string(composed) {
		low = utf8.AppendRune(low, lowerRune(r))
		runes++
	}
	if runes == 1 {
		return append(dst, low...)
	}
	return norm.NFC.Append(dst, low...)
}
