package normalize

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Words of scripts without spaces.
//
// Chinese, Japanese, Thai, Lao, Khmer and Burmese do not separate words by spaces.
// Therefore their words are cut by a rule of our own that needs no dictionary: whether two
// neighbouring characters belong to one word depends on these two alone, by a hash of them.
// So a copy has the same words as its source, wherever it begins, and a changed character
// changes only the words that touch it. White space between two such characters has no
// effect, because line ends, PDF files and some editions insert it. This is content-defined
// chunking, as in Muthitacharoen, Chen and Mazières, A low-bandwidth network file system,
// SOSP 2001, with windows of two characters.
//
// For Thai, a table of pairs of characters takes the place of the hash: see thaiCuts.
//
// Words have two to four characters on average, as in dictionaries, but mostly end
// elsewhere. docs/PERFORMANCE.md compares this rule with single characters and with the
// words of a dictionary.

// A script is a group of characters that are cut by one rule. Zero are all scripts with
// spaces between words.
type script uint8

const (
	spaced script = iota
	han
	hiragana
	katakana
	thai
	lao
	myanmar
	khmer
	otherUnspaced
	scripts
)

// cuts has, for each script, the share of pairs of characters between which a word ends,
// of 2³².
var cuts = [scripts]uint32{
	han: whole / 2, hiragana: whole / 4, katakana: whole / 8,
	lao: whole * 2 / 5, myanmar: whole * 2 / 5, khmer: whole * 2 / 5, otherUnspaced: whole * 2 / 5,
}

const whole = 1 << 32

// scriptOf returns the script of a character of words.
func scriptOf(r rune) script {
	switch {
	case r < 0x0E01:
		return spaced
	case r <= 0x0E4E:
		return thai
	case r < 0x0E81:
		return spaced
	case r <= 0x0EDF:
		return lao
	case r < 0x1000:
		return spaced
	case r <= 0x109F, 0xA9E0 <= r && r <= 0xA9FE, 0xAA60 <= r && r <= 0xAA7F:
		return myanmar
	case r < 0x1780:
		return spaced
	case r <= 0x17DD:
		return khmer
	case 0x1950 <= r && r <= 0x19DF, 0x1A20 <= r && r <= 0x1AAD, 0xAA80 <= r && r <= 0xAADF: // Tai Le, New Tai Lue, Tai Tham, Tai Viet
		return otherUnspaced
	case r < 0x3005:
		return spaced
	case r <= 0x3007, 0x3400 <= r && r <= 0x9FFF, 0xF900 <= r && r <= 0xFAFF, 0x20000 <= r && r <= 0x3FFFF:
		return han
	case 0x3041 <= r && r <= 0x309F:
		return hiragana
	case 0x30A0 <= r && r <= 0x30FF, 0x31F0 <= r && r <= 0x31FF:
		return katakana
	case 0x3105 <= r && r <= 0x312F, 0xA000 <= r && r <= 0xA48C: // Bopomofo, Yi
		return otherUnspaced
	}
	return spaced
}

// Unspaced reports whether a character is of a script whose words are cut by this rule.
func Unspaced(r rune) bool { return scriptOf(r) != spaced }

// Chinese reports whether a character is a Chinese one, in whichever language.
func Chinese(r rune) bool { return scriptOf(r) == han }

// cut reports whether a word ends between the characters a and b of a text.
func cut(a, b rune) bool {
	from, to := scriptOf(a), scriptOf(b)
	switch {
	case from == spaced && to == spaced, joins(a, b):
		return false
	case from != to:
		return true
	case from == thai:
		return thaiEnds()[a-firstThai][b-firstThai]
	}
	x := uint32(a)*0x9E3779B1 ^ uint32(b)*0x85EBCA6B
	x ^= x >> 15
	x *= 0x2C1B3C6D
	x ^= x >> 12
	x *= 0x297A2D39
	x ^= x >> 15
	return x < cuts[from]
}

// joins reports whether two characters are parts of one syllable.
func joins(a, b rune) bool {
	switch {
	case b == 'ー', b == '々', b == 'ゝ', b == 'ゞ', b == 'ヽ', b == 'ヾ':
		return scriptOf(a) != spaced
	case 'ເ' <= a && a <= 'ໄ': // vowels of Lao before their consonant
		return scriptOf(a) == scriptOf(b)
	case b == 'ະ', b == 'າ', b == 'ຳ': // vowels after it
		return scriptOf(a) == scriptOf(b)
	case a == 0x1039, a == 0x17D2: // signs of Burmese and Khmer that stack the next consonant
		return scriptOf(a) == scriptOf(b)
	}
	return b >= 0x0E01 && unicode.IsMark(b)
}

// thaiCuts has, for each character of Thai, one line: the character, and the characters
// before which a word ends after it. A pair is listed if more than 40 % of its occurrences
// in a text with marked words, the Thai Standard Version of the Bible of 1971 (3.3 M pairs),
// are at the end of a word. The table finds 87 % of the ends of words in that text, and
// 85 % of those that it finds are right.
//
//go:embed thai.txt
var thaiCuts string

// thaiEnds has a bit for each pair of characters of Thai, from U+0E01, in thaiCuts.
var thaiEnds = sync.OnceValue(func() *[thaiLetters][thaiLetters]bool {
	ends := new([thaiLetters][thaiLetters]bool)
	for line := range strings.Lines(thaiCuts) {
		first, size := utf8.DecodeRuneInString(line)
		for _, second := range strings.TrimSpace(line[size:]) {
			ends[first-firstThai][second-firstThai] = true
		}
	}
	return ends
})

const (
	firstThai   = 0x0E01
	thaiLetters = 0x0E4E + 1 - firstThai
)
