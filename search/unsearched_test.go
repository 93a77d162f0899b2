package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// TestCommonGramsAloneAreReported copies a text that is in many documents: the
// score is 0, and the result says how much it might be.
func TestCommonGramsAloneAreReported(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/one": "one two three four five six"}
	for i := range 5 {
		texts[fmt.Sprint("/", i)] = "as is well known and so on"
	}
	r := search(t, index(t, set, 3, texts), set, "my own words come first\nas is well known and so on\none two three four five six", Options{N: 3, Common: 4, Exact: true})
	want := "[{common n-grams 5 4 7 [] 5 n-grams are in more than 4 documents each and name no source; in no passage for that reason: 7 words}]"
	if got := fmt.Sprint(r.Unsearched); got != want {
		t.Errorf("unsearched: %s\nwant %s", got, want)
	}
	if got := fmt.Sprintf("%.1f + %.1f", r.Score.Percent, r.CouldRise(r.Score.Percent)); got != "33.3 + 38.9" {
		t.Errorf("score and by how much it could rise: %s, want 6 and 7 of 18 words", got)
	}
}

// TestCommonGramsInPassagesAreNot: a passage that continues across a set phrase covers its
// n-grams.
func TestCommonGramsInPassagesAreNot(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/copied": "a1 a2 a3 a4 on the other hand a5 a6 a7 a8"}
	for i := range 5 {
		texts[fmt.Sprint("/", i)] = fmt.Sprint("x", i, " on the other hand y", i)
	}
	r := search(t, index(t, set, 4, texts), set, "a1 a2 a3 a4 on the other hand a5 a6 a7 a8", Options{N: 4, Common: 5, Exact: true})
	if len(r.Unsearched) > 0 || r.CouldRise(r.Score.Percent) != 0 {
		t.Errorf("unsearched: %v, could rise by %v %%; want nothing left", r.Unsearched, r.CouldRise(r.Score.Percent))
	}
}

// TestCouldRise: omissions counted in words add that number of words, omissions by choice add none,
// and for all others the number is unknown.
func TestCouldRise(t *testing.T) {
	left := func(kind string, words int) Unsearched { return Unsearched{Kind: kind, Count: 1, Words: words} }
	for _, tt := range []struct {
		name       string
		documents  int64
		among      int
		unsearched []Unsearched
		score      float64
		want       float64
	}{
		{"nothing left out", 1, 0, nil, 30, 0},
		{"nothing to search", 0, 0, nil, 30, 70},
		{"nothing to search, after a review", 0, 0, nil, 10, 90},
		{"other texts of the run alone", 0, 1, nil, 30, 0},
		{"choices", 1, 0, []Unsearched{left(UnsearchedReworded, 0), left(UnsearchedRuns, 0)}, 30, 0},
		{"known to the word", 1, 0, []Unsearched{left(UnsearchedCommon, 10), left(UnsearchedScattered, 20), left(UnsearchedSpelling, 10)}, 30, 20},
		{"nobody knows", 1, 0, []Unsearched{left(UnsearchedCommon, 10), left(UnsearchedTime, 0)}, 30, 70},
		{"nobody knows, after a review", 1, 0, []Unsearched{left(UnsearchedFaint, 0)}, 10, 90},
	} {
		r := &Result{Suspect: Suspect{Words: 200}, Index: Index{Documents: tt.documents, Among: tt.among}, Unsearched: tt.unsearched}
		if got := r.CouldRise(tt.score); got != tt.want {
			t.Errorf("%s: the score could rise by %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestMissingTextsAreTold names the first of many sources without texts.
func TestMissingTextsAreTold(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{}
	for i := range 12 {
		texts[fmt.Sprintf("/%02d", i)] = "one two three four five six"
	}
	r := search(t, textless{index(t, set, 3, texts)}, set, "one two three four five six", Options{N: 3})
	if len(r.Unsearched) != 1 {
		t.Fatalf("unsearched: %v, want the missing texts", r.Unsearched)
	}
	u := r.Unsearched[0]
	if u.Kind != UnsearchedTexts || u.Count != 12 || len(u.Names) != 10 || u.Names[0] != "/00" || !strings.Contains(u.Detail, "text of 12 sources") {
		t.Errorf("unsearched: %+v, want 12 missing texts, the first 10 named", u)
	}
	if len(r.Passages) != 12 || r.Score.Covered != 6 {
		t.Errorf("%d passages, %d words covered; want one of each source, and all 6: what the hashes say stays", len(r.Passages), r.Score.Covered)
	}
	if got := r.CouldRise(r.Score.Percent); got != 100-r.Score.Percent {
		t.Errorf("could rise by %v %%, want all that is left: nobody knows", got)
	}
}

// TestTimeForAligning is over before it starts: only unchanged runs are left.
func TestTimeForAligning(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": unrelated + "\n\n" + original, "/bread": unrelated})
	text := "My own words come first in this essay on lonely places.\n\n" + edited
	for _, tt := range []struct {
		limit      time.Duration
		kinds      string
		unsearched string
	}{
		{time.Hour, "aligned", "[]"},
		{time.Nanosecond, "", "[{scattered runs 2 12 16 [] 2 unchanged runs are too short for a passage, which has 12 words or more; in no passage for that reason: 16 words} " +
			"{time 1 0 0 [/keeper] 1 source was not aligned, since the 1ns for this check were over: only unchanged runs are shown}]"},
	} {
		r := search(t, s, set, text, Options{N: 5, MaxTime: tt.limit})
		kinds := ""
		for _, p := range r.Passages {
			kinds += p.Kind
		}
		if got := fmt.Sprint(r.Unsearched); kinds != tt.kinds || got != tt.unsearched {
			t.Errorf("within %v: passages %q, unsearched %s; want %q and %s", tt.limit, kinds, got, tt.kinds, tt.unsearched)
		}
	}
}

// TestInterruptedAligning is no result.
func TestInterruptedAligning(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": original})
	searcher, err := New(t.Context(), s, set, Options{N: 5, MaxTime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := searcher.Search(ctx, &document.Document{Text: edited, Ext: "txt"}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, error %v; want %v", r, err, context.Canceled)
	}
}

// textless is a store that keeps no texts.
type textless struct{ store.Reader }

func (s textless) Texts(_ context.Context, ids []store.DocID, fn func(int, string, error) error) error {
	return store.TextsOf(ids, func(store.DocID) (string, error) { return "", store.ErrNoText }, fn)
}
