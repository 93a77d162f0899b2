package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// open writes the page of r and opens it.
func open(t *testing.T, p *browser.Page, r *Report) {
	t.Helper()
	openPage(t, p, render(t, "html", r, Options{}))
}

func openPage(t *testing.T, p *browser.Page, page string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Open(file)
	clean(t, p)
}

// clean fails the test if the page had an error or asked for anything.
func clean(t *testing.T, p *browser.Page) {
	t.Helper()
	if len(p.Errors) > 0 || len(p.Requests) > 0 {
		t.Fatalf("errors %q, requests %q", p.Errors, p.Requests)
	}
}

const (
	scoreShown  = `document.querySelector(".score [data-percent]").textContent`
	wordsShown  = `document.getElementById("covered").textContent`
	placeShown  = `document.getElementById("pane-place").textContent`
	numberShown = `document.getElementById("pane-number").textContent`
)

// expect fails the test unless script evaluates to want.
func expect(t *testing.T, p *browser.Page, what, script, want string) {
	t.Helper()
	if got := p.Text(script); got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// expectScore fails the test unless the page shows what Go counts for a review.
func expectScore(t *testing.T, p *browser.Page, r *Report, what string, v Review) {
	t.Helper()
	total := inputOf(r).Count(choiceOf(&Report{Result: r.Result, Review: &v}))
	expect(t, p, what+": percent", scoreShown, english().Percent(total.Percent))
	expect(t, p, what+": words", wordsShown, grouped(total.Covered))
	for i, s := range total.Sources {
		expect(t, p, fmt.Sprintf("%s: words of source %d", what, i+1),
			fmt.Sprintf(`document.querySelector('tr[data-source="%d"] .words').textContent`, i), grouped(s.Covered))
	}
}

// TestPages opens pages in one browser, one after another.
func TestPages(t *testing.T) {
	p := browser.Start(t)
	tests := []struct {
		name string
		fn   func(t *testing.T, p *browser.Page)
	}{
		{"ScoreScript", testScoreScript},
		{"OfScores", testPageOfScores},
		{"PlacesScript", testPlacesScript},
		{"OfEverybody", testPageOfEverybody},
		{"ShowsPassage", testPageShowsPassage},
		{"ShowsDoubts", testPageShowsDoubts},
		{"Filters", testPageFilters},
		{"Groups", testPageGroups},
		{"Decisions", testPageDecisions},
		{"KeepsDecisions", testPageKeepsDecisions},
		{"OffersDecisions", testPageOffersDecisions},
		{"Undoes", testPageUndoes},
		{"OfTwoWindows", testPageOfTwoWindows},
		{"KeepsNothing", testPageKeepsNothing},
		{"RefusesDecisions", testPageRefusesDecisions},
		{"KeepsReview", testPageKeepsReview},
		{"KeepsNotes", testPageKeepsNotes},
		{"SavedWhole", testPageSavedWhole},
		{"WithoutScript", testPageWithoutScript},
		{"Keyboard", testPageKeyboard},
		{"FirstScreen", testPageFirstScreen},
		{"Sources", testPageSources},
		{"OneCount", testPageOneCount},
		{"OfCopies", testPageOfCopies},
		{"Compared", testPageCompared},
		{"Languages", testPageLanguages},
		{"OfOverlaps", testPageOfOverlaps},
		{"OfHostileTexts", testPageOfHostileTexts},
		{"WithoutTexts", testPageWithoutTexts},
		{"OfUnknownKind", testPageOfUnknownKind},
		{"OfOneLongWord", testPageOfOneLongWord},
		{"OfHebrew", testPageOfHebrew},
		{"OfManyPassages", testPageOfManyPassages},
		{"Scrolls", testPageScrolls},
		{"OfNothing", testPageOfNothing},
		{"Prints", testPagePrints},
		{"Overview", testPageOverview},
		{"OverviewOfPairs", testOverviewOfPairs},
		{"LinkToAll", testPageLinkToAll},
		{"Accessibility", testAccessibility},
		{"OfJoined", testPageOfJoined},
		{"OfHints", testPageOfHints},
		{"OnPhone", testPageOnPhone},
		{"OfStructure", testPageOfStructure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.fn(t, p.In(t)) })
	}
}

// testScoreScript compares the arithmetic of the page with that of Go.
func testScoreScript(t *testing.T, p *browser.Page) {
	script, err := files.ReadFile("templates/score.js")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	type pick struct {
		Kinds             []string `json:"kinds"`
		Grades            []int    `json:"grades"`
		Sources, Passages []int
		Places            []pageExclusion `json:"places"`
		PassageWords      int             `json:"passageWords"`
		SourceWords       int             `json:"sourceWords"`
		SourcePercent     float64         `json:"sourcePercent"`
	}
	type round struct {
		Words      int             `json:"words"`
		Sources    int             `json:"sources"`
		Grades     int             `json:"grades"`
		Passages   []pagePassage   `json:"passages"`
		Exclusions []pageExclusion `json:"exclusions"`
		Shares     []int           `json:"shares"`
		Pick       pick            `json:"pick"`
		want       score.Total     // by Go
	}
	var rounds []round
	for range 500 {
		x := round{Words: rnd.IntN(80), Sources: 1 + rnd.IntN(4), Grades: 3, Passages: []pagePassage{}, Exclusions: []pageExclusion{}, Shares: []int{}}
		for i := range x.Sources { // the last may have a share
			x.Shares = append(x.Shares, rnd.IntN(x.Words+1)*rnd.IntN(2)*(i/max(1, x.Sources-1)))
		}
		in := &score.Input{Words: x.Words, Sources: x.Sources, Grades: 3, Shares: x.Shares}
		for range rnd.IntN(12) {
			q := score.Passage{Source: rnd.IntN(x.Sources), Word: rnd.IntN(80) - 2, Words: rnd.IntN(25), Matched: rnd.IntN(9), Run: rnd.IntN(9), Grade: rnd.IntN(3)}
			if rnd.IntN(3) == 0 {
				q.Joined = 1 + 2*q.Source + rnd.IntN(2)
			}
			in.Passages = append(in.Passages, q)
			x.Passages = append(x.Passages, pagePassage{Source: q.Source, Word: q.Word, Words: q.Words, Matched: q.Matched, Run: q.Run, Grade: q.Grade, Joined: q.Joined})
		}
		for range rnd.IntN(4) {
			e := score.Stretch{Kind: string(rune('a' + rnd.IntN(2))), Word: rnd.IntN(80) - 2, Words: rnd.IntN(20)}
			in.Excluded = append(in.Excluded, e)
			x.Exclusions = append(x.Exclusions, pageExclusion{Kind: e.Kind, Word: e.Word, Words: e.Words})
		}
		x.Pick = pick{Kinds: []string{"a"}[:rnd.IntN(2)], Grades: []int{rnd.IntN(3)}[:rnd.IntN(2)], Sources: []int{rnd.IntN(6)}, Passages: []int{rnd.IntN(16)},
			Places: []pageExclusion{{Word: rnd.IntN(80), Words: rnd.IntN(20)}}[:rnd.IntN(2)], PassageWords: rnd.IntN(7), SourceWords: rnd.IntN(12), SourcePercent: float64(rnd.IntN(200)) / 10}
		c := score.Choice{Kinds: map[string]bool{"a": len(x.Pick.Kinds) > 0}, Grades: map[int]bool{},
			Sources: map[int]bool{x.Pick.Sources[0]: true}, Passages: map[int]bool{x.Pick.Passages[0]: true},
			PassageWords: x.Pick.PassageWords, SourceWords: x.Pick.SourceWords, SourcePercent: x.Pick.SourcePercent}
		for _, g := range x.Pick.Grades {
			c.Grades[g] = true
		}
		for _, s := range x.Pick.Places {
			c.Places = append(c.Places, score.Stretch{Word: s.Word, Words: s.Words})
		}
		x.want = in.Count(c)
		rounds = append(rounds, x)
	}
	given, err := json.Marshal(rounds)
	if err != nil {
		t.Fatal(err)
	}
	var got []score.Total
	p.Eval(fmt.Sprintf(`(() => { %s
		return %s.map((x) => count(x, {...x.pick, kinds: new Set(x.pick.kinds), grades: new Set(x.pick.grades),
			sources: new Set(x.pick.Sources), passages: new Set(x.pick.Passages)})); })()`, script, given), &got)
	for i, x := range rounds {
		a, _ := json.Marshal(got[i])
		b, _ := json.Marshal(x.want)
		if string(a) != string(b) {
			t.Fatalf("round %d: the page counts\n%s, Go\n%s", i, a, b)
		}
	}
}

