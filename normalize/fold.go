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
	{Lo: 0xAA, Hi: 0xAA, Stride: 1},
	{Lo: 0xBA, Hi: 0xBA, Stride: 1},
	{Lo: 0x132, Hi: 0x133, Stride: 1},
	{Lo: 0x13F, Hi: 0x140, Stride: 1},
	{Lo: 0x149, Hi: 0x149, Stride: 1},
	{Lo: 0x17F, Hi: 0x17F, Stride: 1},
	{Lo: 0x1C4, Hi: 0x1CC, Stride: 1},
	{Lo: 0x1F1, Hi: 0x1F3, Stride: 1},
	{Lo: 0x2B0, Hi: 0x2B8, Stride: 1},
	{Lo: 0x2E0, Hi: 0x2E4, Stride: 1},
	{Lo: 0x1D2C, Hi: 0x1D2E, Stride: 1},
	{Lo: 0x1D30, Hi: 0x1D3A, Stride: 1},
	{Lo: 0x1D3C, Hi: 0x1D4D, Stride: 1},
	{Lo: 0x1D4F, Hi: 0x1D5C, Stride: 1},
	{Lo: 0x1D62, Hi: 0x1D65, Stride: 1},
	{Lo: 0x1D9B, Hi: 0x1DBE, Stride: 1},
	{Lo: 0x1E9A, Hi: 0x1E9B, Stride: 1},
	{Lo: 0x2071, Hi: 0x2071, Stride: 1},
	{Lo: 0x207F, Hi: 0x207F, Stride: 1},
	{Lo: 0x2090, Hi: 0x209C, Stride: 1},
	{Lo: 0x2102, Hi: 0x2102, Stride: 1},
	{Lo: 0x2107, Hi: 0x2107, Stride: 1},
	{Lo: 0x210A, Hi: 0x2113, Stride: 1},
	{Lo: 0x2115, Hi: 0x2115, Stride: 1},
	{Lo: 0x2119, Hi: 0x211D, Stride: 1},
	{Lo: 0x2124, Hi: 0x2124, Stride: 1},
	{Lo: 0x2128, Hi: 0x2128, Stride: 1},
	{Lo: 0x212C, Hi: 0x212D, Stride: 1},
	{Lo: 0x212F, Hi: 0x2131, Stride: 1},
	{Lo: 0x2133, Hi: 0x2139, Stride: 1},
	{Lo: 0x213C, Hi: 0x213F, Stride: 1},
	{Lo: 0x2145, Hi: 0x2149, Stride: 1},
	{Lo: 0x2160, Hi: 0x217F, Stride: 1},
	{Lo: 0x2C7C, Hi: 0x2C7D, Stride: 1},
	{Lo: 0xA770, Hi: 0xA770, Stride: 1},
	{Lo: 0xA7F2, Hi: 0xA7F4, Stride: 1},
	{Lo: 0xA7F8, Hi: 0xA7F9, Stride: 1},
	{Lo: 0xAB5C, Hi: 0xAB5F, Stride: 1},
	{Lo: 0xAB69, Hi: 0xAB69, Stride: 1},
}, R32: []unicode.Range32{
	{Lo: 0x10781, Hi: 0x10785, Stride: 1},
	{Lo: 0x10787, Hi: 0x107B0, Stride: 1},
	{Lo: 0x107B2, Hi: 0x107BA, Stride: 1},
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
// Syriac and the tatweel, the nukta, and lines and shapes around letters.
var omissible = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0307, Hi: 0x0307, Stride: 1}, // where it does not compose
	{Lo: 0x0332, Hi: 0x0338, Stride: 1},
	{Lo: 0x0591, Hi: 0x05BD, Stride: 1},
	{Lo: 0x05BF, Hi: 0x05BF, Stride: 1},
	{Lo: 0x05C1, Hi: 0x05C2, Stride: 1},
	{Lo: 0x05C4, Hi: 0x05C5, Stride: 1},
	{Lo: 0x05C7, Hi: 0x05C7, Stride: 1},
	{Lo: 0x0610, Hi: 0x061A, Stride: 1},
	{Lo: 0x0640, Hi: 0x0640, Stride: 1},
	{Lo: 0x064B, Hi: 0x0652, Stride: 1},
	{Lo: 0x0656, Hi: 0x065F, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x06D6, Hi: 0x06DC, Stride: 1},
	{Lo: 0x06DF, Hi: 0x06E4, Stride: 1},
	{Lo: 0x06E7, Hi: 0x06E8, Stride: 1},
	{Lo: 0x06EA, Hi: 0x06ED, Stride: 1},
	{Lo: 0x0730, Hi: 0x074A, Stride: 1},
	{Lo: 0x0898, Hi: 0x089F, Stride: 1},
	{Lo: 0x08CA, Hi: 0x08E1, Stride: 1},
	{Lo: 0x08E3, Hi: 0x08FF, Stride: 1},
	{Lo: 0x093C, Hi: 0x093C, Stride: 1},
	{Lo: 0x09BC, Hi: 0x09BC, Stride: 1},
	{Lo: 0x0A3C, Hi: 0x0A3C, Stride: 1},
	{Lo: 0x0ABC, Hi: 0x0ABC, Stride: 1},
	{Lo: 0x0B3C, Hi: 0x0B3C, Stride: 1},
	{Lo: 0x0C3C, Hi: 0x0C3C, Stride: 1},
	{Lo: 0x0CBC, Hi: 0x0CBC, Stride: 1},
	{Lo: 0x20D0, Hi: 0x20F0, Stride: 1},
}}
