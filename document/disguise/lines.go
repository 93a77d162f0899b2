package disguise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Where whole sentences are spaced, lines end within words as well as between them, since
// every letter is a word to the program that broke them; and the digits of numbers are
// spaced, too. That is undone where spaced words are frequent.

// often reports whether spaced words are frequent, and are looked for with less caution.
func (u *undoer) often() bool { return u.minSpaced == minOften }

// leastRow is how many words are spaced one after the other where the numbers beside them
// are, too.
const leastRow = 3

// leastLine is how many bytes a line has at least that a program broke.
const leastLine = 40

// gap returns how wide the space after a letter is. Where the line ends it is one that
// others may be.
func (u *undoer) gap(at int) width {
	r, _ := utf8.DecodeRuneInString(u.in[at:])
	if u.often() && (r == '\n' || r == '\r') {
		return usual
	}
	return widthOf(r)
}

// nextLine returns the letter that is alone at the start of the next line, if the line
// ends here and may do so within a word, and how many bytes they take.
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

// learn remembers a spaced word for the second look, unless the line starts
// or ends there: it may be a piece.
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

// know makes the vocabulary, if there is none.
func (u *undoer) know() {
	if u.known == nil {
		u.known = vocabulary(u.in)
	}
}

// isApart reports whether a row of letters has more than a space beside it, as words of
// a sentence have whose letters a space is between.
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

// cutLines cuts a row of letters into words, some of which lines may break. Each line
// is one word where the row is apart.
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

// breaksWord reports whether a line ends within a word, of which it has the tail, and
// the next line the head.
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
	rareBreaks = 5 // ends of lines between words for one within
	sureWord   = 3 // times that a word is there which is no piece of another
)

// times returns how often a word is in the text, about.
func (u *undoer) times(w string) int {
	u.know()
	n := u.joined[w]
	if n == 0 && u.known[w] {
		n = 1
	}
	return n
}

// digits joins the digits at from that are alone one after the other, where they follow a
// spaced word, and returns where they end.
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

// digit returns the digit that is alone after one gap at the start of s, with a sign that
// joins numbers before it perhaps, and how many bytes they take, 0 if there is none.
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

// loneDigit returns the digit that is alone at the start of s, and how many bytes it takes.
func loneDigit(s string) (string, int) {
	r, n := utf8.DecodeRuneInString(s)
	after, _ := utf8.DecodeRuneInString(s[n:])
	if !unicode.IsDigit(r) || unicode.IsDigit(after) || unicode.IsLetter(after) {
		return "", 0
	}
	return s[:n], n
}
