package language

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/fingerprint"
)

// keysOf returns the keys of words in stretches of a length.
func keysOf(l *Language, words []string, length int) []fingerprint.Hash {
	k := l.NewKeyer()
	var keys []fingerprint.Hash
	for some := range slices.Chunk(words, length) {
		var s fingerprint.Stretch
		for _, w := range some {
			s.Text = append(append(s.Text, w...), ' ')
			s.Ends = append(s.Ends, len(s.Text)-1)
		}
		keys = k.AppendAll(keys, &s)
	}
	return keys
}

// naiveKeys is the definition of keys.
func naiveKeys(l *Language, words []string) []fingerprint.Hash {
	var stems []Stem
	for _, w := range words {
		if s, ok := l.StemOf(w); ok {
			stems = append(stems, s)
		}
	}
	keys := []fingerprint.Hash{l.Sign()}
	for i := range stems {
		for back := 1; back <= keyReach && back <= i; back++ {
			if stems[i-back] != stems[i] {
				keys = append(keys, Key(stems[i-back], stems[i]))
			}
		}
	}
	return keys
}

func TestKeyer(t *testing.T) {
	t.Parallel()
	for code, story := range stories {
		l, words := Of(code), split(story)
		words = append(words, words[:3]...)
		want := naiveKeys(l, words)
		for _, length := range []int{1, 7, len(words)} {
			if got := keysOf(l, words, length); !slices.Equal(got, want) {
				t.Errorf("%s in stretches of %d words: %d keys, want %d", code, length, len(got), len(want))
			}
		}
		if len(want) < len(words)/2 || len(want) > 2*len(words) {
			t.Errorf("%s: %d keys of %d words", code, len(want), len(words))
		}
		for _, key := range want {
			if key>>fingerprint.Bits != 0 {
				t.Errorf("%s: key %x has more than %d bits", code, key, fingerprint.Bits)
			}
		}
	}
}

// TestKeysAcrossForms: inflected forms and exchanged neighbours keep their keys; another language
// and function words do not make any.
func TestKeysAcrossForms(t *testing.T) {
	t.Parallel()
	keys := func(code, text string) []fingerprint.Hash { return keysOf(Of(code), strings.Fields(text), 100)[1:] }
	if a, b := keys("en", "old house"), keys("en", "houses of the old"); !slices.Equal(a, b) || len(a) != 1 {
		t.Errorf("keys of two forms are %x and %x", a, b)
	}
	if a, b := keys("en", "hand arm"), keys("de", "hand arm"); slices.Equal(a, b) {
		t.Errorf("two languages have the same key %x", a)
	}
	if got := keys("en", "the of and house house a"); len(got) > 0 {
		t.Errorf("function words and equal stems have keys %x", got)
	}
}
