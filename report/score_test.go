package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// reworded returns the sample with the passages of its second source only, graded reworded.
func reworded() *Report {
	r := sample()
	r.Unsearched = nil
	var left []search.Passage
	for _, p := range r.Passages {
		if p.Source == 1 {
			p.Grade, p.Kind = search.Reworded, search.KindAligned
			left = append(left, p)
		}
	}
	r.Passages = left
	return measured(r)
}

// itself returns the sample as the result of a check of a text that is in the index: as its first source.
func itself() *Report {
	r := sample()
	r.Sources[0].Own = search.OwnFile
	r.WithItself = &search.Score{}
	recount(r)
	return r
}

// TestRewordedOnly: every format states beside the number that a score consists of reworded words
// only, with the longest run in its passages, and no format does for other scores.
func TestRewordedOnly(t *testing.T) {
	r := reworded()
	want := fmt.Sprintf("Score: %s – reworded words only; longest run 5 words\n", english().Percent(r.Score.Percent))
	if text := render(t, "text", r, Options{}); !strings.Contains(text, want) {
		t.Errorf("text report without %q:\n%s", want, text)
	}
	for language, want := range map[string]string{
		"cs": "jen přeformulovaná slova; nejdelší souvislá shoda 5 slov", "de": "nur umformulierte Wörter; längste wörtliche Folge 5 Wörter",
		"sk": "len preformulované slová; najdlhšia súvislá zhoda 5 slov",
	} {
		if text := render(t, "text", r, Options{Lang: lang.Of(language)}); !strings.Contains(text, want) {
			t.Errorf("text report in %s without %q", language, want)
		}
	}
	for format, want := range map[string]string{"json": `"reworded_only": true`, "xml": `reworded-only="true"`, "html": "reworded words only; longest run 5 words"} {
		if !strings.Contains(render(t, format, r, Options{}), want) {
			t.Errorf("%s report without %q", format, want)
		}
		if strings.Contains(render(t, format, sample(), Options{}), want) {
			t.Errorf("%s report of other passages has %q", format, want)
		}
	}
	if page := overviewOf(t, &Overview{Suspects: []Summary{Summarize(r, "")}}); !strings.Contains(page, "<small>reworded words only; longest run 5 words</small>") {
		t.Error("the overview does not state that the words are reworded only")
	}
	if page := overviewOf(t, &Overview{Suspects: []Summary{Summarize(sample(), "")}}); !strings.Contains(page, "<small>verbatim 44.2%, lightly edited 26.9%</small>") {
		t.Error("the overview does not state the shares of the grades")
	}
	if row := RowOf(r, ""); !row.RewordedOnly || row.Reworded != r.Score.Covered || row.CountedRun != 5 || RowOf(sample(), "").RewordedOnly {
		t.Errorf("list of texts: %+v", row.RowGrades)
	}
	r.Review = &Review{Filter: Filter{Grades: []string{search.Reworded}}}
	if Apply(r); RewordedOnly(english(), r.Final()) != "" {
		t.Error("a score of no words is said to have reworded words only")
	}
}

