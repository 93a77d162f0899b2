package disguise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// In sentences that are spaced throughout, lines also end inside words, since a program that
// wraps lines treats every letter as a word, and the digits of numbers are spaced, too. This
// file undoes both if spaced words are frequent.

// often reports whether spaced words are frequent, so that thresholds are lower.
func (u *undoer) often() bool { return u.minSpaced == minOften }

// leastRow is the least number of consecutive spaced words beside which numbers are spaced,
// too.
const leastRow = 3

// leastLine is the least length in bytes of a line that a program wrapped.
const leastLine = 40

// gap returns the width of the space after a letter; at a line end, the width that other gaps
// may have.
func (u *undoer) gap(at int) width {
	r, _ := utf8.DecodeRuneInString(u.in[at:])
	if u.often() && (r == '\n' || r == '\r') {
		return usual
	}
	return widthOf(r)
}

// nextLine returns the single letter at the start of the next line and the number of bytes up
// to its end, if the line ends here and may do so inside a word.
func (u *undoer) nextLine(at int, widest width) (rune, int) {
	if !u.often() {
		return 0, 0
	}
	rest := u.in[at:]
	rest = strings.TrimPrefix(rest[gapBefore(rest, widest):], "\r")
	if !strings.HasPrefix(rest, "\n") || at-strings.LastIndexByte(u.in[:at], '\n') < leastLine {
		return 0, 0
	}
	r, n := loneLetterAt(rest[1:])
	if n == 0 {
		return 0, 0
	}
	return r, len(u.in) - at - len(rest) + 1 + n
}

// learn stores a spaced word for the second pass, unless a line starts or ends there, as it
// may be a part of a word.
func (u *undoer) learn(from, end int, joined string) {
	if u.often() {
		return
	}
	before, after := strings.TrimRight(u.in[:from], " "), strings.TrimLeft(u.in[end:], " \r")
	if strings.HasSuffix(before, "\n") || strings.HasPrefix(after, "\n") {
		return
	}
	u.joined[strings.ToLower(joined)]++
}

// know builds the vocabulary if it does not exist.
func (u *undoer) know() {
	if u.known == nil {
		u.known = vocabulary(u.in)
	}
}

// isApart reports whether more than a space separates a row of letters from its neighbours, as
// in sentences whose letters are separated by one space.
func (u *undoer) isApart(from, end int) bool {
	before, last := utf8.DecodeLastRuneInString(u.in[:from])
	after, next := utf8.DecodeRuneInString(u.in[end:])
	if !isSpace(before) || !isSpace(after) {
		return false
	}
	before, _ = utf8.DecodeLastRuneInString(u.in[:from-last])
	after, _ = utf8.DecodeRuneInString(u.in[end+next:])
	return isSpace(before) || isSpace(after)
}

// cutLines splits a row of letters into words, which may continue on the next line. If the row
// is apart, each line is one word.
func (u *undoer) cutLines(letters string, apart bool) string {
	cut := u.cut
	if apart {
		cut = func(word string) string { return word }
	}
	lines := strings.Split(letters, "\n")
	var b strings.Builder
	last := lines[0]
	for _, next := range lines[1:] {
		if u.breaksWord(last, next) {
			last += next
			continue
		}
		b.WriteString(cut(last) + "\n")
		last = next
	}
	return b.String() + cut(last)
}

// breaksWord reports whether a line end is inside a word, with tail before and head after it.
func (u *undoer) breaksWord(tail, head string) bool {
	tail, head = strings.ToLower(tail), strings.ToLower(head)
	whole, first, second := u.times(tail+head), u.times(tail), u.times(head)
	switch {
	case whole > 0 && (first == 0 || second == 0):
		u.broken++
		return true
	case whole == 0 && first > 0 && second > 0:
		u.kept++
		return false
	case whole > 0:
		return whole*len(u.joined) >= first*second
	}
	return u.broken*rareBreaks >= u.kept && max(first, second) < sureWord
}

const (
	rareBreaks = 5 // line ends between words for one inside a word
	sureWord   = 3 // least occurrences of a word that is not part of another
)

// times returns the approximate number of occurrences of a word.
func (u *undoer) times(w string) int {
	u.know()
	n := u.joined[w]
	if n == 0 && u.known[w] {
		n = 1
	}
	return n
}

// digits joins the single digits at from if they follow a spaced word, and returns their end.
func (u *undoer) digits(from int) int {
	first, end := utf8.DecodeRuneInString(u.in[from:])
	end += from
	if u.row < leastRow || !u.follows(from) || !alone(u.in, from) {
		return end
	}
	gap := u.gap(end)
	number := string(first)
	for gap > 0 && u.going() {
		s, n := digit(u.in[end:], gap)
		if n == 0 {
			break
		}
		number += s
		end += n
	}
	if len(number) > 1 {
		start := u.now(from)
		u.change(from, end, number)
		u.find(Find{Spaced, start, start + len(number), len(number), "letters separated by spaces"})
	}
	u.spaced = end
	return end
}

// digit returns the single digit after a gap at the start of s, preceded by an optional sign
// that joins numbers, and the number of bytes; 0 if there is none.
func digit(s string, widest width) (string, int) {
	gap := gapBefore(s, widest)
	r, size := utf8.DecodeRuneInString(s[gap:])
	if gap == 0 {
		return "", 0
	}
	sign := ""
	if strings.ContainsRune("-‐‑–.:/", r) {
		after := gapBefore(s[gap+size:], widest)
		if after == 0 {
			return "", 0
		}
		sign, gap = string(r), gap+size+after
	}
	d, n := loneDigit(s[gap:])
	if n == 0 {
		return "", 0
	}
	return sign + d, gap + n
}

// loneDigit returns the single digit at the start of s and its size in bytes.
func loneDigit(s string) (string, int) {
	r, n := utf8.DecodeRuneInString(s)
	after, _ := utf8.DecodeRuneInString(s[n:])
	if !unicode.IsDigit(r) || unicode.IsDigit(after) || unicode.IsLetter(after) {
		return "", 0
	}
	return s[:n], n
}
