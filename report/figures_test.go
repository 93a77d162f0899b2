package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/search"
)

// overParagraphs returns a result whose longest run crosses the ends of paragraphs: 120 equal
// words, in paragraphs of 20.
func overParagraphs() *Report {
	r := sample()
	r.Match.Run = 20
	for i := range r.Sources {
		r.Sources[i].Match.Run = 20
	}
	for i := range r.Passages {
		r.Passages[i].Run = 3
	}
	r.Passages[0].Run = 120 // from the first source
	return r
}

// TestLongestRun: every page states the run over the ends of paragraphs, and the run
// within a paragraph under that name only.
func TestLongestRun(t *testing.T) {
	r := overParagraphs()
	runs, longest := longestRuns(r)
	if longest != 120 || runs[0] != 120 || runs[1] != 20 {
		t.Errorf("longestRuns = %v, %d, want 120 and 20, 120", runs, longest)
	}
	if text := render(t, "text", r, Options{}); !strings.Contains(text, "longest run: 120 words\n") {
		t.Errorf("the text report does not state the longest run of 120 words:\n%s", text)
	}
	facts := map[string]string{}
	for _, f := range htmlFacts(english(), r) {
		facts[f.Term.Name] = f.Value
	}
	if facts["Longest run"] != "120 words" || facts["Longest run within a paragraph"] != "20 words" {
		t.Errorf("facts of the page: %v", facts)
	}
	if got := htmlSources(english(), r)[0].Run; got != "120" {
		t.Errorf("table of sources: %s, want 120", got)
	}
	if s := Summarize(r, ""); s.Run != 120 {
		t.Errorf("overview: %d, want 120", s.Run)
	}
	if row := RowOf(r, ""); row.LongestRun != 120 || row.Run != 20 {
		t.Errorf("list of texts: run %d, longest run %d, want 20, 120", row.Run, row.LongestRun)
	}
}

// TestGramsOfOtherSize: a share of n-grams under which nothing is indexed is not
// stated as 0 %.
func TestGramsOfOtherSize(t *testing.T) {
	r := sample()
	r.Index.Grams, r.Match.Percent, r.Match.Matched = 0, 0, 0
	r.Sources[0].Match.N, r.Sources[1].Match.Percent = 5, 84.9 // the best source is not the first
	text := render(t, "text", r, Options{})
	if !strings.Contains(text, "7-grams: none are indexed") || !strings.Contains(text, "5-grams: 84.9% in source 2") {
		t.Errorf("n-grams of the text report:\n%s", text)
	}
	page := overviewOf(t, &Overview{Suspects: []Summary{Summarize(r, "")}, Index: r.Index})
	if strings.Contains(page, "<td>0.0%</td>") {
		t.Error("the overview states 0.0% of n-grams that are not indexed")
	}
}

// TestRemains: a review leaves out a source whose passages it leaves out, and not one without passages.
func TestRemains(t *testing.T) {
	r := sample()
	r.Sources = append(r.Sources, search.Source{Name: "without passages.txt"})
	if list, gone := remains(r); list[0].Passages != 2 || list[1].Passages != 1 || slices.Contains(gone, true) {
		t.Errorf("without a review: remains %+v, left out %v, want 2, 1 and 0 passages of sources that all remain", list, gone)
	}
	r.Review = &Review{Remains: []Remains{{Passages: 1}, {}, {}}}
	if list, gone := remains(r); list[0].Passages != 1 || !slices.Equal(gone, []bool{false, true, false}) {
		t.Errorf("after a review: remains %+v, left out %v, want only the second left out", list, gone)
	}
}

// TestSourceOfTheSameRun: the text report names a source that is another text of the run.
func TestSourceOfTheSameRun(t *testing.T) {
	const line = "another text that was checked with this one"
	r := sample()
	if text := render(t, "text", r, Options{}); strings.Contains(text, line) {
		t.Errorf("a source of the index is %s:\n%s", line, text)
	}
	r.Sources[1].Among = true
	if text := render(t, "text", r, Options{}); strings.Count(text, line) != 1 {
		t.Errorf("no source is %s:\n%s", line, text)
	}
}

// TestScoreWithoutReview: what flags leave out is no review.
func TestScoreWithoutReview(t *testing.T) {
	r := reviewed()
	if text := render(t, "text", r, Options{}); strings.Contains(text, "after review") {
		t.Errorf("nobody reviewed the text:\n%s", text)
	}
	r.Review.By = "N. N."
	if text := render(t, "text", r, Options{}); !strings.Contains(text, "after review") {
		t.Errorf("N. N. reviewed the text:\n%s", text)
	}
}

// TestSourcesOfOneTitle: sources of one title are known from each other by their names.
func TestSourcesOfOneTitle(t *testing.T) {
	r := sample()
	for i := range r.Sources {
		r.Sources[i].Title, r.Sources[i].Author, r.Sources[i].Year = "Template", "", 0
	}
	s := Summarize(r, "")
	if s.Top != "Template" || s.TopPath != r.Sources[0].Name {
		t.Errorf("top source %q, %q", s.Top, s.TopPath)
	}
	if page := overviewOf(t, &Overview{Suspects: []Summary{s}}); !strings.Contains(page, r.Sources[0].Name) {
		t.Error("the overview names the source by its title alone")
	}
}

// TestFiguresWithoutTheTextItself: a text that is in the index is no source, passage, run
// or share of itself in the overview and the list of texts.
func TestFiguresWithoutTheTextItself(t *testing.T) {
	r := overParagraphs()
	r.Sources[0].Own = search.OwnFile
	r.WithItself = &r.Score
	recount(r)
	s, row := Summarize(r, ""), RowOf(r, "")
	if s.Sources != 1 || s.Passages != 1 || s.Run != 20 || s.Top != r.Sources[1].Name || !s.NoGrams {
		t.Errorf("overview: %+v", s)
	}
	if row.Sources != 1 || row.Passages != 1 || row.Run != 20 || row.LongestRun != 20 {
		t.Errorf("list of texts: %+v", row.RowCount)
	}
	if want := r.Score.Percent; s.Found != want || s.Percent != want || row.Found != want || row.Percent != want || want >= r.WithItself.Percent {
		t.Errorf("%v and %v %% in the overview, %v and %v %% in the list of texts, want %v without the text itself; with it %v %%", s.Percent, s.Found, row.Percent, row.Found, want, r.WithItself.Percent)
	}
}
