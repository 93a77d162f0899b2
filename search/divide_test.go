package search

import (
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/search/align"
)

// TestSourceSide: the parts of a passage have the words of the source that they match, in whatever order, and none that
// only the other parts match.
func TestSourceSide(t *testing.T) {
	const words = 90 // every third one of each side matches
	r := rand.New(rand.NewPCG(5, 1))
	shuffled := func(from, to int) (runs []align.Run) {
		places := r.Perm((to - from) / 3)
		for i, k := range places {
			runs = append(runs, align.Run{Suspect: 500 + from + 3*i, Source: 700 + from + 3*k, Len: 1})
		}
		return runs
	}
	p := &found{from: 500, to: 500 + words, originFrom: 700, originTo: 700 + words, origin: &origin{numbers: make([]int32, words)},
		runs: append(shuffled(0, 60), shuffled(60, words)...)}
	for _, tt := range [][2]int{{0, 60}, {60, words}, {0, 55}, {65, words}} {
		first, last := p.sourceSide(500+tt[0], 500+tt[1])
		if from, to := tt[0]/60*60, tt[0]/60*60+60; first < from || last > min(to, words) || last-first < 3*(tt[1]-tt[0])/4 {
			t.Errorf("words %d to %d of the suspect are from words %d to %d of the source", tt[0], tt[1], first, last)
		}
	}
}