// TestReportOfTheTextItself: a text that is in the index has one score, that of other documents, in every
// format. The figure with the text itself has another name.
func TestReportOfTheTextItself(t *testing.T) {
	r := itself()
	if r.Score.Percent >= r.WithItself.Percent || r.Score.Covered == 0 {
		t.Fatalf("score %+v, with itself %+v", r.Score, r.WithItself)
	}
	percent, with := english().Percent(r.Score.Percent), english().Percent(r.WithItself.Percent)
	text := render(t, "text", r, Options{})
	if !strings.Contains(text, "Score: at least "+percent+"\n") || strings.Contains(text, "Score: at least "+with) {
		t.Errorf("text report:\n%s", text)
	}
	page := render(t, "html", r, Options{})
	if !strings.Contains(page, "<b data-percent>"+percent+"</b>") || strings.Contains(page, "<b data-percent>"+with+"</b>") {
		t.Error("the page shows another score")
	}
	for format, want := range map[string]string{
		"json": fmt.Sprintf("\"score_with_itself\": {\n    \"words\": %d,\n    \"covered\": %d,", r.WithItself.Words, r.WithItself.Covered),
		"xml":  fmt.Sprintf("<score-with-itself words=\"%d\" covered=\"%d\"", r.WithItself.Words, r.WithItself.Covered),
	} {
		if !strings.Contains(render(t, format, r, Options{}), want) {
			t.Errorf("%s report without %q", format, want)
		}
	}
	back, err := ReadHTML(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if back.Final().Percent != r.Score.Percent || back.Review != nil {
		t.Errorf("read from the page: %v %%, review %v; want %v %%, none", back.Final().Percent, back.Review, r.Score.Percent)
	}
	IncludeSelf(back)
	if back.Score.Covered != r.WithItself.Covered || back.WithItself != nil || back.Passages[0].Counted == 0 {
		t.Errorf("with the text itself: %+v, %+v", back.Score, back.WithItself)
	}
}

// TestOlderReportOfTheTextItself: reports of earlier versions count the text itself in their scores, and leave it out in
// their reviews. The score that is read from them is that of other documents, unless the text itself was to count.
func TestOlderReportOfTheTextItself(t *testing.T) {
	older := func() *Report {
		r := measured(itself())
		r.WithItself = nil
		r.Score.Percents, r.Score.Run = nil, 0
		return r
	}
	want := itself()
	for _, tt := range []struct {
		name   string
		review *Review
		want   search.Score
		passed int
	}{
		{"left out", &Review{Sources: []Decision{{Index: 0, Reason: "own"}}}, want.Score, want.Passages[2].Counted},
		{"counted", nil, *want.WithItself, older().Passages[2].Counted},
		{"counted again by a reader", &Review{By: "A. B."}, *want.WithItself, older().Passages[2].Counted},
	} {
		r := older()
		r.Review = tt.review
		Apply(r)
		back, err := ReadJSON(strings.NewReader(render(t, "json", r, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(back.Score); got != fmt.Sprint(tt.want) || back.Final().Percent != tt.want.Percent {
			t.Errorf("%s: score %s, final %v\nwant %v", tt.name, got, back.Final(), tt.want)
		}
		if back.Passages[2].Counted != tt.passed || (back.WithItself != nil) != (tt.name == "left out") {
			t.Errorf("%s: passage counts %d words, with itself %v; want %d", tt.name, back.Passages[2].Counted, back.WithItself, tt.passed)
		}
	}
}

// testPageOfScores: the script of the page shows what the program does.
func testPageOfScores(t *testing.T, p *browser.Page) {
	open(t, p, reworded())
	expect(t, p, "reworded only", `document.querySelector(".score [data-reworded]").innerText`, "reworded words only; longest run 5 words")
	expect(t, p, "share of reworded words", `document.getElementById("grade-percent-2").innerText`, english().Percent(reworded().Score.Percent))
	p.Eval(`document.getElementById("grade-2").click()`, nil)
	expect(t, p, "nothing left", `document.querySelector(".score [data-reworded]").hidden`, "true")

	r := itself()
	open(t, p, r)
	expect(t, p, "without itself", scoreShown, english().Percent(r.Score.Percent))
	expect(t, p, "as found", `document.getElementById("as-found").hidden`, "true")
	expect(t, p, "left out", `document.querySelector('tr[data-source="0"]').className`, "gone")
	p.Eval(`document.querySelector("#decided button").click()`, nil)
	expect(t, p, "counted again", scoreShown, english().Percent(r.WithItself.Percent))
	expect(t, p, "as found", `document.getElementById("as-found").hidden`, "false")
}

// TestRunOfATotal: passages that are out have no run.
func TestRunOfATotal(t *testing.T) {
	r := sample()
	want := 0
	for _, p := range r.Passages {
		if p.Source == 1 {
			want = max(want, p.Run)
		}
	}
	if got := inputOf(r).Count(score.Choice{Sources: map[int]bool{0: true}}).Run; got != want || got >= r.Score.Run {
		t.Errorf("longest run %d without the first source, want %d; %d with it", got, want, r.Score.Run)
	}
}
