package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/search"
)

// withDeclaration returns the result on a text of a class: 21 others have its first ten
// words, and one of them the twelve at its end.
func withDeclaration(among bool) *Report {
	words := strings.Fields("I declare that this thesis is my own work entirely. " +
		"What follows was written by nobody else but me alone in one summer. " +
		"These twelve words were copied from one other text of that class.")
	text := strings.Join(words, " ")
	r := &Report{Result: search.Result{
		Index: search.Index{Kind: search.KindIndex, Name: "class", Documents: 21, Searched: 21, Grams: 400}, Settings: search.Settings{N: 7},
		Suspect: search.Suspect{Path: "thesis.txt", Format: "text", NewLine: "blank", Text: text, Paragraphs: 1},
	}}
	if among {
		r.Index.Documents, r.Index.Searched, r.Index.Among = 1000, 1000, 21
	}
	here := strings.Join(words[:10], " ")
	copied := strings.Join(words[len(words)-12:], " ")
	for i := range 21 {
		r.Sources = append(r.Sources, search.Source{ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("class/%02d.txt", i+1), Among: among,
			Match: search.Match{Grams: 30, Matched: 4, Run: 10}, Words: 100, Bytes: int64(len(text)), Excerpts: []search.Excerpt{{Span: spanOf(text, text), Text: text}}})
		r.Passages = append(r.Passages, aPassage(r, i, text, search.Verbatim, here, here, here))
	}
	r.Passages = append(r.Passages, aPassage(r, 4, text, search.Verbatim, copied, copied, copied))
	return measured(r)
}

// TestSpots: a declaration that 21 sources have is one place.
func TestSpots(t *testing.T) {
	r := withDeclaration(false)
	total := remaining(r)
	spots := spotsOf(r, &total)
	if len(spots) != 2 || len(spots[0].passages) != 21 || len(spots[1].passages) != 1 {
		t.Errorf("places: %v, want one of 21 passages and one of 1", spots)
	}
	if got := countsIn(english(), r); got != "2 places, 21 sources" {
		t.Errorf("counts: %q", got)
	}
}

// TestEverybodyHas: what half of the documents have is recognised, in an index and in a
// class that is small beside the index; what few have is not.
func TestEverybodyHas(t *testing.T) {
	for _, among := range []bool{false, true} {
		r := withDeclaration(among)
		got := everybodyHas(r)
		want := []stretch{{word: 0, words: 10, place: [2]int{0, r.Passages[0].Suspect.End}, sources: 21, of: 21}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("among %v: %v, want %v", among, got, want)
		}
		text := render(t, "text", r, Options{})
		if n := strings.Count(text, "I declare"); n != 1 || !strings.Contains(text, "in 21 of 21 documents") || !strings.Contains(text, "--template") {
			t.Errorf("the text report names the declaration %d times, want once, and how many have it:\n%s", n, text)
		}
		if verbose := render(t, "text", r, Options{Places: true}); strings.Count(verbose, "| I declare") != 22 {
			t.Errorf("-v does not quote all passages:\n%s", verbose)
		}
	}
	few := withDeclaration(false)
	few.Index.Searched = 43
	if got := everybodyHas(few); got != nil {
		t.Errorf("21 of 43 documents: %v, want none", got)
	}
	few = sample()
	few.Index.Searched = 2
	if got := everybodyHas(few); got != nil {
		t.Errorf("2 of 2 documents: %v, want none: two are no custom", got)
	}
}

// TestLeftOutPlace: a place left out counts in no source, in every format, and is read
// back from JSON and HTML.
func TestLeftOutPlace(t *testing.T) {
	r := withDeclaration(false)
	d := &Decisions{Kind: "decisions", Format: Version}
	d.Suspect.Path, d.Suspect.Bytes, d.Suspect.Words = r.Suspect.Path, r.Suspect.Bytes, r.Suspect.Words
	first := r.Passages[0]
	d.Places = []LeftOut{{Suspect: [2]int{first.Suspect.Start, first.Suspect.End}, Word: first.Word, Words: first.Words, Reason: "template", Note: "the form"}}
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
	if got := r.Review.Score.Covered; got != 12 {
		t.Errorf("words that count: %d, want 12", got)
	}
	again, err := ReadJSON(strings.NewReader(render(t, "json", r, Options{})))
	if err != nil || !reflect.DeepEqual(again.Review.Places, r.Review.Places) {
		t.Errorf("places read back: %v, %v", again.Review.Places, err)
	}
	if text := render(t, "text", r, Options{}); !strings.Contains(text, "without the place “I declare that") {
		t.Errorf("the text report does not name the place:\n%s", text)
	}
	read.Places[0].Words = 1 << 20
	other := withDeclaration(false)
	if err := Decide(other, read); err != nil || len(other.Review.Places) != 0 || len(other.Notes) != 1 {
		t.Errorf("a place that the text does not have: %v, %v, notes %v", err, other.Review.Places, other.Notes)
	}
}

