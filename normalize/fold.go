package normalize

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folding makes different spellings of one word equal. Latin and Cyrillic words keep
// the accents that distinguish words; their case is folded. In other scripts,
// one author writes marks or forms that another omits:
//
//   - Greek: accents, breathings and the iota subscript are removed.
//   - Arabic, Hebrew and Syriac: vowel marks and the tatweel are deleted (class gone);
//     the variants of alef, yeh, kaf and heh are one letter each.
//   - Ligatures, the long s, mathematical and other forms of Latin letters, presentation
//     forms, half-width and full-width forms and radicals, which some editions, encodings
//     and PDF files have in place of letters, become these letters (Unicode NFKC).
//   - Cyrillic: marks of the stress are removed.
//   - Indic scripts: the nukta, a dot for the sounds of foreign words, is deleted.
//   - Traditional Chinese characters become simplified ones.
//   - Turkish: a dotless i becomes i, because case folding confuses the two.
//   - Lines, strokes and shapes on letters are deleted, as are dots above letters that have
//     none in any language.
//   - Decimal digits of all scripts up to U+FFFF become 0 to 9.

// folds are the forms of single characters from U+0250 on, except Chinese characters.
var folds = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{
		'أ': 'ا', 'إ': 'ا', 'آ': 'ا', 'ٱ': 'ا', // alef
		'ى': 'ي', 'ی': 'ي', 'ې': 'ي', // yeh
		'ک': 'ك', 'ة': 'ه', 'ۀ': 'ه', 'ہ': 'ه', 'ھ': 'ه', 'ە': 'ه', // kaf and heh
	}
	for _, block := range [][2]rune{{0x370, 0x3FF}, {0x1F00, 0x1FFF}} { // Greek
		for r := block[0]; r <= block[1]; r++ {
			low := unicode.ToLower(r)
			base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(low)))
			if base == 'ς' {
				base = 'σ'
			}
			if base != low && unicode.IsLetter(base) {
				m[low] = base
			}
		}
	}
	for _, digits := range unicode.Nd.R16[1:] {
		for r := rune(digits.Lo); r <= rune(digits.Hi); r++ {
			m[r] = Digit(r)
		}
	}
	return m
})

// Digit returns the ASCII digit of a decimal digit of any script, and any other character
// unchanged. Unicode encodes the ten digits of a script one after the other, and each of its
// ranges of digits starts with a zero.
func Digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// chinese has the simplified form of each character from U+4E00 to U+9FFF.
var chinese = sync.OnceValue(func() *[0xA000 - firstChinese]uint16 {
	table := new([0xA000 - firstChinese]uint16)
	for i := range table {
		table[i] = firstChinese + uint16(i)
	}
	pair := []rune(simplified)
	for ; len(pair) >= 2; pair = pair[2:] {
		table[pair[0]-firstChinese] = uint16(pair[1])
	}
	return table
})

const firstChinese = 0x4E00

// foldRune returns the form of a character in words: in lower case and folded.
func foldRune(r rune) rune {
	switch {
	case r < 0x250:
		return latinFold(unicode.ToLower(r))
	case 0x400 <= r && r < 0x590: // Cyrillic and Armenian
		return unicode.ToLower(r)
	case firstChinese <= r && r < 0xA000:
		return rune(chinese()[r-firstChinese])
	case 0xAC00 <= r && r <= 0xD7A3: // Hangul
		return r
	case 0x900 <= r && r < 0xE00 && (r&0x7F < 0x66 || r&0x7F > 0x6F): // Indic letters
		return r
	}
	r = unicode.ToLower(r)
	if form, ok := folds()[r]; ok {
		return form
	}
	return r
}

// latinFold returns i for a dotless i, and letters without a dot that no language has there.
func latinFold(r rune) rune {
	switch r {
	case 'ı':
		return 'i'
	case 'ė':
		return 'e' // of Lithuanian, which has other words with e only rarely
	case 'ȧ':
		return 'a'
	case 'ȯ':
		return 'o'
	}
	return r
}

