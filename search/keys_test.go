package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/search/translated"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// sample returns a text of the tests of package translated.
func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("translated", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// translations returns a finder with the lexicon of the tests of package translated.
func translations(t *testing.T) hint.Finder {
	t.Helper()
	l, err := lexicon.Read(t.Context(), filepath.Join("translated", "testdata", "en-cs.tsv"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	return translated.New(func(_ context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error) {
		if from == "cs" {
			return nil, []*lexicon.Lexicon{l}, nil
		}
		return []*lexicon.Lexicon{l}, nil, nil
	})
}

// keyedIndex returns an index of these texts with keys for translations.
func keyedIndex(t *testing.T, set *normalize.Set, texts map[string]string) store.Store {
	t.Helper()
	s := memory.New(store.Settings{KeepTexts: true})
	for name, text := range texts {
		doc := &document.Document{Path: name, Format: "text", Text: text}
		if err := indexer.Add(t.Context(), s, name, doc, indexer.Options{N: 3, Pairs: true, Translated: true, Norms: set}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// named returns the sources of the hints of a result, and the part that was not searched for
// translations.
func named(r *Result) string {
	var list []string
	for _, h := range r.Hints {
		list = append(list, h.Kind+" "+r.Sources[h.Source].Name)
	}
	for _, u := range r.Unsearched {
		list = append(list, fmt.Sprint(u.Kind, " ", u.Count, " ", u.Names))
	}
	return strings.Join(list, "; ")
}

// TestKeys: a source in another language, which shares no word with the text, is found by keys.
func TestKeys(t *testing.T) {
	set := normSet(t, normalize.Blank)
	english, czech := sample(t, "bridge.en.txt"), sample(t, "bridge.cs.txt")
	texts := map[string]string{"/other": sample(t, "other.en.txt"), "/source": english, "/czech": sample(t, "other.cs.txt")}
	finder := []hint.Finder{translations(t)}
	check := func(what string, texts map[string]string, suspect, want string, opts Options) *Result {
		t.Helper()
		opts.N = 3
		r := search(t, keyedIndex(t, set, texts), set, suspect, opts)
		if got := named(r); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		return r
	}
	r := check("a translation", texts, czech, "translated /source", Options{Hints: finder})
	if len(r.Passages) > 0 || r.Score.Covered > 0 || r.CouldRise(0) > 0 {
		t.Errorf("hints changed the score: %d passages, %d words, could rise by %v", len(r.Passages), r.Score.Covered, r.CouldRise(0))
	}
	if got := r.Sources[0].Language; got != "en" {
		t.Errorf("the source of a Czech text is said to be in %q, want en", got)
	}
	check("twice the text", texts, czech+"\n\n"+sample(t, "other.cs.txt"), "translated /source", Options{Hints: finder})
	check("a text in the language of the source", texts, english, "", Options{Hints: finder})
	check("without hints", texts, czech, "", Options{})
	check("unchanged words alone", texts, czech, "", Options{Hints: finder, Exact: true})
	check("no dictionary", texts, sample(t, "other.cs.txt"), "no dictionary 1 [en]", Options{Hints: []hint.Finder{translated.New(func(context.Context, string, string) (forward, backward []*lexicon.Lexicon, err error) {
		return nil, nil, nil
	})}})
	texts["/many"] = strings.Repeat(sample(t, "other.en.txt")+"\n\n", 20) + english
	check("a source within a longer one", texts, czech, "translated /many; translated /source", Options{Hints: finder})
	delete(texts, "/many")
	bounds := usual
	bounds.keys = 4
	check("a bound on keys", texts, czech, "translation 143 []", Options{Hints: finder, bounds: &bounds})
	check("keys of one document only", map[string]string{"/source": english, "/other": texts["/other"]}, czech, "translated /source", Options{Hints: finder})
}

// asking counts the sources that it is asked about.
type asking struct{ asked *int }

func (asking) Kind() string                     { return hint.KindRewritten }
func (c asking) Prepare(*hint.Text) hint.Search { return c }
func (c asking) Find(context.Context, *hint.Text) ([]hint.Found, error) {
	*c.asked++
	return nil, nil
}

// TestHintsOfKeyed: a source that only keys name is in another language, so that other hints are not looked for.
func TestHintsOfKeyed(t *testing.T) {
	set := normSet(t, normalize.Blank)
	s := keyedIndex(t, set, map[string]string{"/source": sample(t, "bridge.en.txt")})
	for _, tt := range []struct {
		suspect string
		hints   string
		asked   int
	}{
		{"bridge.cs.txt", "translated /source", 0}, {"bridge.en.txt", "", 1},
	} {
		asked := 0
		r := search(t, s, set, sample(t, tt.suspect), Options{N: 3, Hints: []hint.Finder{asking{&asked}, translations(t)}})
		if got := named(r); asked != tt.asked || got != tt.hints {
			t.Errorf("%s: hints %q, other hints looked for in %d sources, want %q and %d", tt.suspect, got, asked, tt.hints, tt.asked)
		}
	}
}

// TestDocumentsWithoutKeys: if some documents have keys, the result counts the others.
func TestDocumentsWithoutKeys(t *testing.T) {
	set := normSet(t, normalize.Blank)
	s := memory.New(store.Settings{KeepTexts: true})
	for i, keys := range []bool{false, true} {
		name := fmt.Sprint("/", i)
		doc := &document.Document{Path: name, Format: "text", Text: sample(t, "bridge.en.txt")}
		if err := indexer.Add(t.Context(), s, name, doc, indexer.Options{N: 3, Pairs: true, Translated: keys, Norms: set}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := search(t, s, set, sample(t, "bridge.cs.txt"), Options{N: 3, Hints: []hint.Finder{translations(t)}})
	if got, want := named(r), "translated /1; translated copies 1 []"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if r.CouldRise(0) > 0 {
		t.Errorf("the score could rise by %v because of hints", r.CouldRise(0))
	}
}

// TestMayReach: where the densest hits of a document have a score, they may have it; most documents that are ruled out are so by
// the places of their hits.
func TestMayReach(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 3))
	scores, ruled := 0, 0
	for range 2000 {
		hits := make([]store.PairHit, 5+r.IntN(60))
		all := 0.0
		for i := range hits {
			hits[i] = store.PairHit{Word: int32(r.IntN(1000)), Block: int32(r.IntN(40)), Pair: int32(i), Value: 1 + 5*r.Float64()}
			all += hits[i].Value
		}
		score := all * (.1 + .5*r.Float64())
		seen, turn := make([]int32, len(hits)), int32(0)
		may := mayReach(hits, score)
		if !may {
			ruled++
		}
		if densest(hits, seen, &turn).score >= score {
			scores++
			if !may {
				t.Fatalf("hits %v are ruled out for a score of %v", hits, score)
			}
		}
	}
	if scores < 100 || ruled < 1000 {
		t.Errorf("%d have the score, %d are ruled out", scores, ruled)
	}
}
