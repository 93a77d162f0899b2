package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// Limits for words of an unusual spelling.
const (
	longLatin  = 40 // letters of a word that is certainly several words
	longArabic = 25 // the same in scripts that omit vowels
	longKorean = 15 // the same in syllables
	loneRow    = 10 // words of one letter in a row that are certainly letters of words
)

// bareVietnamese are frequent words of Vietnamese whose diacritics were left out. They are no
// words of another language.
var bareVietnamese = map[string]bool{
	"khong": true, "duoc": true, "nguoi": true, "nhung": true, "trong": true, "quyen": true, "truong": true, "nhieu": true,
	"viec": true, "cung": true, "phai": true, "cua": true, "thuong": true, "duoi": true, "hoac": true, "nuoc": true, "dieu": true, "moi": true,
}

// spelling adds words that are spelled in a way that is compared less well, if they are more
// than a few: several words without spaces, single letters with spaces,
// Vietnamese without diacritics, and a Cyrillic language in Latin letters. A copy among them shares no words with its source. As a long
// word stands for several, their number in no passage is estimated from their letters.
func (o *omitter) spelling(sus *suspect, open leftOver) {
	count, letters, unseen, all := 0, 0, 0, 0 // words, their letters, those in no passage, all letters
	add := func(from, to, size int) {
		count += to - from
		letters += size
		unseen += size * open.count(from, to) / (to - from)
	}
	for _, x := range sus.stretchesOf(romanizedWords, romanizedGap) {
		add(x.from, x.to, sus.lettersOf(x))
	}
	row := 0 // words of one letter before the current word
	for i := range len(sus.words) + 1 {
		word := ""
		if i < len(sus.words) {
			word = sus.words[i].Text
		}
		if isLoneLetter(word) {
			row++
			all++
			continue
		}
		if row >= loneRow {
			add(i-row, i, row)
		}
		row = 0
		n := utf8.RuneCountInString(word)
		all += n
		if n >= longWord(word) || bareVietnamese[word] {
			add(i, i+1, n)
		}
	}
	if unseen == 0 || letters*100 < telling*all {
		return
	}
	words := (unseen*len(sus.words) + all - 1) / all
	o.add(Unsearched{Kind: UnsearchedSpelling, Count: int64(count), Words: words},
		"%s an unusual spelling (joined without spaces, single letters, Vietnamese without diacritics, or Russian, Ukrainian or Bulgarian in Latin letters), so that copies are not found. In no passage, they are as long as %s of the text",
		plural(int64(count), "word has", "words have"), plural(int64(words), "word", "words"))
}

// isLoneLetter reports whether a word is one letter, with marks, of a script with spaces
// between words.
func isLoneLetter(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsLetter(first) || normalize.Unspaced(first) {
		return false
	}
	for _, r := range word[size:] {
		if !unicode.IsMark(r) {
			return false
		}
	}
	return true
}

// longWord returns the number of characters at which a word of the script of its first letter
// is certainly several words.
func longWord(word string) int {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case unicode.Is(unicode.Hangul, first):
		return longKorean
	case unicode.In(first, unicode.Arabic, unicode.Hebrew, unicode.Syriac):
		return longArabic
	}
	return longLatin
}
