package disguise

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minSpaced is how many single letters in a row make a word that was spaced:
// four in a row occur as words, as in "i a o v". After a spaced word two are
// enough.
const minSpaced = 5

// single takes the letter in [from, to), after which no letter comes, and the
// others that follow it one by one. It returns where they end.
func (u *undoer) single(from, to int) int {
	gap, size := utf8.DecodeRuneInString(u.in[to:])
	var b strings.Builder
	b.WriteString(u.in[from:to])
	end, letters, upper := to, 1, 0
	for isSpace(gap) && alone(u.in, from) {
		next, n := letter(u.in[end:], gap, size)
		if n == 0 {
			break
		}
		b.WriteString(u.in[end+size : end+n])
		if unicode.IsUpper(next) {
			upper++
		}
		end, letters = end+n, letters+1
	}
	if !u.isSpaced(b.String(), from, letters, upper) {
		if letters == 1 && u.follows(from) {
			u.spaced = end // a word of one letter
		}
		return u.word(from)
	}
	u.settle(other)
	start := u.now(from)
	u.change(from, end, b.String())
	u.find(Find{Spaced, start, start + b.Len(), letters, "letters parted by spaces"})
	u.latin, u.spaced = true, end
	return end
}

// letter returns the letter that stands alone after one gap at the start of s,
// and how many bytes the two take: 0 if there is none.
func letter(s string, gap rune, size int) (rune, int) {
	if !strings.HasPrefix(s, string(gap)) {
		return 0, 0
	}
	r, n := utf8.DecodeRuneInString(s[size:])
	after, _ := utf8.DecodeRuneInString(s[size+n:])
	if !unicode.IsLetter(r) || unicode.IsLetter(after) || unicode.IsDigit(after) || unicode.IsMark(after) {
		return 0, 0
	}
	return r, size + n
}

// isSpaced reports whether letters that stand alone one after the other are a
// word: they are enough, not all the same, of one case, and no alphabet.
func (u *undoer) isSpaced(word string, from, letters, upper int) bool {
	if upper > 0 && upper < letters-1 {
		return false
	}
	if u.follows(from) {
		return letters >= 2
	}
	distinct := map[rune]bool{}
	for _, r := range word {
		distinct[r] = true
	}
	return letters >= minSpaced && len(distinct) > 2 && !sequence(word)
}

// follows reports whether a spaced word ended right before from.
func (u *undoer) follows(from int) bool {
	return u.spaced > 0 && from-u.spaced <= 8 && strings.TrimSpace(u.in[u.spaced:from]) == ""
}

// alone reports whether no letter or digit stands right before from.
func alone(text string, from int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:from])
	return from == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
}

// sequence reports whether letters are those of the alphabet in its order, as
// the answers of a test or the columns of a table are.
func sequence(letters string) bool {
	last := rune(0)
	for _, r := range strings.ToLower(letters) {
		if r <= last {
			return false
		}
		last = r
	}
	return true
}
