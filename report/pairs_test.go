package report

import (
	"testing"
)

func TestCommonOfBothSides(t *testing.T) {
	var c Common
	c.Add(Shared{Words: 8, Percent: 40}, true)
	c.Add(Shared{Words: 10, Percent: 5}, false)
	if want := (Common{Words: 10, PercentA: 40, PercentB: 5}); c != want {
		t.Errorf("Common = %+v, want %+v", c, want)
	}
}

// TestSharesOf: text that a review leaves out is in no pair, and a declaration shared by all
// is not in the rest.
func TestSharesOf(t *testing.T) {
	r := withDeclaration(true)
	words := func(list []Share, id string) (all, rest int) {
		for _, s := range list {
			if s.ID == id {
				return s.Words, s.Rest.Words
			}
		}
		return 0, 0
	}
	fifth, first := r.Sources[4].ID, r.Sources[0].ID
	if all, rest := words(SharesOf(r), fifth); all != 22 || rest != 12 {
		t.Errorf("the text that was copied from: %d words, %d of them not of everybody, want 22 and 12", all, rest)
	}
	if all, rest := words(SharesOf(r), first); all != 10 || rest != 0 {
		t.Errorf("another text: %d words, %d of them not of everybody, want 10 and 0", all, rest)
	}
	r.Review = &Review{Sources: []Decision{{Index: 4, Reason: "own"}}}
	Apply(r)
	if all, _ := words(SharesOf(r), fifth); all != 0 {
		t.Errorf("a source that was left out shares %d words", all)
	}
}
