package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
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

// TestLoose: of a weak passage in a short text, single words around a stretch that is nearly word for word are cut off.
func TestLoose(t *testing.T) {
	set := normSet(t, normalize.Auto)
	p := found{from: 0, to: 130, originFrom: 0, originTo: 120, origin: &origin{}, runs: []align.Run{{Suspect: 110, Source: 100, Len: 9}}, Passage: Passage{Kind: KindAligned, Run: 9}}
	for i := 0; i < 100; i += 5 {
		p.runs = append(p.runs, align.Run{Suspect: i, Source: i, Len: 1})
	}
	dense := p
	dense.runs = slices.Clone(p.runs)
	for i := 2; i < 100; i += 5 {
		dense.runs = append(dense.runs, align.Run{Suspect: i, Source: i, Len: 2})
	}
	verbatim := p
	verbatim.Run = 12
	for _, tt := range []struct {
		name    string
		p       found
		besides int // words of the source
		want    string
	}{
		{"single words around a sentence", p, 100, "[110,119)"},
		{"more of them", dense, 100, "all"},
		{"a longer source", p, muchText, "all"},
		{"with a long run", verbatim, 100, "all"},
	} {
		sus := newSuspect(plain(strings.Join(invented(0, 140), " ")), set, nil)
		got := "all"
		if cut := tt.p.loose(sus, &source{read: 120 + tt.besides}); cut != nil {
			got = fmt.Sprintf("[%d,%d)", slices.Index(cut, false), len(cut)-slices.Index(reversed(cut), false))
		}
		if got != tt.want {
			t.Errorf("%s: loose keeps %s, want %s", tt.name, got, tt.want)
		}
	}
}

func reversed(list []bool) []bool {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
