package layout

import (
	"slices"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/pdf"
)

// Cyrillic letters in fonts without character names are read as Latin 1, too: in T2A, the encoding of
// TeX, and in Windows-1251, the encoding of old fonts of Windows, the letters from А to я have the
// codes of À to ÿ, so that «слово» becomes «ñëîâî».

// cyrillicT2A and cyrillicWindows are the other letters of languages in Cyrillic script by their
// codes.
var (
	cyrillicT2A     = map[rune]rune{0x80: 'Ґ', 0xA0: 'ґ', 0x88: 'Ї', 0xA8: 'ї', 0x99: 'Є', 0xB9: 'є', 0x9C: 'Ё', 0xBC: 'ё', 0x92: 'Ў', 0xB2: 'ў'}
	cyrillicWindows = map[rune]rune{0xA5: 'Ґ', 0xB4: 'ґ', 0xAF: 'Ї', 0xBF: 'ї', 0xAA: 'Є', 0xBA: 'є', 0xA8: 'Ё', 0xB8: 'ё', 0xA1: 'Ў', 0xA2: 'ў', 0xB2: 'І', 0xB3: 'і'}
)

// Thresholds for words of accented letters only, which indicate Cyrillic.
const (
	accentedWord   = 4    // least letters of such a word
	accentedWords  = 20   // least number of such words
	accentedShare  = 0.25 // least share of the words of this length
	frequentShare  = 0.45 // least share of the letters that are frequent in Cyrillic languages
	frequentLetter = "оеаинтсрвл"
)

// mendCyrillic reads words that consist of accented letters as Cyrillic, if they are too many for
// Latin text and their letters are those of a Cyrillic language.
func mendCyrillic(pages []pdf.Page) {
	var c accentedCounts
	for _, p := range pages {
		for _, l := range p.Lines {
			for w := range strings.FieldsFuncSeq(l.Text, func(r rune) bool { return !isHigh(r) && !unicode.IsLetter(r) }) {
				c.add([]rune(w))
			}
		}
	}
	if !c.isCyrillic() {
		return
	}
	others := c.others()
	for _, p := range pages {
		for i := range p.Lines {
			p.Lines[i].Text = toCyrillic(fromLow(p.Lines[i].Text), others)
		}
	}
}

// accentedCounts counts words of accented letters only.
type accentedCounts struct {
	words    int // words of at least accentedWord letters, of any letters
	accented int // of these, words of accented letters only
	letters  int // letters of all words of accented letters only
	frequent int // of these, letters that are frequent in Cyrillic languages
	t2a      int // of these, letters that only T2A has
	windows  int // of these, letters that only Windows-1251 has
}

// add counts a word.
func (c *accentedCounts) add(word []rune) {
	if len(word) >= accentedWord {
		c.words++
	}
	if len(word) < 2 || !allHigh(word) {
		return
	}
	if len(word) >= accentedWord {
		c.accented++
	}
	for _, r := range word {
		c.letters++
		switch {
		case r >= 0xC0 && strings.ContainsRune(frequentLetter, unicode.ToLower(r-0xC0+'А')):
			c.frequent++
		case cyrillicWindows[r] != 0 && cyrillicT2A[r] == 0:
			c.windows++
		case cyrillicT2A[r] != 0 && cyrillicWindows[r] == 0:
			c.t2a++
		}
	}
}

// isCyrillic reports whether the words are in a Cyrillic language.
func (c *accentedCounts) isCyrillic() bool {
	return c.accented >= accentedWords && float64(c.accented) >= accentedShare*float64(c.words) &&
		float64(c.frequent) >= frequentShare*float64(c.letters)
}

// others returns the letters outside of the range from А to я in the encoding of the words.
func (c *accentedCounts) others() map[rune]rune {
	if c.windows > c.t2a {
		return cyrillicWindows
	}
	return cyrillicT2A
}

// isHigh reports whether r is in the half of Latin 1 that has no ASCII.
func isHigh(r rune) bool { return r >= 0x80 && r <= 0xFF }

func allHigh(word []rune) bool {
	return !slices.ContainsFunc(word, func(r rune) bool { return !isHigh(r) })
}

// toCyrillic replaces the letters of s, except those of words with Latin letters. others are letters
// outside of the range from А to я; outside of words, their codes are signs.
func toCyrillic(s string, others map[rune]rune) string {
	runes := []rune(s)
	for from := 0; from < len(runes); {
		to := from
		for to < len(runes) && (isHigh(runes[to]) || unicode.IsLetter(runes[to])) {
			to++
		}
		if word := runes[from:to]; len(word) > 0 && allHigh(word) {
			for i, r := range word {
				switch {
				case r >= 0xC0:
					word[i] = r - 0xC0 + 'А'
				case others[r] != 0 && (len(word) > 1 || others[r] == 'і' || others[r] == 'є'):
					word[i] = others[r]
				}
			}
		}
		from = max(to, from+1)
	}
	return string(runes)
}