func testPageShowsPassage(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := made(3000, 30, 5)
	open(t, p, r)
	expectScore(t, p, r, "as found", Review{})
	expect(t, p, "text", `document.getElementById("suspect-text").innerText.replace(/\s+/g, " ").length > 10000`, "true")
	for _, i := range []int{0, 17, 29} {
		p.Eval(fmt.Sprintf(`document.querySelector('mark[data-p="%d"]').click()`, i), nil)
		selected := `[...document.querySelectorAll("%s mark.selected")].map((m) => m.textContent).join("")`
		expect(t, p, "passage", fmt.Sprintf(selected, "#suspect-text"), suspectText(r, r.Passages[i].Suspect))
		expect(t, p, "its source", fmt.Sprintf(selected, "#source-text"), sourceText(&r.Sources[r.Passages[i].Source], r.Passages[i].Origin))
		expect(t, p, "number of the source", numberShown, fmt.Sprint(r.Passages[i].Source+1))
		expect(t, p, "place in sight", `(() => {
			const mark = document.querySelector("#source-text mark.selected").getBoundingClientRect();
			const box = document.getElementById("source-text").getBoundingClientRect();
			return mark.top >= box.top && mark.top < box.bottom; })()`, "true")
		expect(t, p, "back to the text", `(() => {
			window.scrollTo(0, 0);
			document.querySelector("#source-text mark.selected").click();
			return document.querySelector("#suspect-text mark.selected").getBoundingClientRect().top;
		})() < 900`, "true")
		expect(t, p, "equal words", `[...document.querySelectorAll("#suspect-text mark.equal")].map((m) => m.textContent).join(" ") ===
			[...document.querySelectorAll("#source-text mark.equal")].map((m) => m.textContent).join(" ")`, "true")
	}
	others := 0
	for i := range r.Passages { // each other passage beside one leads to itself
		p.Eval(fmt.Sprintf(`document.querySelector('mark[data-p="%d"]').click()`, i), nil)
		var other int
		p.Eval(`(() => {
			const mark = document.querySelector("#source-text mark.other");
			mark?.click();
			return mark ? Number(mark.dataset.p) : -1;
		})()`, &other)
		if other < 0 {
			continue
		}
		others++
		expect(t, p, "the other passage", placeShown, fmt.Sprintf("Place %d of 30", other+1))
		if r.Passages[other].Source != r.Passages[i].Source || other == i {
			t.Errorf("beside passage %d of source %d is passage %d of source %d", i, r.Passages[i].Source, other, r.Passages[other].Source)
		}
	}
	if others < 10 {
		t.Errorf("%d passages have another one beside them, want ten at least", others)
	}
	clean(t, p)
}

// testPageShowsDoubts looks for words that a program was not sure of, in a passage and
// beside one.
func testPageShowsDoubts(t *testing.T, p *browser.Page) {
	open(t, p, sample())
	expect(t, p, "doubtful words", `[...document.querySelectorAll("#suspect-text .doubtful")].map((s) => s.textContent + ":" + (s.closest("mark") !== null)).join(" ")`, "voněla:true dálky,“:true")
	expect(t, p, "what they are", `document.querySelector(".doubtful").title`, "Recognised in a picture, and doubtful: check the page.")
	clean(t, p)
}

// testPageGroups shows the passages of one group, which changes no figure, and counts what is left of each.
func testPageGroups(t *testing.T, p *browser.Page) {
	r := made(3000, 40, 6)
	for i := range r.Passages {
		r.Passages[i].Group = search.Groups()[i%3]
	}
	open(t, p, r)
	counts := func() string {
		return p.Text(`[...document.querySelectorAll("#groups .dim")].map((e) => e.textContent).join(" / ")`)
	}
	const marks = `document.querySelectorAll("#suspect-text mark").length`
	var want []string
	for _, g := range GroupsOf(r) {
		want = append(want, groupSize(english(), g))
	}
	if got := counts(); got != strings.Join(want, " / ") || r.Passages[0].Counted == 0 {
		t.Errorf("groups %q, want %q", got, want)
	}
	score, all := p.Text(scoreShown), p.Text(marks)
	p.Press("g", "g")
	expect(t, p, "the second group", `document.querySelector("[data-group][aria-pressed=true]").dataset.group`, search.Quoted)
	expect(t, p, "marks of that group", fmt.Sprintf("%s > 0 && %s < %s", marks, marks, all), "true")
	expect(t, p, "the group is named above the text", `document.getElementById("group-shown").hidden`, "false")
	expect(t, p, "the score", scoreShown, score)
	if got := counts(); got != strings.Join(want, " / ") {
		t.Errorf("groups while one is shown: %q, want %q", got, want)
	}
	p.Eval(`document.querySelector("[data-do=all-groups]").click()`, nil)
	expect(t, p, "all passages", marks, all)
	expect(t, p, "no group", `document.getElementById("group-shown").hidden`, "true")
	clean(t, p)
}

