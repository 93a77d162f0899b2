package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// TestPostingsInParts: however few postings are kept at once, the result is the same,
// also where one n-gram has more of them than that.
func TestPostingsInParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	set := normSet(t, normalize.Line)
	for round := range 20 {
		texts := map[string]string{"/often": strings.Repeat("ano ne ano ", 9)}
		for i := range 5 {
			texts[fmt.Sprint("/", i)] = babble(rng, 9, 12)
		}
		s := index(t, set, 3, texts)
		suspect := "ano ne ano ne\n" + babble(rng, 5, 12)
		var want string
		for _, most := range []int{1 << 20, 40, 7, 1, 0} {
			few := usual
			few.postings = most
			got, _ := json.Marshal(search(t, s, set, suspect, Options{N: 3, Detail: true, bounds: &few}))
			if want == "" {
				want = string(got)
			}
			if string(got) != want {
				t.Fatalf("round %d: with %d postings at once the result is\n%s\nwant\n%s", round, most, got, want)
			}
		}
	}
}

// TestWithout: Without leaves out documents in addition to those of Options.Skip.
func TestWithout(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/a": "a b c d", "/b": "a b c d", "/c": "a b c d"})
	not := func(path string) func(store.DocID) bool {
		return func(id store.DocID) bool { return id == store.IDOf("", path) }
	}
	for _, tt := range []struct {
		skip func(store.DocID) bool
		want string
	}{{nil, "/a /c"}, {not("/a"), "/c"}} {
		all, err := New(t.Context(), s, set, Options{N: 3, Skip: tt.skip})
		if err != nil {
			t.Fatal(err)
		}
		r, err := all.Without(not("/b")).Search(t.Context(), plain("a b c d"))
		if err != nil {
			t.Fatal(err)
		}
		if got := namesOf(r); got != tt.want {
			t.Errorf("sources %s, want %s", got, tt.want)
		}
		if r, err := all.Search(t.Context(), plain("a b c d")); err != nil || len(r.Sources) != strings.Count(tt.want, "/")+1 {
			t.Errorf("the searcher that was asked first now has sources %s, error %v; want one more", namesOf(r), err)
		}
	}
}
