package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

func TestCover(t *testing.T) {
	tests := []struct {
		name       string
		runs, want []run
	}{
		{"of equal runs the first in the source", []run{{0, 20, 3}, {0, 9, 3}}, []run{{0, 9, 3}}},
		{"of equal ends the first in the suspect", []run{{1, 4, 3}, {0, 8, 4}}, []run{{0, 8, 4}}},
		{"the run that reaches farthest", []run{{0, 0, 3}, {3, 0, 2}, {3, 9, 5}}, []run{{0, 0, 3}, {3, 9, 5}}},
		{"nothing covered twice", []run{{0, 0, 5}, {1, 1, 4}, {2, 7, 2}}, []run{{0, 0, 5}}},
		{"with a gap", []run{{7, 7, 1}, {0, 3, 2}}, []run{{0, 3, 2}, {7, 7, 1}}},
	}
	for _, tt := range tests {
		if got := cover(slices.Clone(tt.runs)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: cover(%v) = %v, want %v", tt.name, tt.runs, got, tt.want)
		}
	}
}

// TestCoverIsLeast covers random runs, and counts the fewest that could by
// trying all of them.
func TestCoverIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	grams := func(runs []run) (set uint32) {
		for _, r := range runs {
			set |= (1<<r.k - 1) << r.gram
		}
		return set
	}
	for range 300 {
		var runs []run
		for range 1 + rng.IntN(7) {
			runs = append(runs, run{int32(rng.IntN(12)), uint32(rng.IntN(9)), int32(1 + rng.IntN(6))})
		}
		least := len(runs)
		for chosen := range 1 << len(runs) {
			var some []run
			for i, r := range runs {
				if chosen>>i&1 == 1 {
					some = append(some, r)
				}
			}
			if len(some) < least && grams(some) == grams(runs) {
				least = len(some)
			}
		}
		if got := cover(slices.Clone(runs)); grams(got) != grams(runs) || len(got) != least {
			t.Fatalf("cover(%v) = %v, want %d runs of the same n-grams", runs, got, least)
		}
	}
}

func TestFirstLongestRunIsTheBest(t *testing.T) {
	tl := &tally{parts: []part{{paragraph: 0}}}
	for _, r := range []run{{0, 0, 2}, {5, 5, 4}, {20, 20, 4}} {
		tl.end(r)
	}
	if want := (run{5, 5, 4}); tl.parts[0].best != want || tl.longest != 4 {
		t.Errorf("best run %v of %d n-grams, want %v", tl.parts[0].best, tl.longest, want)
	}
}

// TestFinishedRunsStayFew ends one run many times over, as a text does that
// repeats itself.
func TestFinishedRunsStayFew(t *testing.T) {
	tl := &tally{parts: []part{{paragraph: 0}}}
	for i := range 5000 {
		tl.end(run{0, uint32(i), 3})
		if len(tl.done) > 1024+2 {
			t.Fatalf("%d finished runs are kept, 1 covers them", len(tl.done))
		}
	}
}

// TestRunGoesOnOverNoUnseenWord lets a run of a source meet a set phrase that
// many documents have: it goes on as long as no word lies between the n-grams
// before and after it.
func TestRunGoesOnOverNoUnseenWord(t *testing.T) {
	set := normSet(t, normalize.Line)
	for _, tt := range []struct {
		text, phrase string
		run          int
	}{
		{"a1 c1 c2 c3 a2", "c1 c2 c3", 5}, // the first n-gram goes on
		{"a0 a1 c1 c2 c3 c4 a2 a3", "c1 c2 c3 c4", 8},
		{"a0 a1 c1 c2 c3 c4 c5 a2 a3", "c1 c2 c3 c4 c5", 4}, // c3 is unseen
	} {
		texts := map[string]string{"/copied": tt.text}
		for i := range 4 {
			texts[fmt.Sprint("/", i)] = fmt.Sprint("x", i, " ", tt.phrase, " y", i)
		}
		r := search(t, index(t, set, 3, texts), set, tt.text, Options{N: 3, Common: 4, Exact: true})
		if got := r.Sources[0].Match.Run; got != tt.run || r.Sources[0].Name != "/copied" {
			t.Errorf("%q with %q common: run of %d words from %s, want %d", tt.text, tt.phrase, got, r.Sources[0].Name, tt.run)
		}
	}
}

func TestBordersBetween(t *testing.T) {
	b := borders{store.Posting{Doc: 1, Pos: 5}: true}
	for _, tt := range []struct {
		doc      store.DocID
		from, to uint32
		want     bool
	}{{1, 4, 5, true}, {1, 5, 6, false}, {1, 3, 7, true}, {1, 3, 4, false}, {2, 4, 5, false}} {
		if got := b.between(tt.doc, tt.from, tt.to); got != tt.want {
			t.Errorf("between(%v, %d, %d) = %v, want %v", tt.doc, tt.from, tt.to, got, tt.want)
		}
	}
}
