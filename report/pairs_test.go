package report

import (
	"testing"

	"github.com/otisk/otisk/search"
)

func TestCommonOfBothSides(t *testing.T) {
	var c Common
	c.Add(Shared{Words: 8, Percent: 40}, true)
	c.Add(Shared{Words: 10, Percent: 5}, false)
	if want := (Common{Words: 10, PercentA: 40, PercentB: 5}); c != want {
		t.Errorf("Common = %+v, want %+v", c, want)
	}
}

func sharesTo(r *Report) []Share { list, _ := sharesOf(r); return list }

// TestOutside: sources of a pair are documents of the index that count after a review, and neither other texts of the run, the text
// itself, nor deleted documents. Of two that both texts have, the pair has that of which both have more.
func TestOutside(t *testing.T) {
	r := sample()
	_, list := sharesOf(r)
	if len(list) < 2 || list[0].Name != called(&r.Sources[0]) || list[0].Words < list[1].Words {
		t.Fatalf("sources %+v, want those of the sample, the largest first", list)
	}
	largest := list[0].ID
	for name, change := range map[string]func(s *search.Source){"another text": func(s *search.Source) { s.Among = true }, "the text itself": func(s *search.Source) { s.Own = search.OwnText }, "a deleted document": func(s *search.Source) { s.Name = ForgottenName + "0123" }} {
		other := sample()
		change(&other.Sources[0])
		if _, list := sharesOf(other); len(list) == 0 || list[0].ID == largest {
			t.Errorf("%s is a source: %+v", name, list)
		}
	}
	r.Review = &Review{Sources: []Decision{{Index: 0, Reason: "own"}}}
	Apply(r)
	if _, list := sharesOf(r); len(list) == 0 || list[0].ID == largest {
		t.Errorf("after a review: %+v, want no source that was left out", list)
	}
	a, b := Sharing{Outside: []Outside{{"1", "x", 90}, {"2", "y", 30}, {"3", "z", 9}}}, Sharing{Outside: []Outside{{"3", "z", 80}, {"2", "y", 20}}}
	if own, others := a.Both(&b); own == nil || own.Words != 30 || others.Words != 20 {
		t.Errorf("both have %v, %v, want 30 and 20 words of y", own, others)
	}
	if own, _ := a.Both(&Sharing{}); own != nil {
		t.Errorf("a text without sources has %v", own)
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
	if all, rest := words(sharesTo(r), fifth); all != 22 || rest != 12 {
		t.Errorf("the text that was copied from: %d words, %d of them not of everybody, want 22 and 12", all, rest)
	}
	if all, rest := words(sharesTo(r), first); all != 10 || rest != 0 {
		t.Errorf("another text: %d words, %d of them not of everybody, want 10 and 0", all, rest)
	}
	r.Review = &Review{Sources: []Decision{{Index: 4, Reason: "own"}}}
	Apply(r)
	if all, _ := words(sharesTo(r), fifth); all != 0 {
		t.Errorf("a source that was left out shares %d words", all)
	}
}
