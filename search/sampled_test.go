package search

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// sampledIndex indexes texts by a sample for runs of this number of words, or whole
// for 0.
func sampledIndex(t testing.TB, set *normalize.Set, n int, sample string, texts []string) *memory.Store {
	t.Helper()
	s := memory.New(store.Settings{KeepTexts: true, Normalization: map[string]string{store.SampleSetting: sample}})
	for i, text := range texts {
		doc := &document.Document{Path: fmt.Sprint(i), Text: text, Format: "text"}
		if err := indexer.Add(t.Context(), s, doc.Path, doc, indexer.Options{N: n, Norms: set}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func someWords(rng *rand.Rand, count, vocabulary int) []string {
	words := make([]string, count)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", rng.IntN(vocabulary))
	}
	return words
}

// checkSampled makes documents and a suspect that shares a run of at least run words with each
// of them, and compares a sampled index with an index of all n-grams.
func checkSampled(t *testing.T, seed uint64, n, run, vocabulary int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	set := normSet(t, normalize.Blank)
	var texts, suspect []string
	for range 1 + rng.IntN(8) {
		words := someWords(rng, run+rng.IntN(300), vocabulary)
		texts = append(texts, strings.Join(words, " "))
		length := run + rng.IntN(min(20, len(words)-run+1))
		from := rng.IntN(len(words) - length + 1)
		suspect = append(suspect, someWords(rng, rng.IntN(30), vocabulary)...)
		suspect = append(suspect, words[from:from+length]...)
	}
	doc := &document.Document{Path: "suspect", Text: strings.Join(suspect, " "), Format: "text"}
	results := map[string]*Result{}
	for _, sample := range []string{"0", fmt.Sprint(run)} {
		s, err := New(t.Context(), sampledIndex(t, set, n, sample, texts), set, Options{N: n, Detail: true, Texts: true})
		if err != nil {
			t.Fatal(err)
		}
		if results[sample], err = s.Search(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	full, got := results["0"], results[fmt.Sprint(run)]
	if len(got.Sources) < len(texts) {
		t.Errorf("seed %d, n %d: of %d documents that share a run of %d words, %d are named", seed, n, len(texts), run, len(got.Sources))
	}
	for i, src := range got.Sources {
		j := slices.IndexFunc(full.Sources, func(o Source) bool { return o.ID == src.ID })
		if j < 0 {
			t.Fatalf("seed %d, n %d, run %d: the sample names %s, all n-grams do not", seed, n, run, src.Path)
		}
		if want := full.Sources[j].Match; src.Match != want {
			t.Errorf("seed %d, n %d, run %d: of %s the sample says %+v, all n-grams say %+v", seed, n, run, src.Path, src.Match, want)
		}
		if said, want := passagesFrom(got, i), passagesFrom(full, j); !reflect.DeepEqual(said, want) {
			t.Errorf("seed %d, n %d, run %d: of %s the sample has passages %+v, all n-grams have %+v", seed, n, run, src.Path, said, want)
		}
	}
}

// passagesFrom returns the passages from one source, without what depends on
// others.
func passagesFrom(r *Result, source int) (list []Passage) {
	for _, p := range r.Passages {
		if p.Source == source {
			p.Number, p.Source, p.Counted = 0, 0, 0
			list = append(list, p)
		}
	}
	return list
}

func TestSampleNamesEachRun(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		n := 1 + rng.IntN(8)
		checkSampled(t, seed, n, n+rng.IntN(40), 1+rng.IntN(2000))
	}
}

func FuzzSampleNamesEachRun(f *testing.F) {
	f.Add(uint64(1), uint8(7), uint8(18), uint16(500))
	f.Add(uint64(2), uint8(2), uint8(30), uint16(3))
	f.Fuzz(func(t *testing.T, seed uint64, n, more uint8, vocabulary uint16) {
		size := 1 + int(n%10)
		checkSampled(t, seed, size, size+int(more%60), 1+int(vocabulary))
	})
}

// TestSampleIsTold: a search in a sampled index reports that short runs may be missed.
func TestSampleIsTold(t *testing.T) {
	set := normSet(t, normalize.Blank)
	words := someWords(rand.New(rand.NewPCG(1, 1)), 400, 1000)
	s, err := New(t.Context(), sampledIndex(t, set, 7, "25", []string{strings.Join(words, " ")}), set, Options{N: 7})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(t.Context(), &document.Document{Path: "x", Text: strings.Join(words[:100], " "), Format: "text"})
	if err != nil {
		t.Fatal(err)
	}
	var told []Unsearched
	for _, u := range r.Unsearched {
		if u.Kind == UnsearchedRuns {
			told = append(told, u)
		}
	}
	if len(told) != 1 || told[0].Limit != 25 || r.CouldRise(r.Score.Percent) != 0 {
		t.Errorf("of a sampled index is told %+v, and that the score could rise by %v", r.Unsearched, r.CouldRise(r.Score.Percent))
	}
	if r.Match.Percent != 100 {
		t.Errorf("%v %% of the n-grams of a copy match, want 100", r.Match.Percent)
	}
}