// isForm reports whether a character is a form of other characters, by which it is
// replaced: a form of Latin letters, a radical, a presentation form, or a mathematical, half-width
// or full-width letter or digit.
func isForm(r rune) bool {
	switch {
	case r < 0xAA:
		return false
	case 0x2E80 <= r && r <= 0x2FD5, 0xFB00 <= r && r <= 0xFDF3, 0xFE70 <= r && r <= 0xFEFC:
		return true
	case 0xFF10 <= r && r <= 0xFFDC, 0x1D400 <= r && r <= 0x1D7FF:
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return unicode.Is(latinForms, r)
}

// formOf returns the letters that a unit starting with a form stands for. The apostrophe of ŉ
// is omitted, as rules may delete it together with the letter.
func formOf(unit string) string {
	if rest, ok := strings.CutPrefix(unit, "ŉ"); ok {
		return norm.NFC.String("n" + rest)
	}
	return norm.NFKC.String(unit)
}

// latinForms are the letters and numbers of the Latin script that Unicode defines as forms of
// other letters, without the blocks that isForm names: ligatures such as ĳ and ǆ, the long s,
// raised and lowered letters, letters of double-struck and other fonts, and Roman numbers.
var latinForms = &unicode.RangeTable{R16: []unicode.Range16{
	{0xAA, 0xAA, 1}, {0xBA, 0xBA, 1}, {0x132, 0x133, 1}, {0x13F, 0x140, 1}, {0x149, 0x149, 1}, {0x17F, 0x17F, 1},
	{0x1C4, 0x1CC, 1}, {0x1F1, 0x1F3, 1}, {0x2B0, 0x2B8, 1}, {0x2E0, 0x2E4, 1}, {0x1D2C, 0x1D2E, 1},
	{0x1D30, 0x1D3A, 1}, {0x1D3C, 0x1D4D, 1}, {0x1D4F, 0x1D5C, 1}, {0x1D62, 0x1D65, 1}, {0x1D9B, 0x1DBE, 1},
	{0x1E9A, 0x1E9B, 1}, {0x2071, 0x2071, 1}, {0x207F, 0x207F, 1}, {0x2090, 0x209C, 1}, {0x2102, 0x2102, 1},
	{0x2107, 0x2107, 1}, {0x210A, 0x2113, 1}, {0x2115, 0x2115, 1}, {0x2119, 0x211D, 1}, {0x2124, 0x2124, 1},
	{0x2128, 0x2128, 1}, {0x212C, 0x212D, 1}, {0x212F, 0x2131, 1}, {0x2133, 0x2139, 1}, {0x213C, 0x213F, 1},
	{0x2145, 0x2149, 1}, {0x2160, 0x217F, 1}, {0x2C7C, 0x2C7D, 1}, {0xA770, 0xA770, 1}, {0xA7F2, 0xA7F4, 1},
	{0xA7F8, 0xA7F9, 1}, {0xAB5C, 0xAB5F, 1}, {0xAB69, 0xAB69, 1},
}, R32: []unicode.Range32{
	{0x10781, 0x10785, 1}, {0x10787, 0x107B0, 1}, {0x107B2, 0x107BA, 1},
}, LatinOffset: 2}

// isStress reports whether a mark states the stress of a Cyrillic letter, as in dictionaries. The letters of
// Macedonian with such marks are composed.
func isStress(letter, mark rune) bool {
	return (mark == 0x300 || mark == 0x301) && unicode.Is(unicode.Cyrillic, letter)
}

// isVoicing reports whether a character is the half-width mark of a voiced or a
// semi-voiced Japanese syllable, which combines with the character before it.
func isVoicing(r rune) bool { return r == 0xFF9E || r == 0xFF9F }

// omissible are marks that do not make a different word: vowel marks of Arabic, Hebrew and
// Syriac and the tatweel, the nukta, and lines and shapes around letters; the dot above (0x307)
// where it does not compose.
var omissible = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0307, 0x0307, 1}, {0x0332, 0x0338, 1}, {0x0591, 0x05BD, 1}, {0x05BF, 0x05BF, 1}, {0x05C1, 0x05C2, 1},
	{0x05C4, 0x05C5, 1}, {0x05C7, 0x05C7, 1}, {0x0610, 0x061A, 1}, {0x0640, 0x0640, 1}, {0x064B, 0x0652, 1},
	{0x0656, 0x065F, 1}, {0x0670, 0x0670, 1}, {0x06D6, 0x06DC, 1}, {0x06DF, 0x06E4, 1}, {0x06E7, 0x06E8, 1},
	{0x06EA, 0x06ED, 1}, {0x0730, 0x074A, 1}, {0x0898, 0x089F, 1}, {0x08CA, 0x08E1, 1}, {0x08E3, 0x08FF, 1},
	{0x093C, 0x093C, 1}, {0x09BC, 0x09BC, 1}, {0x0A3C, 0x0A3C, 1}, {0x0ABC, 0x0ABC, 1}, {0x0B3C, 0x0B3C, 1},
	{0x0C3C, 0x0C3C, 1}, {0x0CBC, 0x0CBC, 1}, {0x20D0, 0x20F0, 1},
}}
