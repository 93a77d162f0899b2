package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/search"
)

// alike returns the sample with this number of copies of its first source.
func alike(copies int) *Report {
	r := sample()
	first, own := 0, []search.Passage{}
	for _, p := range r.Passages {
		if p.Source == first {
			own = append(own, p)
		}
	}
	for k := range copies {
		s := r.Sources[first]
		s.ID, s.Name, s.Title, s.Author, s.LikeSource = fmt.Sprintf("%016x", 1000+k), fmt.Sprintf("copy %d.txt", k), "", "", &first
		for _, p := range own {
			p.Source = len(r.Sources)
			r.Passages = append(r.Passages, p)
		}
		r.Sources = append(r.Sources, s)
	}
	r.Sources[first].Alike = copies
	return measured(r)
}

// TestTextShowsOneForAll: a thousand copies of a source are one of the list, and
// their passages are quoted once; a score does not change by that.
func TestTextShowsOneForAll(t *testing.T) {
	one, many := render(t, "text", sample(), Options{}), render(t, "text", alike(1000), Options{})
	for _, want := range []string{"the same passages are in 1,000 more documents", "copy 4.txt", "…"} {
		if !strings.Contains(many, want) {
			t.Errorf("the report does not say %q:\n%.3000s", want, many)
		}
	}
	if strings.Contains(many, "copy 5.txt") {
		t.Error("more copies are named than fit on a screen")
	}
	if a, b := strings.Count(one, "  | "), strings.Count(many, "  | "); a != b {
		t.Errorf("%d lines are quoted, want %d as without copies", b, a)
	}
}

// TestTextParagraphsShowOneForAll: of copies with the same figures in a paragraph
// the first is named, and one with others for itself.
func TestTextParagraphsShowOneForAll(t *testing.T) {
	r := alike(30)
	for i := range r.Paragraphs {
		par := &r.Paragraphs[i]
		for _, s := range par.Sources {
			if s.Source != 0 {
				continue
			}
			for k := range 30 {
				s.Source = len(r.Sources) - 30 + k
				par.Sources = append(par.Sources, s)
			}
			par.Sources[len(par.Sources)-1].Match.Run++
		}
	}
	text := render(t, "text", r, Options{})
	_, text, _ = strings.Cut(text, "Paragraphs:")
	if last := fmt.Sprintf("; %d: ", len(r.Sources)); !strings.Contains(text, last) {
		t.Errorf("the copy with another run, %q, is not named:\n%.2000s", last, text)
	}
	if copied := fmt.Sprintf("; %d: ", len(r.Sources)-1); strings.Contains(text, copied) {
		t.Errorf("a copy with the figures of the first, %q, is named:\n%.2000s", copied, text)
	}
}

// TestTextShowsWhatWasDecidedOnOne: where a reader left out one of several copies,
// each is listed, since the others count.
func TestTextShowsWhatWasDecidedOnOne(t *testing.T) {
	for _, tt := range []struct {
		out    []int
		listed bool
	}{{nil, false}, {[]int{0}, true}, {[]int{3}, true}, {[]int{0, 2, 3, 4}, false}} {
		r := alike(3)
		r.Review = &Review{}
		for _, i := range tt.out {
			r.Review.Sources = append(r.Review.Sources, Decision{Index: i, Reason: "own"})
		}
		Apply(r)
		folded := strings.Contains(render(t, "text", r, Options{}), "the same passages are in 3 more documents")
		if folded == tt.listed {
			t.Errorf("without sources %v: copies are shown as one: %v", tt.out, folded)
		}
	}
}