func testPageFilters(t *testing.T, p *browser.Page) {
	r := made(3000, 40, 6)
	open(t, p, r)
	set := func(id string, value any) {
		p.Eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %v; e.dispatchEvent(new Event("input", {bubbles: true})); })()`, id, value), nil)
	}
	tick := func(selector string) { p.Eval(fmt.Sprintf(`document.querySelector(%q).click()`, selector), nil) }
	var v Review

	set("passage-words", 25)
	v.Filter.PassageWords = 25
	expectScore(t, p, r, "passages from 25 words", v)
	set("source-words", 180)
	v.Filter.SourceWords = 180
	expectScore(t, p, r, "and sources from 180 words", v)
	set("source-percent", 7.5)
	v.Filter.SourcePercent = 7.5
	expectScore(t, p, r, "and from 7.5 %", v)
	set("source-percent", 0.25)
	expect(t, p, "a limit as it was typed", `document.querySelector("#decided li:last-child").innerText`, "sources of less than 0.25%")
	set("source-percent", 7.5)
	tick("#grade-1")
	v.Filter.Grades = []string{search.Edited}
	expectScore(t, p, r, "and no edited ones", v)
	tick("[data-kind=quotation]")
	v.Filter.Kinds = []string{"quotation"}
	expectScore(t, p, r, "and no quotations", v)
	expect(t, p, "quotations struck out", `document.querySelectorAll("#suspect-text .out").length > 0`, "true")
	expect(t, p, "score as found", `document.getElementById("as-found").innerText`, "As found, with nothing left out: "+english().Percent(r.Score.Percent))
	expect(t, p, "filters in words", `document.getElementById("decided").innerText.replace(/\s*\n\s*/g, "; ")`,
		"passages of less than 25 words; sources of less than 180 words; sources of less than 7.5%; passages that are lightly edited; quotations "+htmlKinds(english(), r)[0].Note)
	tick("[data-do=reset]")
	expectScore(t, p, r, "everything", Review{})
	expect(t, p, "as found", `document.getElementById("as-found").hidden`, "true")
	clean(t, p)
}

// testPageDecisions leaves out a source and a passage by keyboard, saves that,
// and applies it as the command does.
func testPageDecisions(t *testing.T, p *browser.Page) {
	r := made(3000, 40, 6)
	r.Suspect.Path = "práce/Nováková: 1. verze?.txt"
	open(t, p, r)
	dir := t.TempDir()
	p.Download(dir)
	p.Press("n", "n", "n", "x")
	expect(t, p, "question", `document.getElementById("decide-what").textContent`, "Leave out passage 3")
	p.Press("Tab") // to the note
	for _, c := range "a note" {
		p.Press(string(c))
	}
	p.Press("Enter")
	first := Decision{Index: 2, Reason: "quoted", Note: "a note"}
	expectScore(t, p, r, "without a passage", Review{Passages: []Decision{first}})
	expect(t, p, "the question is answered", `document.getElementById("decide").open`, "false")
	// The focus is still in the dialog until the next picture is drawn.
	expect(t, p, "a key right after a question", `(() => {
		const dialog = document.getElementById("decide"), help = document.getElementById("help");
		dialog.showModal();
		document.getElementById("decide-note").focus();
		dialog.close();
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "?", bubbles: true}));
		const shown = help.open;
		help.close();
		return shown;
	})()`, "true")
	p.Press("s", "X")
	expect(t, p, "the next question", `document.getElementById("decide").open`, "true")
	p.Press("Tab", "Enter")
	var source int
	p.Eval(`Number(document.getElementById("pane-number").textContent) - 1`, &source)
	want := Review{Passages: []Decision{first}, Sources: []Decision{{Index: source, Reason: "quoted"}}}
	expectScore(t, p, r, "and a source", want)
	expect(t, p, "list of decisions", `document.querySelectorAll("#decided li").length`, "2")
	p.Eval(`document.getElementById("save").click()`, nil)
	expect(t, p, "saved", stateShown, "Decisions saved.")

	d := savedDecisions(t, filepath.Join(dir, "Nováková_ 1. verze_.txt.decisions.json"))
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	if at := r.Review.Passages[0].At; time.Since(at).Abs() > time.Hour {
		t.Errorf("the decision was made at %v", at)
	}
	if got := r.Review; !slices.Equal(timeless(got.Passages), want.Passages) || !slices.Equal(timeless(got.Sources), want.Sources) {
		t.Errorf("review = %+v, want %+v", got, want)
	}
	if d.Score.Covered != r.Review.Score.Covered || d.Score.Percent != r.Review.Score.Percent {
		t.Errorf("the page saved the score %+v, Go counts %+v", d.Score, r.Review.Score)
	}
	expect(t, p, "score", scoreShown, english().Percent(r.Review.Score.Percent))

	open(t, p, r) // a report with a review opens with it
	expectScore(t, p, r, "opened again", want)
	p.Eval(`document.querySelector("#decided button").click()`, nil)
	expectScore(t, p, r, "source counted again", Review{Passages: want.Passages})
	clean(t, p)
}

// awaited is expect for content that the page shows with a delay.
func awaited(t *testing.T, p *browser.Page, what, expression, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && got != want; time.Sleep(20 * time.Millisecond) {
		p.Eval("String("+expression+")", &got)
	}
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// timeless returns decisions without their time.
func timeless(list []Decision) []Decision {
	out := slices.Clone(list)
	for i := range out {
		out[i].At = time.Time{}
	}
	return out
}

// testPageKeepsDecisions leaves the page and comes back, and reads a file of
// decisions.
func testPageKeepsDecisions(t *testing.T, p *browser.Page) {
	r := made(3000, 40, 6)
	open(t, p, r)
	set := func(id, value string) {
		p.Eval(fmt.Sprintf(`{ const n = document.getElementById(%q); n.value = %q; n.dispatchEvent(new Event("change", {bubbles: true})); }`, id, value), nil)
	}
	set("reviewer", "Jana Nová")
	set("verdict", "serious")
	set("verdict-note", "two chapters")
	p.Press("n", "n", "x", "Tab", "Enter")
	set("verdict-passage", "minor")
	set("verdict-source", "open")
	shown := `[...document.querySelectorAll("#verdicts li")].map((n) => n.textContent.replace(/, [^,]*$/, "")).join("; ")`
	var verdicts, score string
	p.Eval(shown, &verdicts)
	p.Eval(scoreShown, &score)
	if want := "the whole text – copied without acknowledgement: two chapters Jana Nová"; !strings.Contains(verdicts, want) || strings.Count(verdicts, ";") != 2 {
		t.Fatalf("verdicts %q, want three, and %q", verdicts, want)
	}
	open(t, p, r)
	expect(t, p, "verdicts after a reload", shown, verdicts)
	expect(t, p, "score after a reload", scoreShown, score)
	expect(t, p, "who decides", `document.getElementById("reviewer").value`, "Jana Nová")
	expect(t, p, "what is said", `document.getElementById("review-state").textContent.includes("were restored from this browser")`, "true")

	dir := t.TempDir()
	p.Download(dir)
	p.Eval(`document.getElementById("save").click()`, nil)
	d := savedDecisions(t, filepath.Join(dir, fileName(r.Suspect.Path)+".decisions.json"))
	if d.By != "Jana Nová" || len(d.Verdicts) != 3 || len(d.Passages) != 1 {
		t.Errorf("saved by %q, %d verdicts, %d passages; want Jana Nová, 3, 1", d.By, len(d.Verdicts), len(d.Passages))
	}
	unsaved := `document.getElementById("save").classList.contains("dirty")`
	expect(t, p, "unsaved after saving", unsaved, "false")
	open(t, p, r)
	expect(t, p, "unsaved when opened again", unsaved, "false")
	give := func(content string) {
		p.Eval(fmt.Sprintf(`{ const t = new DataTransfer(); t.items.add(new File([%q], "d.json")); const n = document.getElementById("load-file"); n.files = t.files; n.dispatchEvent(new Event("change")); }`, content), nil)
	}
	saved, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(`document.querySelector("[data-do=reset]").click()`, nil)
	expect(t, p, "verdicts stay after a reset", shown, verdicts)
	expect(t, p, "unsaved after a reset", unsaved, "true")
	give(string(saved))
	awaited(t, p, "verdicts of a file", shown, verdicts)
	awaited(t, p, "unsaved after loading", unsaved, "false")
	expect(t, p, "score of a file", scoreShown, score)
	state := `document.getElementById("review-state").textContent`
	give(strings.Replace(string(saved), d.Suspect.Sum, strings.Repeat("0", 64), 1))
	awaited(t, p, "file on another text", state, "This file has decisions on another text: "+r.Suspect.Path)
	give("nonsense")
	awaited(t, p, "no decisions", state, "This file contains no Otisk decisions.")
	d.Sources = append(d.Sources, SourceDecision{ID: "ffffffffffffffff", Reason: "own"})
	if saved, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	give(string(saved))
	awaited(t, p, "decisions that fit nothing", state, "Decisions were loaded. 1 decision is on something that this report does not have; it is listed below. Undo brings back what was decided here before.")
	expect(t, p, "verdicts all the same", shown, verdicts)
	set("reviewer", "")
	set("verdict", "minor")
	expect(t, p, "who is not known", `/^no name, \d+ [A-Z][a-z]+ \d+$/.test(document.querySelector("#verdicts li .dim").textContent)`, "true")
	set("reviewer", "Jana Nová")
	expect(t, p, "a name given after the verdict", `document.querySelector("#verdicts li .dim").textContent.startsWith("Jana Nová, ")`, "true")
	clean(t, p)
}

// testPageOnPhone: nothing of the pane is cut off, before and after its decisions are shown.
func testPageOnPhone(t *testing.T, p *browser.Page) {
	p.Size(360, 740)
	open(t, p, made(3000, 30, 24))
	p.Press("n")
	const whole = `[...document.querySelectorAll("#pane button, #pane select")].filter((b) => b.checkVisibility()).every((b) => { const r = b.getBoundingClientRect(), h = b.closest("#pane-full").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.top >= h.top && r.bottom <= Math.max(h.bottom, h.top + b.closest("#pane-full").scrollHeight); })`
	expect(t, p, "the steps", whole, "true")
	expect(t, p, "the head needs no scrolling", `(() => { const h = document.querySelector(".pane-head"); return h.scrollHeight <= h.clientHeight + 1; })()`, "true")
	expect(t, p, "the source below it", `document.getElementById("source-text").getBoundingClientRect().height > 100`, "true")
	p.Eval(`document.getElementById("pane-decide").click()`, nil)
	expect(t, p, "the decisions", whole, "true")
	expect(t, p, "a decision at a time", `document.getElementById("exclude-source").checkVisibility() && !document.getElementById("source-text").checkVisibility()`, "true")
	p.Press("n")
	expect(t, p, "the source of the next place", `document.getElementById("source-text").checkVisibility()`, "true")
	clean(t, p)
}

// savedDecisions waits for a download.
func savedDecisions(t *testing.T, name string) *Decisions {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		d, err := ReadDecisions(f)
		f.Close()
		if err == nil {
			return d
		}
	}
	entries, _ := os.ReadDir(filepath.Dir(name))
	t.Fatalf("no decisions in %s: %v", name, entries)
	return nil
}

func testPageKeyboard(t *testing.T, p *browser.Page) {
	r := made(3000, 30, 5)
	open(t, p, r)
	p.Press("Tab")
	expect(t, p, "first stop", `document.activeElement.className`, "skip")
	p.Press("n")
	expect(t, p, "n", placeShown, "Place 1 of 30")
	p.Press("ArrowRight", "j", "k")
	expect(t, p, "→ j k", placeShown, "Place 2 of 30")
	p.Press("p", "p")
	expect(t, p, "p past the first", placeShown, "Place 30 of 30")
	p.Press("n")
	for range len(r.Sources) {
		before := p.Text(numberShown)
		p.Press("s")
		if p.Text(numberShown) == before {
			t.Errorf("s stays at source %s", before)
		}
	}
	p.Press("?")
	expect(t, p, "help", `document.getElementById("help").open`, "true")
	p.Press("n")
	p.Press("Escape")
	expect(t, p, "help closed", `document.getElementById("help").open`, "false")
	p.Press("a")
	expect(t, p, "all sources", `document.getElementById("view-all").ariaPressed`, "true")
	p.Press("d")
	expect(t, p, "dark", `document.documentElement.dataset.theme`, "dark")
	p.Press("Escape")
	expect(t, p, "closed", `document.getElementById("pane-full").hidden`, "true")
	p.Press("f", "n")
	expect(t, p, "typing in a field", `document.getElementById("pane-full").hidden`, "true")
	expect(t, p, "said aloud", `document.getElementById("live").textContent.length > 0`, "true")
	clean(t, p)
}

// testPageOfOverlaps walks through all sources of one place.
func testPageOfOverlaps(t *testing.T, p *browser.Page) {
	r := made(500, 4, 4)
	for i := range r.Passages {
		q := r.Passages[0]
		q.Source, q.Equal, q.Number = i, nil, i+1
		r.Passages[i] = q
	}
	open(t, p, measured(r))
	expect(t, p, "best: chips", `document.querySelectorAll("#suspect-text .chip").length`, "1")
	p.Press("a")
	expect(t, p, "all: chips", `document.querySelectorAll("#suspect-text .chip").length`, "4")
	for want := range 4 {
		p.Eval(`document.querySelector("#suspect-text mark").click()`, nil)
		expect(t, p, "click", numberShown, fmt.Sprint(want+1))
	}
	clean(t, p)
}

func testPageOfHostileTexts(t *testing.T, p *browser.Page) {
	r := hostile()
	r.Review = &Review{Sources: []Decision{{Index: 0, Reason: "other", Note: hostileText}}}
	Apply(r)
	open(t, p, r)
	p.Press("n")
	p.Eval(`document.querySelector("tr[data-source] .link").click()`, nil)
	p.PDF()
	expect(t, p, "elements of the text", `document.querySelectorAll("#suspect-text script, #suspect-text img, #source-text script, #source-text img, #decided script").length`, "0")
	want := strings.Join(strings.Fields(strings.ReplaceAll(hostileText, "\x0b", " ")), " ")
	expect(t, p, "text", `[...document.querySelectorAll("#suspect-text p")].map((x) => x.textContent).join(" ").replace(/^\d+/, "").split(/\s+/).join(" ")`, want)
	clean(t, p)
	openPage(t, p, overviewOf(t, &Overview{Suspects: []Summary{Summarize(r, hostileName)}}))
}

// testPageWithoutTexts: a report made of a result without texts has figures.
func testPageWithoutTexts(t *testing.T, p *browser.Page) {
	r := sample()
	r.Suspect.Text = ""
	for i := range r.Sources {
		r.Sources[i].Excerpts = nil
	}
	open(t, p, r)
	expectScore(t, p, r, "as found", Review{})
	expect(t, p, "strongest", `document.querySelector("#strongest q").textContent`, "Passage 1 of 3")
	p.Press("n")
	expect(t, p, "source", `document.getElementById("source-text").innerText`, "This report was made without texts.")
	p.PDF()
	clean(t, p)
}

// testPageOfUnknownKind: a later program, or a hand, may write kinds of
// exclusions that this page has no name for.
func testPageOfUnknownKind(t *testing.T, p *browser.Page) {
	r := sample()
	r.Exclusions[0].Kind = `a"]kind`
	r.Review = &Review{Filter: Filter{Kinds: []string{r.Exclusions[0].Kind}}}
	Apply(r)
	open(t, p, r)
	expectScore(t, p, r, "without the kind", *r.Review)
	expect(t, p, "its name", `document.querySelector("#suspect-text .out").title`, `left out: a"]kind`)
	clean(t, p)
}

