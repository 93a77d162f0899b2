package disguise

import (
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// naiveVocabulary is vocabulary, with the words of the text as a list.
func naiveVocabulary(text string) map[string]bool {
	times := map[string]int{}
	single := func(w string) bool { return utf8.RuneCountInString(w) == 1 }
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for i, w := range words {
		if !single(w) || i > 0 && i+1 < len(words) && !single(words[i-1]) && !single(words[i+1]) {
			times[w]++
		}
	}
	known := map[string]bool{}
	for w, n := range times {
		if runes := []rune(w); len(runes) >= cutStart {
			known[string(runes[:cutStart])+"…"] = true
		}
		switch utf8.RuneCountInString(w) {
		case 1:
			known[w] = strings.Contains(lettersAsWords, w) && n > len(text)/5_000
		case 2:
			known[w] = n > len(text)/5_000
		case 3:
			known[w] = n > len(text)/20_000
		default:
			known[w] = true
		}
	}
	return known
}

func FuzzVocabulary(f *testing.F) {
	f.Add("V létě a na podzim s J A N E M, a v zimě také s ním; × ÷ ȿ ɑ слово")
	f.Add("a bb a ccc a")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if got, want := vocabulary(text), naiveVocabulary(text); !maps.Equal(got, want) {
			t.Errorf("vocabulary of %q: %v, want %v", text, got, want)
		}
	})
}

func BenchmarkVocabulary(b *testing.B) {
	text := strings.Repeat("Babička měla syna a dvě dcery. Nejstarší žila mnoho let ve Vídni u přátel, od nichž se vdala. ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		vocabulary(text)
	}
}
