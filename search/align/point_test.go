package align

import (
	"strings"
	"testing"
)

// TestFrequentWordsMakeNoPoints: what occurs n times here and m times there makes
// n·m points, up to MaxPoints and not beyond.
func TestFrequentWordsMakeNoPoints(t *testing.T) {
	params := DefaultParams()
	params.LeastWords = 100_000 // among this many words, none is frequent
	for _, tt := range []struct{ here, there, want int }{
		{1, 1, 1}, {8, 10, 80}, {10, 8, 80}, {1, 80, 80}, {9, 9, 0}, {1, 81, 0},
	} {
		own := newSpeaker(1)
		text := func(times int) *Prepared {
			var list []string
			for range times {
				list = append(append(list, "heron"), own.words(maxDistance)...)
			}
			return prepare(t, strings.Join(list, " "))
		}
		p := newPair(&params, text(tt.here), text(tt.there))
		heron, got := p.a.key[0], 0
		for _, q := range p.points() {
			if q.words == 1 && p.a.key[q.i] == heron {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("a word %d and %d times makes %d points, want %d", tt.here, tt.there, got, tt.want)
		}
	}
}

// TestWordsThatWeighJustEnough make points alone.
func TestWordsThatWeighJustEnough(t *testing.T) {
	params := DefaultParams()
	p := newPair(&params, prepare(t, "heron otter"), prepare(t, "badger heron"))
	params.MinWeight = p.weight[p.a.key[0]]
	if got := len(p.points()); got != 1 {
		t.Errorf("%d points, want one", got)
	}
	params.MinWeight *= 1.001
	if got := len(p.points()); got != 0 {
		t.Errorf("%d points of a word that weighs less, want none", got)
	}
}