func testPageOfOneLongWord(t *testing.T, p *browser.Page) {
	p.Size(390, 800)
	r := made(300, 3, 2)
	r.Suspect.Text = strings.Repeat("ř", len(r.Suspect.Text)/2) + strings.Repeat("x", 1<<17)
	r.Suspect.Bytes, r.Suspect.Runes = len(r.Suspect.Text), len([]rune(r.Suspect.Text))
	open(t, p, r)
	p.Press("n", "n")
	for _, width := range []int{390, 360, 700} {
		p.Size(width, 800)
		expect(t, p, fmt.Sprintf("width of %d", width), fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, width), "true")
	}
	clean(t, p)
}

// testPageOfHebrew aligns each line of a Hebrew quotation in an English report to the right.
func testPageOfHebrew(t *testing.T, p *browser.Page) {
	p.Size(390, 800)
	r := made(300, 1, 1)
	r.Suspect.Text = strings.Repeat("שלום ", len(r.Suspect.Text)/9)
	r.Suspect.Bytes, r.Suspect.Runes = len(r.Suspect.Text), len([]rune(r.Suspect.Text))
	r.Passages[0].Suspect.Start, r.Passages[0].Suspect.End, r.Passages[0].Equal = 0, 4*len("שלום ")*5, nil
	open(t, p, r)
	expect(t, p, "lines", `(() => {
		const q = document.querySelector("#strongest q"), inside = document.createRange();
		inside.selectNodeContents(q);
		const lines = [...inside.getClientRects()];
		const right = q.getBoundingClientRect().right;
		return lines.length > 1 && lines.every((l) => Math.abs(l.right - right) < 8);
	})()`, "true")
	clean(t, p)
}

