package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/search"
)

// besideTexts are two texts that share two places in another order, the second of them also as a
// part of a longer one.
func besideTexts(a, b string) (x, y *Report) {
	report := func(id, text, other string) *Report {
		words := len(strings.Fields(text))
		return &Report{Result: search.Result{Suspect: search.Suspect{ID: id, Text: text, Bytes: len(text), Words: words},
			Sources: []search.Source{{ID: other, Among: true}}}}
	}
	return report("a", a, "b"), report("b", b, "a")
}

// share adds a passage to the report on a text: what, which the other text has as well.
func share(t *testing.T, r, other *Report, what, origin string) {
	t.Helper()
	at, from := strings.Index(r.Suspect.Text, what), strings.Index(other.Suspect.Text, origin)
	if at < 0 || from < 0 {
		t.Fatalf("a text lacks %q", what)
	}
	n := len(strings.Fields(what))
	r.Passages = append(r.Passages, search.Passage{Suspect: search.Span{Start: at, End: at + len(what)}, Origin: search.Span{Start: from, End: from + len(origin)},
		Word: len(strings.Fields(r.Suspect.Text[:at])), Words: n, Matched: n, Run: n, Grade: search.Verbatim})
}

// shown returns pieces as a text: [1:…] for a place, [1+:…] for a further piece of it, {…} for what most have.
func shown(list []Piece) string {
	var b strings.Builder
	for _, p := range list {
		switch {
		case p.Common:
			b.WriteString("{" + p.Text + "}")
		case p.Place == 0:
			b.WriteString(p.Text)
		default:
			b.WriteString("[" + string(rune('0'+p.Place)))
			if !p.First {
				b.WriteString("+")
			}
			b.WriteString(":" + p.Text + "]")
		}
	}
	return b.String()
}

// TestBeside: the places of both reports are marked in both texts by the same numbers; those that overlap
// are one place. A place that is not one of its text, or was left out, is not marked.
func TestBeside(t *testing.T) {
	a, b := besideTexts("o žluté lišce běží pes\nkonec dne", "konec dne a o žluté lišce skočí")
	share(t, a, b, "žluté lišce", "žluté lišce")
	share(t, b, a, "o žluté lišce", "o žluté lišce")
	share(t, a, b, "konec dne", "konec dne")
	s := BesideOf(a, b, false)
	if got, want := shown(s.A), "[1:o žluté lišce] běží pes\n[2:konec dne]"; got != want {
		t.Errorf("the first text is %q, want %q", got, want)
	}
	if got, want := shown(s.B), "[2:konec dne] a [1:o žluté lišce] skočí"; got != want {
		t.Errorf("the second text is %q, want %q", got, want)
	}
	if s.Both.Words != 4 || s.Both.PercentA == 0 || s.Both.PercentB == 0 {
		t.Errorf("the pair is %+v, want 4 words", s.Both)
	}
	for _, wrong := range [][2]int{{3, 9}, {-1, 4}, {4, 4}, {0, 1000}, {1000, 1001}} { // 3 is inside a character
		x, y := besideTexts(a.Suspect.Text, b.Suspect.Text)
		share(t, x, y, "konec dne", "konec dne")
		x.Passages[0].Suspect.Start, x.Passages[0].Suspect.End = wrong[0], wrong[1]
		if got := shown(BesideOf(x, y, false).A); got != x.Suspect.Text {
			t.Errorf("%v: %q, want no place", wrong, got)
		}
	}
	for _, r := range []*Report{a, b} {
		r.Review = &Review{Sources: []Decision{{Index: 0, Reason: "own"}}}
	}
	if got := shown(BesideOf(a, b, false).B); got != b.Suspect.Text {
		t.Errorf("after both were left out: %q", got)
	}
	if s := BesideOf(&Report{}, &Report{}, false); len(s.A) > 1 || s.Both.Words != 0 {
		t.Errorf("two empty texts: %+v", s)
	}
}

// TestBesideCommon: what most texts have is marked as such, and as shared on demand only.
func TestBesideCommon(t *testing.T) {
	r := withDeclaration(true)
	other := &Report{Result: search.Result{Suspect: search.Suspect{ID: r.Sources[4].ID, Text: r.Suspect.Text, Bytes: len(r.Suspect.Text), Words: r.Suspect.Words}}}
	for i := range r.Passages {
		r.Passages[i].Origin = r.Passages[i].Suspect
	}
	places := func(list []Piece) (places, common int) {
		for _, p := range list {
			if p.Place > 0 {
				places += len(p.Text)
			}
			if p.Common {
				common += len(p.Text)
			}
		}
		return places, common
	}
	without, common := places(BesideOf(r, other, false).A)
	with, none := places(BesideOf(r, other, true).A)
	if common == 0 || without == 0 || with <= without || none != 0 {
		t.Errorf("%d bytes shared and %d that most have; with these, %d and %d", without, common, with, none)
	}
	text := func(list []Piece) (s string) {
		for _, p := range list {
			s += p.Text
		}
		return s
	}
	if got := text(BesideOf(r, other, false).A); got != r.Suspect.Text {
		t.Errorf("the pieces are %q, want the text", got)
	}
}

// TestPlaceNumbers: stretches that overlap in either text have one number; those that touch do not.
func TestPlaceNumbers(t *testing.T) {
	list := []sharedStretch{{[2]int{0, 10}, [2]int{50, 60}}, {[2]int{5, 8}, [2]int{0, 3}}, {[2]int{12, 14}, [2]int{2, 4}}, {[2]int{20, 25}, [2]int{4, 9}}, {[2]int{25, 30}, [2]int{55, 58}}}
	if got, want := placeNumbers(list), []int{1, 1, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("placeNumbers = %v, want %v", got, want)
	}
}