// withoutDeclaration returns the same with the declaration left out.
func withoutDeclaration() *Report {
	r := withDeclaration(false)
	p := r.Passages[0]
	r.Review = &Review{Places: []LeftOut{{Suspect: [2]int{p.Suspect.Start, p.Suspect.End}, Word: p.Word, Words: p.Words, Reason: "template", Note: "the form", By: "N. N."}}}
	Apply(r)
	return r
}

// testPlacesScript compares the places of the page with those of Go.
func testPlacesScript(t *testing.T, p *browser.Page) {
	rnd := rand.New(rand.NewPCG(5, 6))
	script, err := files.ReadFile("templates/places.js")
	if err != nil {
		t.Fatal(err)
	}
	for round := range 300 {
		r := &Report{Result: search.Result{Suspect: search.Suspect{Words: 80}, Sources: make([]search.Source, 3)}}
		for range rnd.IntN(14) {
			r.Passages = append(r.Passages, search.Passage{Source: rnd.IntN(3), Grade: search.Verbatim, Word: rnd.IntN(50), Words: 1 + rnd.IntN(30), Matched: rnd.IntN(9)})
		}
		slices.SortStableFunc(r.Passages, func(a, b search.Passage) int { return a.Word - b.Word })
		for i := range r.Passages {
			r.Passages[i].Number = i + 1
			if i > 0 && rnd.IntN(3) == 0 {
				r.Joined = append(r.Joined, search.Joined{Parts: []int{i, i + 1}})
			}
		}
		total := remaining(r)
		joined := joinedNumbers(r)
		want := [][3]int{}
		for _, s := range spotsOf(r, &total) {
			want = append(want, [3]int{s.best, s.lead, len(s.passages)})
		}
		passages := []pagePassage{}
		parts := []map[string]any{}
		for i, q := range r.Passages {
			passages = append(passages, pagePassage{Word: q.Word, Words: q.Words, Joined: joined[i]})
			parts = append(parts, map[string]any{"out": total.Passages[i].Out, "counted": total.Passages[i].Counted})
		}
		a, _ := json.Marshal(passages)
		b, _ := json.Marshal(parts)
		got := [][3]int{}
		p.Eval(fmt.Sprintf(`(() => { %s return placesOf(%s, {passages: %s}).map((s) => [s.best, s.lead, s.passages.length]); })()`, script, a, b), &got)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: the page has the places %v, Go %v of %+v", round, got, want, r.Passages)
		}
	}
}

// testPageOfEverybody: what 21 documents have is one place that n stops at once; to
// leave out one source says why the score stays; one press leaves the place out, in a
// step that can be undone; and paper has it once.
func testPageOfEverybody(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := withDeclaration(false)
	open(t, p, r)
	expect(t, p, "counts", `document.getElementById("counts").textContent`, "2 places, 21 sources")
	expect(t, p, "strongest", `[...document.querySelectorAll("#strongest q")].map((q) => q.textContent.slice(0, 12)).join()`, "These twelve")
	expect(t, p, "what most have", `document.querySelector("#everybody-list li").textContent`, "I declare that this thesis is my own work entirely. in 21 of 21 documents · 10 words")
	p.Press("n")
	expect(t, p, "first place", placeShown, "Place 1 of 2 · source 1 of 21 here")
	p.Press("n")
	expect(t, p, "second place", placeShown, "Place 2 of 2")
	p.Press("p", "x", "Enter")
	expect(t, p, "why the score stays", `document.getElementById("notice-text").firstChild.textContent.replace(/^.* left out/, "")`, ". The score stays 62.9%: 1 other source has the same words.")
	expect(t, p, "what would move it", `document.querySelector("#notice-text button").textContent`, "Leave out this place in all sources")
	p.Press("u")
	p.Eval(`document.getElementById("leave-everybody").click()`, nil)
	left := Review{Places: []LeftOut{{Word: 0, Words: 10}}}
	expectScore(t, p, r, "without what most have", left)
	expect(t, p, "counts", `document.getElementById("counts").textContent`, "1 place, 1 source")
	expect(t, p, "in the list", `document.querySelector("#decided li").textContent.startsWith("place “I declare that")`, "true")
	p.Press("u")
	expectScore(t, p, r, "undone", Review{})
	p.Eval(`window.dispatchEvent(new Event("beforeprint"))`, nil)
	expect(t, p, "on paper", `document.querySelectorAll("#print-passages article").length`, "1")
	p.Eval(`window.dispatchEvent(new Event("afterprint"))`, nil)
	p.Press("Escape", "n", "o", "Enter")
	expectScore(t, p, r, "the place by its key", left)
	open(t, p, r)
	expectScore(t, p, r, "when opened again", left)
	dir := t.TempDir()
	p.Download(dir)
	p.Eval(`document.getElementById("save").click()`, nil)
	d := savedDecisions(t, filepath.Join(dir, "thesis.txt.decisions.json"))
	if err := Decide(r, d); err != nil || len(r.Notes) > 0 || len(r.Review.Places) != 1 || r.Review.Score.Covered != 12 {
		t.Errorf("as saved: %v, notes %v, review %+v", err, r.Notes, r.Review)
	}
	open(t, p, r)
	expectScore(t, p, r, "of a report with that review", left)
	p.Press("n", "p")
	clean(t, p)
}