// testPageOfManyPassages has 10,000 passages with OTISK_TEST_LONG. Fewer of them exceed the screen as well.
func testPageOfManyPassages(t *testing.T, p *browser.Page) {
	count := 600
	if need.All() {
		count = 10000
	}
	r := made(50*count, count, 60)
	for i := range count / 5 { // and as many again over the same place
		q := r.Passages[0]
		q.Source, q.Equal = i%60, nil
		r.Passages = append(r.Passages, q)
	}
	slices.SortStableFunc(r.Passages, func(a, b search.Passage) int { return a.Suspect.Start - b.Suspect.Start })
	measured(r)
	p.Size(1400, 900)
	open(t, p, r)
	scroll(t, p, r)
	p.Press("n", "a", "n")
	expectScore(t, p, r, "as found", Review{})
	p.Eval(`document.querySelector("[data-kind=quotation]").click()`, nil)
	expectScore(t, p, r, "without quotations", Review{Filter: Filter{Kinds: []string{"quotation"}}})
	clean(t, p)
}

func testPageScrolls(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := made(80000, 300, 60)
	open(t, p, r)
	scroll(t, p, r)
	clean(t, p)
}

// scroll goes down a page of many passages. Frames are not judged, since a busy
// machine drops them: they are only printed.
func scroll(t *testing.T, p *browser.Page, r *Report) {
	t.Helper()
	var times []float64
	p.Eval(`new Promise((done) => {
		const times = [];
		let last = performance.now();
		const step = (now) => {
			times.push(now - last);
			last = now;
			window.scrollBy(0, 800);
			if (times.length < 45) requestAnimationFrame(step); else done(times);
		};
		requestAnimationFrame(step);
	})`, &times)
	slices.Sort(times)
	t.Logf("%d passages: a frame takes %.0f ms, one in ten over %.0f ms", len(r.Passages), times[22], times[40])
	expect(t, p, "scrolled", `window.scrollY > 30000`, "true")
}

func testPageOfNothing(t *testing.T, p *browser.Page) {
	open(t, p, empty())
	p.Press("n", "p", "s", "x", "a", "Escape")
	expect(t, p, "score", scoreShown, "0.0%")
	p.PDF()
	clean(t, p)
}

func testPagePrints(t *testing.T, p *browser.Page) {
	r := made(3000, 30, 5)
	open(t, p, r)
	if pdf := p.PDF(); !strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("printed %.20q", pdf)
	}
	for _, id := range []string{"print-verdict", "settings"} {
		expect(t, p, id+" on the screen", fmt.Sprintf(`document.getElementById(%q).checkVisibility() && document.getElementById(%[1]q).open !== false`, id), "false")
	}
	p.Eval(`document.querySelector("[data-kind=quotation]").click()`, nil)
	put(p, "source-search", "input", "source 2")
	expect(t, p, "sources that are found", `[...document.querySelectorAll("tr[data-source]")].filter((row) => row.checkVisibility()).length`, "1")
	p.Print(true)
	p.Eval(`dispatchEvent(new Event("beforeprint"))`, nil)
	expect(t, p, "passages on paper", `document.querySelectorAll("#print-passages article").length`, "30")
	expect(t, p, "the last one", `document.querySelector("#print-passages article:last-child .pair p").textContent`, suspectText(r, r.Passages[29].Suspect))
	for _, id := range []string{"print-verdict", "decided-box", "print-part", "settings"} {
		expect(t, p, id+" on paper", fmt.Sprintf(`document.getElementById(%q).checkVisibility() && document.getElementById(%[1]q).open !== false`, id), "true")
	}
	expect(t, p, "sources on paper", `[...document.querySelectorAll("tr[data-source]")].filter((row) => row.checkVisibility()).length`, "5")
	expect(t, p, "help on paper", `document.getElementById("help").checkVisibility()`, "false")
	p.Print(false)
	p.Eval(`dispatchEvent(new Event("afterprint"))`, nil)
	expect(t, p, "settings closed again", `document.getElementById("settings").open`, "false")
	p.Size(390, 800)
	expect(t, p, "a button for it on a phone", `document.querySelector("[data-do=print]").checkVisibility()`, "true")
	expect(t, p, "passages after printing", `document.querySelectorAll("#print-passages *").length`, "0")
	clean(t, p)
}

