package disguise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minSpaced is the least number of single letters in a row that make a spaced word: four in a
// row occur as words, as in "i a o v". After a spaced word two are enough, and minOften if one
// in often bytes of the text is in such words.
const (
	minSpaced = 5
	minOften  = 3
	often     = 2000
)

// single processes a word of one letter with the single letters after it and returns their
// end.
func (u *undoer) single(w word) int {
	if w.scripts[other] > 0 {
		return u.undoWord(w) // perhaps Chinese, which has no spaces
	}
	from, to := w.start, w.end
	gap := u.gap(to)
	var b strings.Builder
	b.WriteString(u.in[from:to])
	end, letters, upper := to, 1, 0
	first, _ := utf8.DecodeRuneInString(u.in[from:])
	capital := unicode.IsUpper(first)
	for gap > 0 && from >= u.tried && alone(u.in, from) && u.going() {
		next, n := u.letter(u.in[end:], gap)
		if n == 0 {
			next, n = u.nextLine(end, gap)
		}
		if n == 0 || unicode.IsUpper(next) && !capital {
			break // a capital after small letters starts another word
		}
		b.WriteString(withoutGaps(u.in[end : end+n]))
		if capital = unicode.IsUpper(next); capital {
			upper++
		}
		end, letters = end+n, letters+1
	}
	if !u.isSpaced(strings.ReplaceAll(b.String(), "\n", ""), from, letters, upper) {
		if letters == 1 && u.follows(from) {
			u.spaced = end // a word of one letter
			u.learn(from, end, u.in[from:to])
		}
		u.tried = max(u.tried, end)
		return u.undoWord(w)
	}
	u.settle(other)
	start := u.now(from)
	joined := u.cutLines(u.within(b.String()), u.isApart(from, end))
	u.change(from, end, joined)
	u.words, u.row, u.letters = u.words+1, u.row+1, u.letters+letters
	u.learn(from, end, joined)
	u.find(Find{Spaced, start, start + len(joined), letters, "letters separated by spaces"})
	u.latin, u.spaced = true, end
	return end
}

// letter returns the single letter after one gap at the start of s, after an optional
// apostrophe or hyphen, and the number of bytes; 0 if there is none.
func (u *undoer) letter(s string, widest width) (rune, int) {
	before := gapBefore(s, widest)
	if before == 0 {
		return 0, 0
	}
	if r, n := utf8.DecodeRuneInString(s[before:]); u.often() && strings.ContainsRune("'’-‐‑", r) {
		// A sign inside a spaced word is separated from its letters, too.
		size := gapBefore(s[before+n:], widest)
		if size == 0 {
			return 0, 0
		}
		before += n + size
	}
	r, n := loneLetterAt(s[before:])
	if n == 0 {
		return 0, 0
	}
	return r, before + n
}

// loneLetterAt returns the single letter at the start of s and its size in bytes, 0 if there
// is none.
func loneLetterAt(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	after, _ := utf8.DecodeRuneInString(s[n:])
	if !unicode.IsLetter(r) || unicode.IsLetter(after) || unicode.IsDigit(after) || unicode.IsMark(after) {
		return 0, 0
	}
	return r, n
}

// isSpaced reports whether a row of single letters is a word: it is long enough, its letters
// differ, are of one case, and are not in alphabetical order.
func (u *undoer) isSpaced(word string, from, letters, upper int) bool {
	if upper > 0 && upper < letters-1 {
		return false
	}
	if u.follows(from) {
		return letters >= 2
	}
	return letters >= u.minSpaced && u.plausible(word, letters) && !u.sequence(word)
}

// plausible reports whether letters can be a word: scanners turn dirt into rows of letters in
// which one letter prevails.
func (u *undoer) plausible(word string, letters int) bool {
	times, most := map[rune]int{}, 0
	for _, r := range strings.ToLower(word) {
		times[r]++
		most = max(most, times[r])
	}
	if u.often() {
		return len(times) > 1 && most*2 <= letters+1
	}
	return len(times) > 2 && most*2 < letters
}

// cut splits letters into several words if each of them occurs elsewhere in the text;
// otherwise they are one word.
func (u *undoer) cut(letters string) string {
	u.know()
	lower := []rune(strings.ToLower(letters))
	runes := []rune(letters)
	if len(lower) != len(runes) || len(runes) > maxCut || u.known[string(lower)] {
		return letters
	}
	// fewest[i] is the least number of words in the first i letters, and last[i] the start of
	// the last of them.
	fewest, last := make([]int, len(lower)+1), make([]int, len(lower)+1)
	for to := 1; to <= len(lower); to++ {
		for from := max(0, to-maxWord); from < to; from++ {
			if (from == 0 || fewest[from] > 0) && u.known[string(lower[from:to])] {
				if n := fewest[from] + 1; fewest[to] == 0 || n < fewest[to] {
					fewest[to], last[to] = n, from
				}
			}
		}
	}
	if n := fewest[len(lower)]; n == 0 || n*2 > len(lower) {
		return u.cutFirst(runes, lower)
	}
	var words []string
	for to := len(runes); to > 0; to = last[to] {
		if n := to - last[to]; u.brief && len(runes) <= longWord && 1 < n && n < cutStart {
			return u.cutFirst(runes, lower)
		}
		words = append(words, string(runes[last[to]:to]))
	}
	slices.Reverse(words)
	return strings.Join(words, " ")
}

