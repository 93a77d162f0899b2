package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/search"
)

// joinedSample returns a result with a joined passage of two parts, and the same result as it was before passages were joined.
func joinedSample() (after, before *Report) {
	make := func() *Report {
		origin := "The keeper counted every ship that passed the rocks. Nobody had asked him. He wrote down the sound of their bells in the fog."
		text := "My words first. The keeper counted every ship that passed the rocks. As I see it. He wrote down the sound of their bells in the fog. The end of it."
		r := &Report{Result: search.Result{
			Index: search.Index{Kind: search.KindIndex, Name: "tales", Documents: 1, Searched: 1, Grams: 20}, Settings: search.Settings{N: 5},
			Suspect: search.Suspect{Path: "essay.txt", Format: "text", NewLine: "blank", Text: text, Paragraphs: 1},
			Sources: []search.Source{{ID: fmt.Sprintf("%016x", 1), Name: "keeper.txt", Words: 24, Bytes: int64(len(origin)),
				Excerpts: []search.Excerpt{{Span: spanOf(origin, origin), Text: origin}}}},
		}}
		for _, part := range []string{"The keeper counted every ship that passed the rocks", "He wrote down the sound of their bells in the fog"} {
			r.Passages = append(r.Passages, aPassage(r, 0, origin, search.Verbatim, part, part, part))
		}
		return measured(r)
	}
	after, before = make(), make()
	a, b := after.Passages[0], after.Passages[1]
	after.Joined = []search.Joined{{Source: 0, Parts: []int{1, 2}, Suspect: search.Span{Start: a.Suspect.Start, End: b.Suspect.End, RuneStart: a.Suspect.RuneStart, RuneEnd: b.Suspect.RuneEnd},
		Origin: search.Span{Start: a.Origin.Start, End: b.Origin.End, RuneStart: a.Origin.RuneStart, RuneEnd: b.Origin.RuneEnd},
		Words:  a.Words + b.Words, OriginWords: a.OriginWords + b.OriginWords, Between: b.Word - a.Word - a.Words, Matched: a.Matched + b.Matched, Run: max(a.Run, b.Run), Counted: a.Counted + b.Counted}}
	return after, before
}

// TestJoinedInFormats: JSON and HTML keep a joined passage, and the text report quotes its parts, with the words between
// them apart.
func TestJoinedInFormats(t *testing.T) {
	r, _ := joinedSample()
	for name, read := range map[string]func() (*Report, error){
		"json": func() (*Report, error) { return ReadJSON(strings.NewReader(render(t, "json", r, Options{}))) },
		"html": func() (*Report, error) { return ReadHTML(strings.NewReader(render(t, "html", r, Options{}))) },
	} {
		if got, err := read(); err != nil || !reflect.DeepEqual(got.Joined, r.Joined) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, r.Joined)
		}
	}
	text := render(t, "text", r, Options{})
	for _, want := range []string{"1 passage", "one passage of 20 words in 2 parts, 4 words between", ". As I see it", "| The keeper", "| He wrote"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text report lacks %q:\n%s", want, text)
		}
	}
	if rows := RowOf(r, ""); rows.Passages != 1 {
		t.Errorf("a row counts %d passages, want 1", rows.Passages)
	}
	r.Joined[0].Parts = []int{1, 3}
	if _, err := ReadJSON(strings.NewReader(spoiledJSON(t, r))); err == nil {
		t.Error("a part that does not exist is accepted")
	}
}

// TestOldDecisionsOnParts: a decision that was made before passages were joined leaves out the part that it names, and no other.
func TestOldDecisionsOnParts(t *testing.T) {
	r, before := joinedSample()
	d := &Decisions{Kind: "decisions", Format: Version}
	d.Suspect.Path, d.Suspect.Bytes, d.Suspect.Words = before.Suspect.Path, before.Suspect.Bytes, before.Suspect.Words
	old := before.Passages[1]
	d.Passages = []PassageDecision{{Number: 2, Source: before.Sources[0].ID, Suspect: [2]int{old.Suspect.Start, old.Suspect.End}, Origin: [2]int{old.Origin.Start, old.Origin.End}, Reason: "quoted"}}
	saved, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadDecisions(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	if err := Decide(r, read); err != nil {
		t.Fatal(err)
	}
	if got, want := r.Review.Score.Covered, r.Passages[0].Words; got != want || len(r.Notes) != 0 || r.Review.Remains[0].Passages != 1 {
		t.Errorf("%d words count, in %d passages, notes %v; want %d words of the first part", got, r.Review.Remains[0].Passages, r.Notes, want)
	}
	if text := render(t, "text", r, Options{}); strings.Contains(text, "| He wrote") || !strings.Contains(text, "| The keeper") {
		t.Errorf("the text report quotes the part that is left out, or not the other:\n%s", text)
	}
}

// TestFilterOfJoined: the parts of a joined passage reach the least number of words together.
func TestFilterOfJoined(t *testing.T) {
	for words, want := range map[int]int{15: 20, 20: 20, 21: 0} {
		r, _ := joinedSample()
		r.Review = &Review{Filter: Filter{PassageWords: words}}
		Apply(r)
		if got := r.Review.Score.Covered; got != want {
			t.Errorf("from %d words on, %d words count, want %d", words, got, want)
		}
	}
}

// testPageOfJoined: one press selects the whole passage, its parts and the words between them are marked in both texts, and leaving it out leaves out
// both parts.
func testPageOfJoined(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r, _ := joinedSample()
	open(t, p, r)
	expect(t, p, "places", `document.getElementById("counts").textContent.split(",")[0]`, "1 place")
	p.Eval(`document.querySelector('mark[data-p="1"]').click()`, nil)
	expect(t, p, "parts selected", `[...document.querySelectorAll("#suspect-text mark.selected")].map((m) => m.textContent.slice(0, 3)).join()`, "The,He ")
	expect(t, p, "words between", `document.querySelector("#suspect-text .between").textContent.trim()`, ". As I see it.")
	expect(t, p, "words between in the source", `document.querySelector("#source-text .between").textContent.trim()`, ". Nobody had asked him.")
	expect(t, p, "figures", `document.getElementById("pane-facts").textContent.includes("20 words") && document.getElementById("pane-facts").textContent.includes("2 parts of one passage, 4 words")`, "true")
	p.Eval(`document.getElementById("exclude-passage").click(); document.querySelector("#decide .end button").click()`, nil)
	expect(t, p, "left out", `document.getElementById("covered").textContent`, "0")
}
