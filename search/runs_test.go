package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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

// TestRunGoesOnOverNoUnseenWord: a run of a source reaches a set phrase of many documents. It
// continues if no word is between the n-grams before and after the phrase.
func TestRunGoesOnOverNoUnseenWord(t *testing.T) {
	set := normSet(t, normalize.Line)
	for _, tt := range []struct {
		text, phrase string
		run          int
	}{
		{"a1 c1 c2 c3 a2", "c1 c2 c3", 5}, // the first n-gram continues
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

// TestHoldsAsNaive asks of random runs whether they lie in one of a cover.
func TestHoldsAsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	random := func() run { return run{int32(rng.IntN(30)), uint32(rng.IntN(12)), int32(1 + rng.IntN(8))} }
	for range 2000 {
		var runs []run
		for range 1 + rng.IntN(12) {
			runs = append(runs, random())
		}
		tl := &tally{done: cover(slices.Clone(runs)), parts: []part{{best: runs[0]}, {best: random()}}}
		for _, r := range append(runs, random()) {
			l := located{run: r}
			if cut := int32(rng.IntN(int(r.k))); rng.IntN(2) == 0 {
				l.run = run{r.gram + cut, r.pos + uint32(cut), r.k - cut}
			}
			if got, want := tl.holds(l), slices.ContainsFunc(tl.done, l.partOf); got != want {
				t.Fatalf("%v holds %v: %v, want %v", tl.done, l.run, got, want)
			}
		}
		for _, p := range tl.parts {
			want := len(tl.done)
			if !slices.Contains(tl.done, p.best) {
				want++
			}
			if got := (&tally{done: tl.done, parts: []part{p}}).all(); len(got) != want || !slices.Contains(got, p.best) {
				t.Fatalf("all runs of %v and the best %v: %v, want %d", tl.done, p.best, got, want)
			}
		}
	}
}

// TestManyParagraphs checks a text in which every line is a paragraph: work per paragraph must
// not depend on their number, or it would take a minute.
func TestManyParagraphs(t *testing.T) {
	const lines = 100_000
	start := time.Now()
	in := &shared{grams: grams{n: 3, list: make([]gram, lines)}}
	src := &source{candidate: candidate{tally: &tally{}, in: in}}
	for i := range int32(lines) {
		in.list[i].paragraph = i
		r := run{gram: i, pos: uint32(i), k: 1}
		src.done = append(src.done, r)
		src.parts = append(src.parts, part{paragraph: i, best: r})
		src.runs = append(src.runs, placed{run: r})
	}
	if got := len(src.all()); got != lines {
		t.Errorf("%d runs, want %d", got, lines)
	}
	for i := range int32(lines) {
		if !src.holds(located{run: src.done[i]}) || len(src.places(i)) != 1 {
			t.Fatalf("run and place of paragraph %d are not found", i)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestRunsThatEndTogetherAreOne: of the thousand runs that end at one n-gram
// the first of the longest covers all.
func TestRunsThatEndTogetherAreOne(t *testing.T) {
	tl := new(tally)
	at := func(from, to uint32) (list []store.Posting) {
		for pos := from; pos < to; pos++ {
			list = append(list, store.Posting{Doc: 1, Pos: 10 * pos})
		}
		return list
	}
	tl.touch(0, 0, -1, at(500, 501))
	tl.touch(1, 0, 0, append([]store.Posting{{Doc: 1, Pos: 1}}, append(at(1, 500), store.Posting{Doc: 1, Pos: 5001})...))
	tl.touch(2, 0, 1, at(900, 901))
	if want := []run{{0, 5000, 2}}; !slices.Equal(tl.done, want) {
		t.Errorf("finished runs %v, want %v", tl.done, want)
	}
	tl.finish()
	if want := []run{{0, 5000, 2}, {2, 9000, 1}}; !slices.Equal(tl.done, want) {
		t.Errorf("finished runs %v, want %v", tl.done, want)
	}
}