// cutFirst separates the first letter if it can be a word, and the text has words that start
// like the rest but none that start like the whole.
func (u *undoer) cutFirst(runes, lower []rune) string {
	if len(lower) <= cutStart || !u.known[string(lower[:1])] ||
		u.known[string(lower[:cutStart])+"…"] || !u.known[string(lower[1:1+cutStart])+"…"] {
		return string(runes)
	}
	return string(runes[:1]) + " " + string(runes[1:])
}

// cutStart is how many letters at the start of words are compared.
const cutStart = 4

// briefWord is the maximum average length, in letters, of a spaced word if a row seldom has
// several words, and longWord the least length of a word from which no short words are split.
const (
	briefWord = 8
	longWord  = 14
)

// Limits for cut: letters in a row, letters in a word, and bytes of text whose words are
// known.
const (
	maxCut       = 1000
	maxWord      = 30
	maxVocabular = 4 << 20
)

// lettersAsWords are single-letter words of some languages.
const lettersAsWords = "aeikosuvwyzáéóàè" + "аивкосуя"

// vocabulary returns the words at the start of a text in lower case, and their first letters
// followed by an ellipsis. It includes short words, which may be parts of words, only if they
// are frequent.
func vocabulary(text string) map[string]bool {
	if len(text) > maxVocabular {
		text = text[:maxVocabular]
	}
	lower := strings.ToLower(text)
	times := make(map[string]int, len(lower)/64)
	long, alone := false, "" // the previous word is long; it is a single letter after a long word
	for at := 0; at < len(lower); {
		from, end := nextWord(lower, at)
		if from == end {
			break
		}
		w := lower[from:end]
		single := len(w) <= utf8.UTFMax && utf8.RuneCountInString(w) == 1
		if alone != "" && !single {
			times[alone]++
		}
		if alone = ""; !single {
			times[w]++
		} else if long {
			alone = w
		}
		long, at = !single, end
	}
	known := make(map[string]bool, 2*len(times))
	for w, n := range times {
		if start := firstLetters(w, cutStart); start != "" {
			known[start+"…"] = true
		}
		switch utf8.RuneCountInString(w) {
		case 1:
			known[w] = strings.Contains(lettersAsWords, w) && n > len(text)/5_000
		case 2:
			known[w] = n > len(text)/5_000
		case 3:
			known[w] = n > len(text)/20_000
		default:
			known[w] = true
		}
	}
	return known
}

// follows reports whether a spaced word ended before from, with no letter in between if spaced
// words are frequent, otherwise with only spaces in between.
func (u *undoer) follows(from int) bool {
	if u.spaced == 0 || from-u.spaced > maxBetween {
		return false
	}
	between := u.in[u.spaced:from]
	if u.often() {
		return strings.IndexFunc(between, unicode.IsLetter) < 0
	}
	return len(between) <= 8 && strings.TrimSpace(between) == ""
}

// maxBetween is the maximum number of bytes of signs and numbers between two spaced words.
const maxBetween = 40

// alone reports whether no letter or digit is directly before from.
func alone(text string, from int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:from])
	return from == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
}

// sequence reports whether letters are in alphabetical order, as the answers of a test, the
// columns of a table and the rows of a cipher are; the first letter of the alphabet may follow the last, and some
// may be missing if spaced words are not frequent.
func (u *undoer) sequence(letters string) bool {
	runes, span := []rune(strings.ToLower(letters)), 0
	for i := 1; i < len(runes); i++ {
		step := int(runes[i] - runes[i-1])
		if step < 0 {
			step += 'z' - 'a' + 1
		}
		if step <= 0 {
			return false
		}
		span += step
	}
	return span < len(runes) || span < 2*len(runes) && !u.often()
}

// nextWord returns the range of the first run of letters after at, empty if there is none. It
// does not decode Latin letters of one and two bytes.
func nextWord(text string, at int) (from, end int) {
	from = -1
	for at < len(text) {
		c, size, letter := text[at], 1, false
		switch {
		case c < utf8.RuneSelf:
			letter = isASCIILetter(c)
		case 0xC4 <= c && c <= 0xC8 && at+1 < len(text):
			size, letter = 2, true // U+0100 to U+023F
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(text[at:])
			letter = unicode.IsLetter(r)
		}
		if letter && from < 0 {
			from = at
		} else if !letter && from >= 0 {
			return from, at
		}
		at += size
	}
	if from < 0 {
		from = at
	}
	return from, at
}

// firstLetters returns the first count characters of a word, "" if it has fewer.
func firstLetters(word string, count int) string {
	end := 0
	for range count {
		if end == len(word) {
			return ""
		}
		_, size := utf8.DecodeRuneInString(word[end:])
		end += size
	}
	return word[:end]
}
