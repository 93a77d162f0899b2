package normalize_test

import (
	"testing"
	"unicode"

	"github.com/otisk/otisk/normalize"
)

// TestMarksOfVowels: optional marks are distinguished from letters, and from marks that make
// another letter.
func TestMarksOfVowels(t *testing.T) {
	for _, tt := range []struct {
		text              string
		marks, consonants int
	}{
		{"كِتَابٌ", 3, 4},
		{"كتاب", 0, 4},
		{"كتـــاب", 3, 4},
		{"שָׁלוֹם", 3, 4},
		{"שלום", 0, 4},
		{"آأؤ", 0, 3},            // composed: other letters
		{"ا\u0653و\u0654", 0, 2}, // the same in two characters
		{"ܡܰܠܟܳܐ", 2, 4},
		{"příliš", 0, 0},
		{"हिन्दी", 0, 0}, // its vowels are never left out
	} {
		marks, consonants := 0, 0
		for _, r := range tt.text {
			if normalize.MarksVowel(r) {
				marks++
			}
			if normalize.OmitsVowels(r) {
				consonants++
			}
		}
		if marks != tt.marks || consonants != tt.consonants {
			t.Errorf("%s: %d marks on %d letters, want %d on %d", tt.text, marks, consonants, tt.marks, tt.consonants)
		}
	}
}

// TestMarksOfVowelsInUnicode: of the marks of Arabic, Hebrew and Syriac, all are of vowels
// or of reading but those that make another letter; so is the stroke that stretches words.
func TestMarksOfVowelsInUnicode(t *testing.T) {
	others := &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0653, Hi: 0x0655, Stride: 1}, // madda and hamza
		{Lo: 0x0711, Hi: 0x0711, Stride: 1}, // a small alaph of Syriac
	}}
	for r := rune(0); r < 0x2000; r++ {
		want := unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Inherited) && r >= 0x0590 && r < 0x0900 && !unicode.Is(others, r) || r == 'ـ'
		if got := normalize.MarksVowel(r); got != want {
			t.Errorf("%U: a mark that may be left out: %v, want %v", r, got, want)
		}
	}
}
