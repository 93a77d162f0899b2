package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

func TestInstead(t *testing.T) {
	for _, tt := range []struct {
		sizes []store.Size
		want  int
	}{
		{nil, 0},
		{[]store.Size{{N: 7, Grams: 9}}, 0},
		{[]store.Size{{N: 5, Grams: 9}, {N: 7}}, 0},
		{[]store.Size{{N: 3, Grams: 9}, {N: 5, Grams: 9}}, 5},
		{[]store.Size{{N: 3, Grams: 9}, {N: 5, Grams: 0}}, 3},
		{[]store.Size{{N: 9, Grams: 9}, {N: 12, Grams: 9}}, 9},
		{[]store.Size{{N: 3, Grams: 9}, {N: 9, Grams: 9}}, 3},
		{[]store.Size{{N: 9, Grams: 0}}, 0},
	} {
		if got := instead(tt.sizes, 7); got != tt.want {
			t.Errorf("in the place of 7, of %v: %d, want %d", tt.sizes, got, tt.want)
		}
	}
}

// TestDocumentsOfOtherSizes has the source of a copy under another n than the
// search asks for. It was never looked at, and the report said 0.0 %.
func TestDocumentsOfOtherSizes(t *testing.T) {
	copied := strings.Join(strings.Fields(original)[:40], " ")
	text := "My own words come first here.\n\n" + copied + "\n\nAnd so do these words at the end."
	set := normSet(t, normalize.Auto)
	for _, tt := range []struct {
		n          int
		unsearched string
	}{
		{5, "[]"},
		{12, "[{short copies 1 12 0 [] 1 document is indexed under 12-grams and no smaller ones: copies from there of fewer than 12 words were not looked for}]"},
	} {
		s := index(t, set, 7, map[string]string{"/other": unrelated})
		addTo(t, s, set, tt.n, map[string]string{"/copied": unrelated + "\n\n" + copied})
		addTo(t, s, set, tt.n, map[string]string{"/other": unrelated}) // it keeps its 7-grams
		for _, exact := range []bool{false, true} {
			r := search(t, s, set, text, Options{N: 7, Exact: exact, Detail: true, Texts: true})
			if len(r.Sources) != 1 || len(r.Passages) != 1 || r.Score.Covered != 40 {
				t.Fatalf("n = %d: %d sources, %d passages, %d words covered; want /copied with its 40 words",
					tt.n, len(r.Sources), len(r.Passages), r.Score.Covered)
			}
			src := r.Sources[0]
			if src.Path != "/copied" || src.Match.N != tt.n || src.Match.Matched != 40-tt.n+1 || src.Match.Run != 40 {
				t.Errorf("n = %d: source %s matches %+v, want %d n-grams and a run of 40 words", tt.n, src.Path, src.Match, 40-tt.n+1)
			}
			if r.Match.Matched != 0 || r.Match.N != 0 || r.Match.Run != 40 {
				t.Errorf("n = %d: %+v match, want none of the 7-grams, and the run of 40 words", tt.n, r.Match)
			}
			if got, want := fmt.Sprint(r.Index.Searched, r.Index.Sizes), fmt.Sprintf("2 [{%d 1}]", tt.n); got != want {
				t.Errorf("searched %s, want %s", got, want)
			}
			if got := fmt.Sprint(r.Unsearched); got != tt.unsearched {
				t.Errorf("n = %d: unsearched %s, want %s", tt.n, got, tt.unsearched)
			}
			if len(r.Paragraphs) != 1 || len(r.Paragraphs[0].Sources) != 1 || len(r.Paragraphs[0].Sources[0].Places) != 1 {
				t.Errorf("n = %d: paragraphs %+v, want the copied one with its place", tt.n, r.Paragraphs)
			}
		}
	}
}

// TestUnreachableDocuments have no n-gram that a look-up could find.
func TestUnreachableDocuments(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/a": "a b c d e"})
	addTo(t, s, set, 9, map[string]string{"/long": "1 2 3 4 5 6 7 8 9 10", "/none": "two words"})
	r := search(t, s, set, "a b c d\n1 2 3 4 5", Options{N: 3, Exact: true})
	want := "[{documents 2 3 0 [] 2 of 3 documents were not searched, not being indexed under a size of n-grams that the text has}]"
	if got := fmt.Sprint(r.Unsearched); got != want || r.Index.Searched != 1 {
		t.Errorf("searched %d, unsearched %s; want 1 and %s", r.Index.Searched, got, want)
	}
}

