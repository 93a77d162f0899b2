package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestSampleOfSeveralSizes: a document that is indexed under other n-grams than those
// asked for, and that pairs of words name too, is one source of a sampled index.
func TestSampleOfSeveralSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	set := normSet(t, normalize.Auto)
	s := memory.New(store.Settings{KeepTexts: true, Normalization: map[string]string{store.SampleSetting: "16"}})
	four, six := madeUp(r, 400), madeUp(r, 400)
	for n, words := range map[int][]string{4: four, 6: six} {
		doc := &document.Document{Path: fmt.Sprint("/", n), Ext: "txt", Format: "text", Text: strings.Join(words, " ")}
		if err := indexer.Add(t.Context(), s, doc.Path, doc, indexer.Options{N: n, Norms: set, Pairs: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(slices.Concat(madeUp(r, 100), four[100:140], madeUp(r, 100), six[100:140], madeUp(r, 100)), " ")
	res := search(t, s, set, text, Options{N: 4})
	var got []string
	for _, src := range res.Sources {
		got = append(got, fmt.Sprintf("%s: %d-grams %d, words %d", src.Name, src.Match.N, src.Match.Matched, src.Covered))
	}
	want := []string{"/4: 0-grams 37, words 40", "/6: 6-grams 35, words 40"}
	if !slices.Equal(got, want) || len(res.Passages) != 2 {
		t.Errorf("sources %q with %d passages, want %q with 2", got, len(res.Passages), want)
	}
}
