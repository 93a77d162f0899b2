package normalize

import "unicode"

// Arabic, Hebrew and Syriac are mostly written without vowel marks. Marks are part of the
// words, so a word with marks and the same word without them count as different words.
// MarksVowel and OmitsVowels detect such texts, so that a caller can warn its user.

// vowelMarks are the marks for vowels and reading in these scripts, and the tatweel, the
// stroke that stretches Arabic words.
var vowelMarks = &unicode.RangeTable{R16: []unicode.Range16{
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
}}

// MarksVowel reports whether r is a mark that these scripts may omit.
func MarksVowel(r rune) bool { return r >= 0x0591 && r < 0x0900 && unicode.Is(vowelMarks, r) }

// OmitsVowels reports whether r is a letter of one of these scripts.
func OmitsVowels(r rune) bool {
	return r >= 0x0591 && unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac)
}