// TestSizesRise: sizes in the result are in ascending order, and a size is listed if the text
// has an n-gram of it.
func TestSizesRise(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 4, map[string]string{"/4": "q w e r t z"})
	for _, n := range []int{2, 3, 6, 7, 8} {
		addTo(t, s, set, n, map[string]string{fmt.Sprint("/", n): "a b c d e f g h"})
	}
	r := search(t, s, set, "a b c d e f g", Options{N: 4, Exact: true})
	if got, want := fmt.Sprint(r.Index.Searched, r.Index.Sizes), "5 [{2 1} {3 1} {6 1} {7 1}]"; got != want {
		t.Errorf("searched %s, want %s", got, want)
	}
	if got, want := strings.Fields(namesOf(r)), []string{"/2", "/3", "/6", "/7"}; !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("sources %s, want %s", got, want)
	}
	short := int64(0)
	for _, u := range r.Unsearched {
		if u.Kind == UnsearchedShort {
			short += u.Limit
		}
	}
	if short != 6+7 || countKind(r, UnsearchedDocuments) != 1 {
		t.Errorf("unsearched %v, want short copies from /6 and /7, and one document", r.Unsearched)
	}
}

func TestSkippedInOtherSizes(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 4, map[string]string{"/a": "x y z w"})
	addTo(t, s, set, 3, map[string]string{"/self": "a b c d e", "/b": "a b c d e"})
	own := store.IDOf("", "/self")
	r := search(t, s, set, "a b c d e", Options{N: 4, Exact: true, Skip: func(id store.DocID) bool { return id == own }})
	if len(r.Sources) != 1 || r.Sources[0].Path != "/b" {
		t.Errorf("sources %+v, want /b alone", r.Sources)
	}
	out := store.IDOf("", "/a")
	r = search(t, s, set, "x y z w", Options{N: 4, Exact: true, Skip: func(id store.DocID) bool { return id == out }})
	if len(r.Sources) != 0 || r.Match.Matched != 0 {
		t.Errorf("sources %+v, match %+v; want nothing, as /a is left out, which has the size that was asked for", r.Sources, r.Match)
	}
}

// TestSizesAgreeWithCounting mixes sizes, and counts everything from scratch.
func TestSizesAgreeWithCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	set := normSet(t, normalize.Line)
	for round := range need.Seeds(300) {
		n := 3 + rng.IntN(2)
		all, sizes := map[string]string{}, map[string]int{}
		s := index(t, set, n, map[string]string{"/n": "no such words"})
		for i := range 1 + rng.IntN(4) {
			name, text, m := fmt.Sprint("/", i), babble(rng, 1+rng.IntN(9), 12), 2+rng.IntN(4)
			all[name], sizes[name] = text, m
			addTo(t, s, set, m, map[string]string{name: text})
			if rng.IntN(3) == 0 {
				addTo(t, s, set, n, map[string]string{name: text})
				sizes[name] = n
			}
		}
		suspect := babble(rng, 3, 40) + "\n" + strings.Repeat("ano ne možná ", 3)
		r := search(t, s, set, suspect, Options{N: n, Exact: true})
		got, want := map[string]string{}, map[string]string{}
		for _, src := range r.Sources {
			got[src.Path] = fmt.Sprint(src.Match.Matched, " ", src.Match.Run)
		}
		for name, text := range all {
			if c := countAnew(suspect, map[string]string{name: text}, sizes[name])[name]; c != "" {
				want[name] = c
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("round %d, n = %d, sizes %v: matched and run %v, want %v", round, n, sizes, got, want)
		}
		checkPassages(t, r, suspect, all)
		if r.Index.Searched+countKind(r, UnsearchedDocuments) != r.Index.Documents {
			t.Errorf("round %d: %d documents were searched, %v not, of %d", round, r.Index.Searched, r.Unsearched, r.Index.Documents)
		}
	}
}

func countKind(r *Result, kind string) (count int64) {
	for _, u := range r.Unsearched {
		if u.Kind == kind {
			count += u.Count
		}
	}
	return count
}

// TestTooShortForTheSize stays an error, whatever other sizes there are.
func TestTooShortForTheSize(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 4, map[string]string{"/a": "x y z w"})
	addTo(t, s, set, 2, map[string]string{"/b": "a b c d e"})
	searcher, err := New(t.Context(), s, set, Options{N: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := searcher.Search(t.Context(), &document.Document{Text: "a b c", Ext: "txt"}); err == nil {
		t.Error("Search of three words = no error, want one: there is no 4-gram")
	}
}
