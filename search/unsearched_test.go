package search

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
	if got := fmt.Sprintf("%.1f + %.1f", r.Score.Percent, r.CouldRise()); got != "33.3 + 38.9" {
		t.Errorf("score and by how much it could rise: %s, want 6 and 7 of 18 words", got)
	}
}

// TestCommonGramsInPassagesAreNot: a passage goes on over a set phrase, which
// is then accounted for.
func TestCommonGramsInPassagesAreNot(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/copied": "a1 a2 a3 a4 on the other hand a5 a6 a7 a8"}
	for i := range 5 {
		texts[fmt.Sprint("/", i)] = fmt.Sprint("x", i, " on the other hand y", i)
	}
	r := search(t, index(t, set, 4, texts), set, "a1 a2 a3 a4 on the other hand a5 a6 a7 a8", Options{N: 4, Common: 5, Exact: true})
	if len(r.Unsearched) > 0 || r.CouldRise() != 0 {
		t.Errorf("unsearched: %v, could rise by %v %%; want nothing left", r.Unsearched, r.CouldRise())
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
	if got := r.CouldRise(); got != 100-r.Score.Percent {
		t.Errorf("could rise by %v %%, want all that is left: nobody knows", got)
	}
}

// textless is a store that keeps no texts.
type textless struct{ store.Reader }

func (s textless) Text(ctx context.Context, id store.DocID) (string, error) {
	return "", store.ErrNoText
}
