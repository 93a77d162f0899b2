package document

import (
	"fmt"
	"strings"
	"testing"
)

// TestMarksOfVowelsAreTold: of a text in a script that may leave out its vowels the
// reader learns that marks make other words of them; a name in another text is no reason.
func TestMarksOfVowelsAreTold(t *testing.T) {
	const differ = " words in Arabic, Hebrew or Syriac script have vowel marks: a word with and one without vowel marks count as different words]"
	for _, tt := range []struct{ text, want string }{
		{strings.Repeat("قَرَأَ الوَلَدُ كتاب ", 3), "[6 of 9" + differ},
		{strings.Repeat("قرأ الولد الكتاب ", 3), "[0 of 9" + differ},
		{strings.Repeat("שָׁלוֹם לך ", 4), "[4 of 8" + differ},
		{strings.Repeat("words of another text ", 200) + strings.Repeat("محمد ", 7), "[]"},
		{"שלום לך", "[]"},
		{"Žluťoučký kůň úpěl ďábelské ódy", "[]"},
		{"", "[]"},
	} {
		if got := fmt.Sprint(vowels(tt.text)); got != tt.want {
			t.Errorf("%.40q: notes %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestNoteOfVowels: the note is one of the document.
func TestNoteOfVowels(t *testing.T) {
	doc := &Document{}
	if err := read(t.Context(), doc, []byte(strings.Repeat("قَرَأَ الوَلَدُ ", 4)), Options{}); err != nil || len(doc.Notes) != 1 {
		t.Errorf("notes %q, %v; want one", doc.Notes, err)
	}
}

// TestNoLetterMissedByBytes: the check of bytes finds all letters that may have vowel marks.
func TestNoLetterMissedByBytes(t *testing.T) {
	for _, around := range []string{"", "abcdefgh", "čšž “x” ", "ÕÕÕÕ"} {
		for at := range 17 {
			for _, letter := range []string{"א", "ب", "ܒ", "ﬡ", "ﺏ", "𐡀"} {
				before := strings.Repeat("a", at) + around
				if text := before + letter + around; !mayOmitVowels(text) {
					t.Errorf("%q is said to have no such letter", text)
				}
				if mayOmitVowels(before + around) {
					t.Errorf("%q is said to have such a letter", before+around)
				}
			}
		}
	}
}