// testOverviewOfPairs: a class in which all have a declaration, and few share more, is not one
// large group. The threshold filters the pairs, the search applies to pairs, too, and verdicts
// are a sortable column.
func testOverviewOfPairs(t *testing.T, p *browser.Page) {
	o := manySuspects(24)
	o.Pairs = nil
	for a := range 24 {
		for b := range a {
			o.Pairs = append(o.Pairs, Pair{A: b, B: a, Common: Common{60, 6, 6}})
		}
	}
	give := func(i, words int, percent float64) {
		c := Common{words + 60, percent + 6, percent + 6}
		o.Pairs[i].Common, o.Pairs[i].Rest = c, Common{words, percent, percent}
	}
	give(0, 900, 40)             // texts 0 and 1
	give(len(o.Pairs)-1, 200, 8) // texts 22 and 23
	o.Pairs[0].Rest.PercentB = 0 // found in the other text only
	o.Suspects[7].Verdict, o.Suspects[8].Verdict = "serious", "minor"
	openPage(t, p, overviewOf(t, o))
	count := `document.getElementById("pair-count").textContent`
	groups := `[...document.querySelectorAll("#groups figure")].map((f) => f.querySelectorAll("circle").length + "/" + f.querySelectorAll("line").length).join()`
	pairs := `[...document.querySelectorAll("#pair-table tbody tr:not([hidden])")]`
	expect(t, p, "pairs", count, "2 of 276 pairs")
	expect(t, p, "groups", groups, "2/1,2/1")
	expect(t, p, "without what all have", pairs+`[0].cells[2].textContent + " " + `+pairs+`[0].cells[3].textContent`, "900 40.0%")
	expect(t, p, "words that only one report lists", pairs+`[0].cells[4].textContent`, "–")
	set := `(() => { const x = document.getElementById("%s"); x.value = "%s"; x.dispatchEvent(new Event("input")); })()`
	p.Eval(fmt.Sprintf(set, "pair-least", "20"), nil)
	expect(t, p, "from 20 % on", count+` + " " + `+groups, "1 of 276 pairs 2/1")
	p.Eval(fmt.Sprintf(set, "pair-least", "5"), nil)
	p.Eval(`document.getElementById("pair-all").click()`, nil)
	expect(t, p, "with what all have", count+` + " " + `+groups, "276 of 276 pairs 24/276")
	expect(t, p, "its figures", pairs+`[0].cells[2].textContent + " " + `+pairs+`[0].cells[3].textContent`, "960 46.0%")
	expect(t, p, "circles inside", `[...document.querySelectorAll("#groups circle")].every((c) => {
		const box = c.closest("svg").viewBox.baseVal, r = Number(c.getAttribute("r")), x = Number(c.getAttribute("cx")), y = Number(c.getAttribute("cy"));
		return x - r >= 0 && y - r >= 0 && x + r <= box.width && y + r <= box.height; })`, "true")
	p.Eval(fmt.Sprintf(set, "search", "práce 007"), nil)
	expect(t, p, "pairs of one text", count, "23 of 276 pairs")
	p.Eval(fmt.Sprintf(set, "search", ""), nil)
	p.Eval(`document.querySelector("#pair-table [data-sort=words]").click()`, nil)
	expect(t, p, "by words", pairs+`[0].cells[2].textContent`, "960")
	p.Print(true)
	expect(t, p, "heads on paper, which repeat only as text", `[...document.querySelectorAll("th")].every((th) => !th.querySelector("button")?.checkVisibility() && th.innerText.trim() !== "")`, "true")
	p.Print(false)
	p.Eval(`document.querySelector("#table [data-sort=verdict]").click()`, nil)
	expect(t, p, "by verdict", `[...document.querySelectorAll("#table .verdict")].slice(0, 3).map((c) => c.textContent).join("|")`, "copied without acknowledgement|minor fault|–")
	clean(t, p)
}

func testPageOverview(t *testing.T, p *browser.Page) {
	o := manySuspects(200)
	openPage(t, p, overviewOf(t, o))
	rows := `[...document.querySelectorAll("#table tbody tr:not([hidden])")]`
	expect(t, p, "rows", rows+`.length`, "200")
	first := rows + `[0].dataset.name`
	highest := slices.MaxFunc(o.Suspects, func(a, b Summary) int { return int(1e6 * (a.Percent - b.Percent)) })
	expect(t, p, "highest score first", first, highest.Name)
	p.Eval(`document.querySelector("[data-sort=name]").click()`, nil)
	expect(t, p, "by name", first, "odevzdané/práce 000.txt")
	p.Eval(`document.querySelector("[data-sort=words]").click()`, nil)
	expect(t, p, "by words", first, "odevzdané/práce 199.txt")
	p.Eval(`(() => { const s = document.getElementById("search"); s.value = "PRÁCE 199"; s.dispatchEvent(new Event("input")); })()`, nil)
	expect(t, p, "search", rows+`.length + " " + document.getElementById("matches").textContent`, "1 1 text")
	clean(t, p)
}

