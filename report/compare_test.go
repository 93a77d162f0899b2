package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/search"
)

// revised returns the sample after a revision: a new beginning shifts the rest, the passage
// from the garden was rewritten, and one was added from a source of the first check.
func revised() *Report {
	r := sample()
	before := r.Passages
	r.Suspect.Text = "Nový úvod, který nikde není. Tiché léto na vsi začalo toho roku časně.\n\n" + strings.Replace(vypraveč, "Zahrada naší babičky", "Zahrada", 1)
	lipa := suspectText(sample(), before[0].Suspect)
	r.Passages = []search.Passage{
		aPassage(r, 0, vesnice, search.Verbatim, "Tiché léto na vsi začalo toho roku časně", "Tiché léto na vsi začalo toho roku časně", "Tiché léto na vsi začalo toho roku časně"),
		aPassage(r, 0, vesnice, search.Verbatim, lipa, lipa, lipa),
		aPassage(r, 0, vesnice, search.Verbatim, "Stará lípa u kostela voněla do dálky,", "Stará lípa u kostela voněla do dálky", "Stará lípa u kostela voněla do dálky"),
	}
	r.Sources = r.Sources[:1]
	r.Paragraphs, r.Exclusions = nil, nil
	return measured(r)
}

func TestCompare(t *testing.T) {
	before, after := sample(), revised()
	c := compare(before, after)
	if !slices.Equal(c.gone, []int{1}) || !slices.Equal(c.isNew, []bool{true, false, false}) {
		t.Errorf("gone %v, new %v; want the passage from the garden gone, and the first new", c.gone, c.isNew)
	}
	if c := compare(before, sample()); len(c.gone) > 0 || slices.Contains(c.isNew, true) {
		t.Errorf("compared with itself: gone %v, new %v", c.gone, c.isNew)
	}
	if c := compare(sample(), empty()); len(c.gone) != 3 || len(c.isNew) != 0 {
		t.Errorf("compared with nothing: gone %v, new %v", c.gone, c.isNew)
	}
}

// TestCompareWithoutTexts: passages of a source whose text is missing have no
// place in it; those of the same words are the same.
func TestCompareWithoutTexts(t *testing.T) {
	before, after := sample(), revised()
	for _, r := range []*Report{before, after} {
		for i := range r.Passages {
			r.Passages[i].Origin = search.Span{}
		}
	}
	c := compare(before, after)
	if !slices.Equal(c.gone, []int{1, 2}) || !slices.Equal(c.isNew, []bool{true, false, true}) {
		t.Errorf("gone %v, new %v; want the second only kept", c.gone, c.isNew)
	}
}

func TestComparedPage(t *testing.T) {
	page := render(t, "html", revised(), Options{Before: reviewed()})
	checkHTML(t, page)
	golden.Compare(t, "compared.html", bare(page))
	for _, other := range []struct {
		says   string
		change func(r *Report)
	}{
		{"The earlier check was on another file: b.txt", func(r *Report) { r.Suspect.Path, r.Suspect.Title = "b.txt", "" }},
		{"The collection is a different one", func(r *Report) { r.Index.Documents++ }},
		{"The settings differ", func(r *Report) { r.Settings.N = 5 }},
		{"The settings differ", func(r *Report) { r.Settings.MinRun = nil }},
		{"One of the two checks did not search everything", func(r *Report) {}},
	} {
		before := sample()
		other.change(before)
		if !strings.Contains(render(t, "html", revised(), Options{Before: before}), other.says) {
			t.Errorf("the page does not say: %s", other.says)
		}
	}
	before, after := sample(), revised()
	before.Unsearched, after.Unsearched = nil, nil
	before.Suspect.Flags, after.Suspect.Flags = nil, nil
	if page := render(t, "html", after, Options{Before: before}); strings.Contains(page, `<p class="warn">`) {
		t.Error("the page warns of two checks that can be compared")
	}
}

func TestBeginning(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" two \n words ", "two words"},
		{strings.Repeat("ř", 200), strings.Repeat("ř", 200)},
		{strings.Repeat("pět ", 100), strings.TrimSuffix(strings.Repeat("pět ", 40), " ") + " …"},
	} {
		if got := beginning(tt.text, mostQuoted); got != tt.want {
			t.Errorf("beginning(%.20q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestSame: half of the shorter passage in common is enough, in the source.
func TestSame(t *testing.T) {
	r := sample()
	at := func(start, end int) *search.Passage {
		return &search.Passage{Origin: search.Span{Start: start, End: end}}
	}
	for _, tt := range []struct {
		p, q *search.Passage
		want bool
	}{
		{at(0, 100), at(0, 100), true},
		{at(0, 100), at(50, 150), true},
		{at(0, 100), at(51, 151), false},
		{at(0, 100), at(90, 110), true}, // a shorter one, half of it
		{at(0, 100), at(91, 111), false},
		{at(0, 100), at(100, 200), false},
		{at(100, 200), at(0, 100), false},
	} {
		if got := same(r, tt.p, r, tt.q); got != tt.want || same(r, tt.q, r, tt.p) != tt.want {
			t.Errorf("same(%v, %v) = %v, want %v, both ways", tt.p.Origin, tt.q.Origin, got, tt.want)
		}
	}
}
