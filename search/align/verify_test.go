package align

import (
	"fmt"
	"slices"
	"testing"
)

// Two short texts on one subject share many words, here and there. Only where
// they are near each other that were so in the source is it a passage.
func TestShortTextsOfOneSubject(t *testing.T) {
	const shared, own = 55, 60
	word := func(kind string, i int) string { return fmt.Sprintf("%c%c%s", 'a'+i%26, 'a'+i/26, kind) }
	mixed := func(kind string, order []int) []string {
		var list []string
		for i, k := range order {
			list = append(list, word("subject", k), word(kind, i))
		}
		return list
	}
	inOrder := make([]int, shared)
	for i := range inOrder {
		inOrder[i] = i
	}
	scattered := newSpeaker(11).Perm(shared)
	turned := slices.Clone(inOrder)
	for i := 2; i < shared; i += 3 {
		turned[i-1], turned[i] = turned[i], turned[i-1]
	}
	loose := DefaultParams()
	loose.MinPairs = 0
	for _, tt := range []struct {
		name        string
		order       []int
		want, loose int
	}{
		{"words here and there", scattered, 0, 1},
		{"neighbours turned round", turned, 1, 1},
	} {
		source := prepare(t, say(mixed("source", inOrder), newSpeaker(12).words(own)))
		suspect := prepare(t, say(mixed("suspect", tt.order), newSpeaker(13).words(own)))
		for _, with := range []struct {
			params Params
			want   int
		}{{DefaultParams(), tt.want}, {loose, tt.loose}} {
			if got := aligned(New(with.params), suspect, source); len(got) != with.want {
				t.Errorf("%s, MinPairs %v: %d passages, want %d", tt.name, with.params.MinPairs, len(got), with.want)
			}
		}
	}
}

// In long texts nothing more is asked for than before.
func TestPairedInLongTexts(t *testing.T) {
	params := DefaultParams()
	for _, tt := range []struct {
		words int
		want  bool
	}{{params.LeastWords/2 - 1, false}, {params.LeastWords / 2, true}} {
		s := newSpeaker(14)
		p := newPair(&params, prepare(t, say(s.words(tt.words))), prepare(t, say(s.words(tt.words))))
		params.MinPairs = 1e9
		if got := p.paired(candidate{a: span{0, 20}, b: span{0, 20}}, 5); got != tt.want {
			t.Errorf("two texts of %d words: paired = %v, want %v", tt.words, got, tt.want)
		}
	}
}
