package scattered

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus/corpustest"
)

func find(t *testing.T, docs []string, o Options) (got []Result) {
	t.Helper()
	_, err := Find(t.Context(), corpustest.Texts(t, docs), o, corpustest.Folder(t), func(r Result) error { got = append(got, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func random(r *rand.Rand, count int) (words []string) {
	for range count {
		words = append(words, fmt.Sprintf("w%d", r.IntN(5000)))
	}
	return words
}

// TestFive puts a document together from parts of five others, among many: it is
// found with just these five.
func TestFive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var docs []string
	var made, sources []string
	for i := range 60 {
		words := random(r, 800)
		if i%10 == 3 && len(sources) < 5 {
			made = append(made, words[100:100+50*(i/10+1)]...)
			sources = append(sources, fmt.Sprint(i))
		}
		docs = append(docs, strings.Join(words, " "))
	}
	docs = append(docs, strings.Join(append(made, random(r, 60)...), " "), "", "too short")
	got := find(t, docs, Defaults())
	if len(got) != 1 || got[0].ID != "60" {
		t.Fatalf("found %v, want document 60 alone", got)
	}
	var ids []string
	for _, s := range got[0].Sources {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	slices.Sort(sources)
	if !slices.Equal(ids, sources) {
		t.Errorf("it is put together from %v, want %v", ids, sources)
	}
	if r := got[0]; r.Covered < len(made) || r.Covered > len(made)+10 || r.Words != len(made)+60 {
		t.Errorf("%d of %d words are covered, want %d of %d", r.Covered, r.Words, len(made), len(made)+60)
	}
	if s := got[0].Sources[0]; s.ID != "43" || s.Words != 250 || !slices.Equal(s.Stretches, []Stretch{{500, 750}}) {
		t.Errorf("the first source is %+v, want 43 with words 500 to 750", s)
	}
}

// TestFewest takes a document that covers all before two that cover a half each, and
// lists copies of a document with one source each.
func TestFewest(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	words := random(r, 200)
	whole := strings.Join(words, " ")
	docs := []string{strings.Join(words[:100], " "), strings.Join(words[100:], " "), whole, "other words before it " + whole}
	for _, got := range find(t, docs, Defaults()) {
		if len(got.Sources) != 1 {
			t.Errorf("%s has %d sources, want 1", got.ID, len(got.Sources))
		}
	}
	if got := find(t, docs, Defaults()); len(got) != 4 {
		t.Errorf("%d documents are covered by others, want all 4", len(got))
	}
}
