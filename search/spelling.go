package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
)

// Limits for words of an unusual spelling.
const (
	longLatin  = 40 // letters of a word that is certainly several words
	longArabic = 25 // the same in scripts that omit vowels
	longKorean = 15 // the same in syllables
	loneRow    = 10 // words of one letter in a row that are certainly letters of words
	hyphened   = 4  // hyphens of a word that is certainly several words

	figureLetters = 200 // letters that may be the labels of a figure
	figureShare   = 25  // letters of the text for one of them
)

// bareWords are frequent words of Czech, Slovak, Hungarian and Vietnamese without their diacritics. Nearly half of
// the words of these languages have some, in Vietnamese four of five, so a copy without them is found only in part. None of
// these words occurs in NTREX-128, news in 127 languages and varieties.
var bareWords = setOf(`
		ktery ktere ktera kteri ktereho kterem kterym kdyz protoze muze dalsi dalsich kvuli behem nyni vsechny vcetne takze nekteri
		nekolik svych sveho svuj svem svym jeji jejiho stejne zejmena kazdy
		ktory ktore ktora ktori ktoru ktoreho ktorym ktorych podla pretoze pricom moze mozu tiez vsetky vsetkych vsetci niekolko vratane
		kedze ludi ludia takychto tychto
		tobb elso elott miutan altal kozott kozotti szamara tovabbra kovetkezo peldaul mikozben inkabb azert ezert sajat nehany szukseges
		nelkul kulonbozo legalabb aztan eloszor mielott hosszu koztuk
		khong duoc nguoi nhung quyen truong nhieu viec phai thuong duoi hoac nuoc dieu cuoc thong nhat nhom nguyen`)

// backwardWords are frequent words with their letters in reverse order, which are no words of the languages with
// this alphabet.
var backwardWords = setOf(`
		eht taht htiw evah hcihw erew ereht rieht eseht dnu thcin hcua driw nedrew
		yretk aretk eretk ezotorp yrotk arotk отч евыроток йыроток еыроток`)

// setOf returns the words of a list, which blanks separate.
func setOf(list string) map[string]bool {
	return lists.Set(strings.Fields(list))
}

// bareGap is the number of words between two words of bareWords in one stretch.
const bareGap = 60

// spelling adds words that are spelled in a way that is compared less well, if they are more
// than a few: several words without spaces or joined by hyphens, single letters with spaces, reversed words, languages
// without their diacritics, and a Cyrillic language or Greek in Latin letters. A copy among them shares few words with its source. As a long
// word stands for several, their number in no passage is estimated from their letters.
func (o *omitter) spelling(sus *suspect, open leftOver) {
	count, letters, unseen, all := 0, 0, 0, 0 // words, their letters, those in no passage, all letters
	add := func(from, to, size int) {
		count += to - from
		letters += size
		unseen += size * open.count(from, to) / (to - from)
	}
	for _, x := range slices.Concat(sus.stretchesOf(romanizedWords, romanizedGap), sus.stretchesOf(bareWords, bareGap), sus.stretchesOf(backwardWords, romanizedGap)) {
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
		if n >= longWord(word) || hasInnerEnd(word) || i < len(sus.words) && sus.isHyphened(sus.words[i]) {
			add(i, i+1, n)
		}
	}
	if unseen == 0 || letters*100 < telling*all || letters < figureLetters && letters*figureShare < all {
		return
	}
	words := (unseen*len(sus.words) + all - 1) / all
	o.add(Unsearched{Kind: UnsearchedSpelling, Count: int64(count), Words: words},
		"%s an unusual spelling (joined without spaces or by hyphens, single letters, reversed, Czech, Slovak, Hungarian or Vietnamese without diacritics, or Russian, Ukrainian, Bulgarian, Greek or Mongolian in Latin letters), so that copies are not found, or only in part. In no passage, they are as long as %s of the text",
		plural(int64(count), "word has", "words have"), plural(int64(words), "word", "words"))
}

// isHyphened reports whether a word consists of many words that hyphens join, which comparison deletes. An address has
// other signs beside it.
func (s *suspect) isHyphened(w normalize.Word) bool {
	if w.End-w.Start < len(w.Text)+hyphened {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s.doc.Text[:w.Start])
	after, _ := utf8.DecodeRuneInString(s.doc.Text[w.End:])
	return strings.Count(s.doc.Text[w.Start:w.End], "-") >= hyphened && !strings.ContainsRune("/_=&.", before) && !strings.ContainsRune("/_=&?", after)
}

// isLoneLetter reports whether a word is one letter, with marks, of a script with spaces
// between words.
func isLoneLetter(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsLetter(first) || normalize.Unspaced(first) {
		return false
	}
	return !strings.ContainsFunc(word[size:], func(r rune) bool { return !unicode.IsMark(r) })
}

// hasInnerEnd reports whether a letter that ends words of Urdu is inside a word, which is then several words.
// Of 53,894 words of news in Urdu (NTREX-128), two have one.
func hasInnerEnd(word string) bool {
	for i, r := range word {
		if (r == 'ے' || r == 'ں') && i+utf8.RuneLen(r) < len(word) {
			return true
		}
	}
	return false
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