// testPageLinkToAll: who got one report alone sees no link to a page that is not
// there; who came from that page gets back to it.
func testPageLinkToAll(t *testing.T, p *browser.Page) {
	dir := t.TempDir()
	for name, page := range map[string]string{
		"index.html":     overviewOf(t, manySuspects(1)),
		"práce 000.html": render(t, "html", sample(), Options{Overview: "index.html"}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const seen = `[...document.querySelectorAll(".brand")].filter((e) => e.checkVisibility()).map((e) => e.textContent).join()`
	p.Size(1400, 900)
	p.Open(filepath.Join(dir, "práce 000.html"))
	expect(t, p, "a report alone", seen, "Otisk")
	p.Open(filepath.Join(dir, "index.html"))
	link := p.Text(`document.querySelector("#table a").getAttribute("href")`)
	file, err := url.PathUnescape(strings.TrimPrefix(link, "./"))
	if err != nil {
		t.Fatal(err)
	}
	p.Open(filepath.Join(dir, file))
	expect(t, p, "a report that the overview led to", seen, "Otisk ▸ all reports")
	expect(t, p, "its link", `document.getElementById("all-reports").getAttribute("href")`, "./index.html")
	p.Open(filepath.Join(dir, "práce 000.html"))
	expect(t, p, "a report beside an overview that was opened", seen, "Otisk ▸ all reports")
}

// testAccessibility runs axe-core over the pages.
func testAccessibility(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	for _, page := range []string{render(t, "html", troubled(), Options{Before: sample()}), overviewOf(t, manySuspects(20))} {
		openPage(t, p, page)
		p.Press("n")
		p.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil)
		p.Eval(`document.querySelector(".term")?.click()`, nil)
		for _, rules := range [][]string{nil, {"color-contrast", "link-in-text-block"}} { // all, and in the dark those of colours
			p.Dark(rules != nil)
			for _, v := range p.Violations(rules...) {
				t.Errorf("rules %q: %s", rules, v)
			}
		}
		p.Dark(false)
	}
}

// troubled returns a result that has all that a page can warn of, with sources
// that were left out, that are copies, and that have no passage.
func troubled() *Report {
	r := copied(3000, 30, 5, 3)
	r.Checked, r.Index.Changed = sample().Checked, sample().Index.Changed
	r.Suspect.Title, r.Suspect.Author = "Vyprávění", "Jan Novák"
	r.Suspect.Flags, r.Notes, r.Unread, r.Unsearched = sample().Suspect.Flags, sample().Notes, sample().Unread, sample().Unsearched
	r.Suspect.Flags = append(r.Suspect.Flags, search.Flag{Kind: string(document.NoTextLayer), Page: 2, Count: 2}, search.Flag{Kind: string(document.NoTextLayer), Page: 7, Count: 1})
	r.Sources = append(r.Sources, search.Source{ID: "00000000000000ff", Path: "no passages.txt", NoText: true, Match: search.Match{Matched: 3, Run: 8}})
	r.Review = &Review{Sources: []Decision{{Index: 1, Reason: "own", Note: "the author's own article"}}}
	Apply(r)
	return r
}

// copied returns a result in which the first source has this number of copies, each
// with the same passages.
func copied(words, passages, sources, copies int) *Report {
	r := made(words, passages, sources)
	var own []search.Passage
	for _, p := range r.Passages {
		if p.Source == 0 {
			own = append(own, p)
		}
	}
	for range copies {
		s := r.Sources[0]
		s.ID, s.Prefix = fmt.Sprintf("%016x", 1000+len(r.Sources)), "copies:"
		for _, p := range own {
			p.Source = len(r.Sources)
			r.Passages = append(r.Passages, p)
		}
		r.Sources = append(r.Sources, s)
	}
	slices.SortStableFunc(r.Passages, func(a, b search.Passage) int { return a.Suspect.Start - b.Suspect.Start })
	return measured(r)
}

func testPageFirstScreen(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := troubled()
	open(t, p, r)
	expect(t, p, "what comes first", `[...document.querySelectorAll("#summary .alarm, #summary h1, #summary .byline, #summary .score, #strongest, .attention, #filters")].map((e) => e.id || e.className.split(" ").pop()).join()`,
		"alarm,title,byline,score,attention,strongest,filters")
	expect(t, p, "on the first screen", `document.querySelector(".attention").getBoundingClientRect().top < 900`, "true")
	expect(t, p, "when and against what", `document.querySelector(".byline").innerText`,
		"Checked on 22 November 2026 against made (101 documents, last changed on 1 September 2026)")
	expect(t, p, "what could not be read", `document.querySelector(".alarm li:last-child").innerText`, "3 pages have no text that a program can read, such as scans: what is on them was not compared.")
	expect(t, p, "what was not looked at", `document.querySelector(".alarm li").innerText`,
		"3 of 101 documents were not searched: they are not indexed under a size of n-grams that this text has.")
	expect(t, p, "a lower bound", `document.querySelector(".big").innerText + document.querySelector(".top-score").innerText`,
		"at least "+english().Percent(r.Review.Score.Percent)+"≥ "+english().Percent(r.Review.Score.Percent))
	expect(t, p, "closed", `document.querySelectorAll("details:not(.warn)[open]").length`, "0")
	expect(t, p, "strongest", `document.querySelectorAll("#strongest li").length`, "3")

	total := inputOf(r).Count(choiceOf(r))
	strongest := 0
	for i := range r.Passages {
		if total.Passages[i].Counted > total.Passages[strongest].Counted {
			strongest = i
		}
	}
	p.Eval(`document.querySelector(".quote").click()`, nil)
	spots := spotsOf(r, &total)
	at := slices.IndexFunc(spots, func(s spot) bool { return s.best == strongest })
	expect(t, p, "the strongest", placeShown, fmt.Sprintf("Place %d of %d", at+1, len(spots)))
	terms := `[...document.querySelectorAll(".term")].filter((b) => b.checkVisibility())`
	p.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil)
	expect(t, p, "each term is explained where it is", terms+`.filter((b) => {
		b.click();
		const box = document.getElementById("explanation"), at = box.getBoundingClientRect(), here = b.getBoundingClientRect();
		return box.hidden || box.textContent.length < 30 || at.top < here.top || at.top > here.bottom + 20 || at.right > innerWidth;
	}).map((b) => b.textContent).join()`, "")
	p.Press("Escape")
	expect(t, p, "Escape", `document.getElementById("explanation").hidden`, "true")
	clean(t, p)
}

