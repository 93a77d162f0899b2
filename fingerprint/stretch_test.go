package fingerprint

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// cut makes stretches of paragraphs, each of at most this many words.
func cut(paragraphs [][]string, size int) (list []*Stretch) {
	s := new(Stretch)
	for _, words := range paragraphs {
		for i, w := range words {
			if len(s.Ends) == size {
				list, s = append(list, s), new(Stretch)
			}
			if i == 0 {
				s.Breaks = append(s.Breaks, len(s.Ends))
			}
			s.Text = append(append(s.Text, w...), ' ')
			s.Ends = append(s.Ends, len(s.Text)-1)
		}
	}
	return append(list, s)
}

// checkStretches compares the n-grams of all words at once with those of single words added in
// order.
func checkStretches(t *testing.T, paragraphs [][]string, n, size int) {
	t.Helper()
	roller, pairer := NewRoller(n), new(Pairer)
	var grams, pairs []Hash
	for _, words := range paragraphs {
		roller.Break()
		for _, w := range words {
			if h, ok := roller.Add([]byte(w)); ok {
				grams = append(grams, h)
			}
			if p, ok := pairer.Add([]byte(w)); ok {
				pairs = append(pairs, p)
			}
		}
	}
	roller, pairer = NewRoller(n), new(Pairer)
	var gotGrams, gotPairs []Hash
	for _, s := range cut(paragraphs, size) {
		gotGrams = roller.AppendAll(gotGrams, s)
		gotPairs = pairer.AppendAll(gotPairs, s)
	}
	if !slices.Equal(gotGrams, grams) {
		t.Errorf("%d-grams of %q, %d words at once: %x, one by one %x", n, paragraphs, size, gotGrams, grams)
	}
	if !slices.Equal(gotPairs, pairs) {
		t.Errorf("pairs of %q, %d words at once: %x, one by one %x", paragraphs, size, gotPairs, pairs)
	}
}

func TestStretchesAreAsWordsOneByOne(t *testing.T) {
	vocabulary := []string{"a", "to", "word", "words", "wordy", "wordless", "other", "others", "příliš", "žluť", "kůň", "ěščřž", "ъ", "слово", "словарь", "中文", "中文中文中文", strings.Repeat("x", 70)}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var paragraphs [][]string
		for range rng.IntN(6) {
			words := make([]string, 1+rng.IntN(20))
			for i := range words {
				words[i] = vocabulary[rng.IntN(len(vocabulary))]
			}
			paragraphs = append(paragraphs, words)
		}
		checkStretches(t, paragraphs, 1+rng.IntN(8), 1+rng.IntN(12))
	}
}

// TestStretchesOfAnyLetters: words of letters of one to four bytes, in any mixture,
// and of bytes that are no letter, make the pairs that they make one by one.
func TestStretchesOfAnyLetters(t *testing.T) {
	const letters = "aabwxz\u007f\u0080éßПя\u07ff中😀"
	broken := []string{"\x80", "\xbf", "\xc1\x81", "\xc2", "\xdf", "\xe0", "\xe4\xb8", "\xff"}
	rng := rand.New(rand.NewPCG(5, 6))
	all := []rune(letters)
	for round := range 400 {
		words := make([]string, 12)
		for i := range words {
			for range 1 + rng.IntN(9) {
				switch {
				case round%2 == 1 && rng.IntN(8) == 0:
					words[i] += broken[rng.IntN(len(broken))]
				case rng.IntN(2) == 0:
					words[i] += string(all[rng.IntN(6)])
				default:
					words[i] += string(all[rng.IntN(len(all))])
				}
			}
		}
		checkStretches(t, [][]string{words, {"quickest", "brownest"}}, 3, 20)
	}
}

func FuzzStretches(f *testing.F) {
	f.Add("one two three four five six seven eight", uint8(7), uint8(3))
	f.Add("words wordy|other words příliš žluť words words|a", uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, text string, n, size uint8) {
		var paragraphs [][]string
		for p := range strings.SplitSeq(text, "|") {
			if words := strings.Fields(p); len(words) > 0 {
				paragraphs = append(paragraphs, words)
			}
		}
		checkStretches(t, paragraphs, 1+int(n%20), 1+int(size%50))
	})
}
