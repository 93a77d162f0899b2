package search

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
)

// TestSpelling: words that hide several words, or letters in place of words, are reported with
// the length of the words that they replace. Ordinary words are not reported.
func TestSpelling(t *testing.T) {
	own := strings.Repeat("words of the author that nobody else has written ", 10) // 400 letters, 90 words
	tests := []struct {
		name, text   string
		count, words int
	}{
		{"ordinary words", own, 0, 0},
		{"a long word", own + strings.Repeat("ab", 50), 1, 19},
		{"a compound", own + "Donaudampfschifffahrtsgesellschaft", 0, 0},
		{"letters in a row", own + strings.Repeat("a b c d e ", 4), 20, 6},
		{"a formula", own + "a b c d", 0, 0},
		{"numbers in a row", own + strings.Repeat("1 2 3 4 5 ", 4), 0, 0},
		{"Chinese characters with spaces", own + strings.Repeat("中 文 字 ", 10), 0, 0},
		{"Korean without spaces", own + strings.Repeat("가나다라", 5), 1, 5},
		{"Russian in Latin letters", own + strings.Repeat("kotoryj imeet pravo dlâ etogo ", 10), 70, 74},
		{"Ukrainian in Latin letters", own + strings.Repeat("kozhna liudyna povynna maty pravo ", 10), 70, 78},
		{"Serbian", own + strings.Repeat("svako ima pravo na život i slobodu koji nije dužan ", 10), 0, 0},
		{"Czech", own + strings.Repeat("každý člověk má právo na život a svobodu, které jsou ", 10), 0, 0},
		{"one word again and again", own + strings.Repeat("chto else ", 10), 0, 0},
		{"Vietnamese without diacritics", own + strings.Repeat("khong duoc ", 5), 40, 41},
		{"Slovak without diacritics", own + strings.Repeat("vsetci ludia ktori zili podla svojho prava ", 10), 100, 104},
		{"Czech without diacritics", own + strings.Repeat("kazdy clovek ktery muze mluvit svobodne ", 10), 90, 97},
		{"Hungarian without diacritics", own + strings.Repeat("peldaul elso dolog mielott tobb ember jott ", 10), 100, 104},
		{"a figure", strings.Repeat(own, 4) + strings.Repeat("a b c d ", 8), 0, 0},
		{"Greek in Latin letters", own + strings.Repeat("kathe anthropos einai eleutheros kai prepei na zei ", 10), 99, 106},
		{"Mongolian in Latin letters", own + strings.Repeat("hün bükh törj mendlekhdee erkh chölöötei baidag ", 10), 89, 99},
		{"letters in reverse order", own + strings.Repeat("eht redro fo eseht srettel si esrever dna gnorw ", 10), 110, 110},
		{"Vietnamese joined by hyphens", own + strings.Repeat("tất-cả-mọi-người-sinh-ra đều-được-tự-do-và ", 10), 20, 49},
		{"words with hyphens", own + "a state-of-the-art word-for-word copy of https://example.org/how-to-write-a-good-thesis-now/", 0, 0},
		{"Urdu", own + strings.Repeat("میں نے کے لیے ہیں بڑے لوگ ", 10), 0, 0},
		{"Urdu joined in twos", own + strings.Repeat("میںنے کےلیے لوگبڑے ", 10), 20, 22},
	}
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		words, _ := n.Words(tt.text, normalize.Whole)
		var list omitter
		list.spelling(&suspect{doc: &document.Document{Text: tt.text}, words: words}, make(leftOver, len(words)))
		var got Unsearched
		if len(list) > 0 {
			got = list[0]
		}
		if got.Count != int64(tt.count) || got.Words != tt.words {
			t.Errorf("%s: %d words, as long as %d, want %d and %d", tt.name, got.Count, got.Words, tt.count, tt.words)
		}
		covered := make(leftOver, len(words))
		for i := range covered {
			covered[i] = inPassage
		}
		list = nil
		list.spelling(&suspect{doc: &document.Document{Text: tt.text}, words: words}, covered)
		if len(list) > 0 {
			t.Errorf("%s: words in passages are reported: %+v", tt.name, list[0])
		}
	}
}