// testPageSources searches, sorts, groups and folds a list of 145 sources.
func testPageSources(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := copied(20000, 400, 134, 11)
	r.Sources[76].Title, r.Sources[76].Author = "Starý dům", "Anna Kolová"
	open(t, p, r)
	rows := `[...document.querySelectorAll("tr[data-source]")].filter((row) => row.checkVisibility())`
	numbers := rows + `.map((row) => row.querySelector(".chip").textContent).join()`
	set := func(id, property, value string) {
		p.Eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.%s = %s; e.dispatchEvent(new Event("input", {bubbles: true})); })()`, id, property, value), nil)
	}
	expect(t, p, "at first", rows+`.length`, "12")
	expect(t, p, "copies", `document.querySelector('tr[data-source="0"] .fold').innerText`, "the same passages are in 11 more documents. Show them")
	p.Eval(`document.querySelector("[data-do=all-sources]").click()`, nil)
	expect(t, p, "all, copies as one", rows+`.length`, "134")
	p.Eval(`document.querySelector('tr[data-source="0"] .fold button').click()`, nil)
	expect(t, p, "the copies too", numbers+`.startsWith("1,135,136,137,138,139,140,141,142,143,144,145,2,3,")`, "true")
	set("source-fold", "checked", "false")
	expect(t, p, "each by itself", numbers+`.endsWith("133,134,135,136,137,138,139,140,141,142,143,144,145")`, "true")
	set("source-search", "value", `"SOURCE 13"`)
	expect(t, p, "search", numbers, "13,113,130,131,132,133,134")
	expect(t, p, "found", `document.getElementById("source-count").textContent`, "7 of 145 sources")
	set("source-search", "value", `"KOLOVA stary"`)
	expect(t, p, "search without accents", numbers, "77")
	set("source-search", "value", `""`)
	set("source-sort", "value", `"counted"`)
	most := 0
	for i, s := range r.Sources {
		if s.Counted > r.Sources[most].Counted {
			most = i
		}
	}
	expect(t, p, "by words counted", rows+`[0].querySelector(".counted").textContent`, grouped(r.Sources[most].Counted))
	set("source-group", "checked", "true")
	expect(t, p, "groups", `[...document.querySelectorAll(".group")].map((row) => row.innerText.replace(/, .*/, "")).join()`,
		"without a collection – 134 sources,copies: – 11 sources")

	set("source-group", "checked", "false")
	set("source-sort", "value", `"number"`)
	set("source-fold", "checked", "true")
	p.Eval(`document.querySelector('tr[data-source="0"] .fold button').click()`, nil) // folded again
	p.Eval(`document.querySelector('tr[data-source="0"] .exclude').click()`, nil)
	p.Press("Tab", "Enter")
	v := Review{}
	for i := range r.Sources {
		if i == 0 || i >= 134 {
			v.Sources = append(v.Sources, Decision{Index: i})
		}
	}
	expectScore(t, p, r, "without the source and its copies", v)
	p.Eval(`document.querySelector('tr[data-source="0"] .exclude').click()`, nil)
	expectScore(t, p, r, "with them again", Review{})

	r = copied(2900, 30, 5, 2) // another text: the browser keeps decisions on the first
	r.Review = &Review{Sources: []Decision{{Index: 0, Reason: "own"}}}
	Apply(r)
	open(t, p, r)
	expect(t, p, "copies that count when the first does not", numbers+`.startsWith("1,6,7,")`, "true")
	clean(t, p)
}

// testPageOfCopies: a decision on a passage, or on its source, is on the copies
// too, since the next copy would count in its place.
func testPageOfCopies(t *testing.T, p *browser.Page) {
	r := copied(3000, 30, 5, 2)
	var v Review
	open(t, p, r)
	p.Eval(`document.querySelector('tr[data-source="0"] .link').click()`, nil)
	first := slices.IndexFunc(r.Passages, func(q search.Passage) bool { return q.Source == 0 })
	for i, q := range r.Passages {
		if q.Suspect == r.Passages[first].Suspect {
			v.Passages = append(v.Passages, Decision{Index: i})
		}
	}
	expect(t, p, "button", `document.getElementById("exclude-passage").textContent`, "Leave out this passage (3×)")
	p.Press("x", "Tab", "Enter")
	expectScore(t, p, r, "without the passage and its copies", v)
	p.Eval(`document.getElementById("exclude-source").click()`, nil)
	p.Press("Tab", "Enter")
	v.Sources = []Decision{{Index: 0}, {Index: 5}, {Index: 6}}
	expectScore(t, p, r, "without the source and its copies", v)
	p.Eval(`document.getElementById("exclude-source").click()`, nil)
	p.Eval(`document.getElementById("exclude-passage").click()`, nil)
	expectScore(t, p, r, "all again", Review{})

	p.Eval(`document.getElementById("source-fold").click()`, nil)
	p.Press("Escape")
	p.Eval(`document.querySelector('tr[data-source="0"] .link').click()`, nil)
	expect(t, p, "each by itself", `document.getElementById("exclude-source").textContent`, "Leave out this source")
	clean(t, p)
}

// testPageOneCount: the card and the pane count the same places, also where another
// source covers a place better. A source
// that was not left out is not struck through.
func testPageOneCount(t *testing.T, p *browser.Page) {
	r := copied(3000, 30, 5, 2)
	r.Sources = append(r.Sources, search.Source{ID: "00000000000000ff", Path: "listed only.txt", Match: search.Match{Matched: 3, Run: 8}})
	open(t, p, measured(r))
	total := remaining(r)
	all := len(spotsOf(r, &total))
	expect(t, p, "card", `document.getElementById("counts").innerText`, fmt.Sprintf("%d places, 8 sources", all))
	p.Press("p")
	expect(t, p, "pane", placeShown, fmt.Sprintf("Place %d of %d", all, all))
	p.Eval(`document.querySelector('tr[data-source="0"] .link').click()`, nil)
	expect(t, p, "the same place elsewhere", `[...document.querySelectorAll("#pane-also .chip")].map((c) => c.textContent).join()`, "6,7")
	p.Eval(`document.querySelector("#pane-also .chip").click()`, nil)
	expect(t, p, "and there", numberShown, "6")
	expect(t, p, "struck through", `document.querySelectorAll("tr.gone").length`, "0")
	clean(t, p)
}

// testPageLanguages shows the page in each language and looks for words that
// are missing in it.
func testPageLanguages(t *testing.T, p *browser.Page) {
	for _, tag := range lang.Tags() {
		say := lang.Of(tag)
		openPage(t, p, render(t, "html", troubled(), Options{Lang: say}))
		expect(t, p, tag+": language", `document.documentElement.lang`, tag)
		expect(t, p, tag+": score", scoreShown, say.Percent(troubled().Review.Score.Percent))
		p.Press("n", "x", "Escape", "?")
		p.Eval(`dispatchEvent(new Event("beforeprint"))`, nil)
		expect(t, p, tag+": names in the place of messages", `(document.body.innerText.match(/\b(page|common|said)\.[a-z-]+|\{\w+\}/g) || []).join()`, "")
		expect(t, p, tag+": names in the place of titles", `[...document.querySelectorAll("[title], [aria-label]")].map((e) => e.title + e.ariaLabel).filter((s) => /\b(page|common)\.|[{}]/.test(s)).join()`, "")
		if tag != "en" {
			expect(t, p, tag+": English left", `["Passage ", "Source ", "Leave out", "words", "verbatim"].filter((w) => {
				const own = document.body.cloneNode(true);
				own.querySelectorAll("#suspect-text, #source-text, #print-passages .pair, script").forEach((e) => e.remove());
				return own.textContent.includes(w);
			}).join()`, map[string]string{"de": "Passage "}[tag])
		}
		clean(t, p)
	}
}

func testPageCompared(t *testing.T, p *browser.Page) {
	openPage(t, p, render(t, "html", revised(), Options{Before: sample()}))
	p.Eval(`document.querySelector("#new-passages summary").click()`, nil)
	p.Eval(`document.querySelector("#new-passages .quote").click()`, nil)
	expect(t, p, "the new passage", placeShown, "Place 1 of 3")
	expect(t, p, "the one that is gone", `document.querySelector("#gone-passages q").textContent`,
		"Zahrada naší babičky byla plná růží, které sázel dědeček, a v koutě rostl rybíz")
	clean(t, p)
}

// grouped returns n with separated thousands.
func grouped[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
