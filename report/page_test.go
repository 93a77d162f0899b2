package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/browser"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// open writes the page of r and opens it.
func open(t *testing.T, p *browser.Page, r *search.Result) {
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
func expectScore(t *testing.T, p *browser.Page, r *search.Result, what string, v search.Review) {
	t.Helper()
	total := inputOf(r).Count(choiceOf(&v))
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
		{"ShowsPassage", testPageShowsPassage},
		{"Filters", testPageFilters},
		{"Decisions", testPageDecisions},
		{"Keyboard", testPageKeyboard},
		{"OfOverlaps", testPageOfOverlaps},
		{"OfHostileTexts", testPageOfHostileTexts},
		{"OfOneLongWord", testPageOfOneLongWord},
		{"Of10000Passages", testPageOf10000Passages},
		{"Scrolls", testPageScrolls},
		{"OfNothing", testPageOfNothing},
		{"Prints", testPagePrints},
		{"Overview", testPageOverview},
		{"Accessibility", testAccessibility},
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
		PassageWords      int     `json:"passageWords"`
		SourceWords       int     `json:"sourceWords"`
		SourcePercent     float64 `json:"sourcePercent"`
	}
	type round struct {
		Words      int             `json:"words"`
		Sources    int             `json:"sources"`
		Grades     int             `json:"grades"`
		Passages   []pagePassage   `json:"passages"`
		Exclusions []pageExclusion `json:"exclusions"`
		Pick       pick            `json:"pick"`
		want       score.Total     // by Go
	}
	var rounds []round
	for range 500 {
		x := round{Words: rnd.IntN(80), Sources: 1 + rnd.IntN(4), Grades: 3, Passages: []pagePassage{}, Exclusions: []pageExclusion{}}
		in := &score.Input{Words: x.Words, Sources: x.Sources, Grades: 3}
		for range rnd.IntN(12) {
			q := score.Passage{Source: rnd.IntN(x.Sources), Word: rnd.IntN(80) - 2, Words: rnd.IntN(25), Matched: rnd.IntN(9), Grade: rnd.IntN(3)}
			in.Passages = append(in.Passages, q)
			x.Passages = append(x.Passages, pagePassage{Source: q.Source, Word: q.Word, Words: q.Words, Matched: q.Matched, Grade: q.Grade})
		}
		for range rnd.IntN(4) {
			e := score.Stretch{Kind: string(rune('a' + rnd.IntN(2))), Word: rnd.IntN(80) - 2, Words: rnd.IntN(20)}
			in.Excluded = append(in.Excluded, e)
			x.Exclusions = append(x.Exclusions, pageExclusion{Kind: e.Kind, Word: e.Word, Words: e.Words})
		}
		x.Pick = pick{Kinds: []string{"a"}[:rnd.IntN(2)], Grades: []int{rnd.IntN(3)}[:rnd.IntN(2)], Sources: []int{rnd.IntN(6)}, Passages: []int{rnd.IntN(16)},
			PassageWords: rnd.IntN(7), SourceWords: rnd.IntN(12), SourcePercent: float64(rnd.IntN(200)) / 10}
		c := score.Choice{Kinds: map[string]bool{"a": len(x.Pick.Kinds) > 0}, Grades: map[int]bool{},
			Sources: map[int]bool{x.Pick.Sources[0]: true}, Passages: map[int]bool{x.Pick.Passages[0]: true},
			PassageWords: x.Pick.PassageWords, SourceWords: x.Pick.SourceWords, SourcePercent: x.Pick.SourcePercent}
		for _, g := range x.Pick.Grades {
			c.Grades[g] = true
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
	expectScore(t, p, r, "as found", search.Review{})
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
		expect(t, p, "equal words", `[...document.querySelectorAll("#suspect-text mark.equal")].map((m) => m.textContent).join(" ") ===
			[...document.querySelectorAll("#source-text mark.equal")].map((m) => m.textContent).join(" ")`, "true")
	}
	clean(t, p)
}

func testPageFilters(t *testing.T, p *browser.Page) {
	r := made(3000, 40, 6)
	open(t, p, r)
	set := func(id string, value any) {
		p.Eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %v; e.dispatchEvent(new Event("input", {bubbles: true})); })()`, id, value), nil)
	}
	tick := func(selector string) { p.Eval(fmt.Sprintf(`document.querySelector(%q).click()`, selector), nil) }
	var v search.Review

	set("passage-words", 25)
	v.Filter.PassageWords = 25
	expectScore(t, p, r, "passages from 25 words", v)
	set("source-words", 180)
	v.Filter.SourceWords = 180
	expectScore(t, p, r, "and sources from 180 words", v)
	set("source-percent", 7.5)
	v.Filter.SourcePercent = 7.5
	expectScore(t, p, r, "and from 7.5 %", v)
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
	expectScore(t, p, r, "everything", search.Review{})
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
	first := search.Decision{Index: 2, Reason: "quoted", Note: "a note"}
	expectScore(t, p, r, "without a passage", search.Review{Passages: []search.Decision{first}})
	p.Press("s", "X", "Tab", "Enter")
	var source int
	p.Eval(`Number(document.getElementById("pane-number").textContent) - 1`, &source)
	want := search.Review{Passages: []search.Decision{first}, Sources: []search.Decision{{Index: source, Reason: "quoted"}}}
	expectScore(t, p, r, "and a source", want)
	expect(t, p, "list of decisions", `document.querySelectorAll("#decided li").length`, "2")
	p.Eval(`document.getElementById("save").click()`, nil)

	d := savedDecisions(t, filepath.Join(dir, "Nováková_ 1. verze_.txt.decisions.json"))
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	if got := r.Review; !slices.Equal(got.Passages, want.Passages) || !slices.Equal(got.Sources, want.Sources) {
		t.Errorf("review = %+v, want %+v", got, want)
	}
	if d.Score.Covered != r.Review.Score.Covered || d.Score.Percent != r.Review.Score.Percent {
		t.Errorf("the page saved the score %+v, Go counts %+v", d.Score, r.Review.Score)
	}
	expect(t, p, "score", scoreShown, english().Percent(r.Review.Score.Percent))

	open(t, p, r) // a report with a review opens with it
	expectScore(t, p, r, "opened again", want)
	p.Eval(`document.querySelector("#decided button").click()`, nil)
	expectScore(t, p, r, "source counted again", search.Review{Passages: want.Passages})
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
	expect(t, p, "n", placeShown, "Passage 1 of 30")
	p.Press("ArrowRight", "j", "k")
	expect(t, p, "→ j k", placeShown, "Passage 2 of 30")
	p.Press("p", "p")
	expect(t, p, "p past the first", placeShown, "Passage 30 of 30")
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
	r.Review = &search.Review{Sources: []search.Decision{{Index: 0, Reason: "other", Note: hostileText}}}
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

func testPageOfOneLongWord(t *testing.T, p *browser.Page) {
	p.Size(390, 800)
	r := made(300, 3, 2)
	r.Suspect.Text = strings.Repeat("ř", len(r.Suspect.Text)/2) + strings.Repeat("x", 1<<20)
	r.Suspect.Bytes, r.Suspect.Runes = len(r.Suspect.Text), len([]rune(r.Suspect.Text))
	open(t, p, r)
	p.Press("n", "n")
	expect(t, p, "width", `document.documentElement.scrollWidth <= 390`, "true")
	clean(t, p)
}

func testPageOf10000Passages(t *testing.T, p *browser.Page) {
	r := made(500000, 10000, 60)
	for i := range 2000 { // and as many again over the same place
		q := r.Passages[0]
		q.Source, q.Equal = i%60, nil
		r.Passages = append(r.Passages, q)
	}
	slices.SortStableFunc(r.Passages, func(a, b search.Passage) int { return a.Suspect.Start - b.Suspect.Start })
	measured(r)
	open(t, p, r)
	p.Press("n", "a", "n")
	expectScore(t, p, r, "as found", search.Review{})
	p.Eval(`document.querySelector("[data-kind=quotation]").click()`, nil)
	expectScore(t, p, r, "without quotations", search.Review{Filter: search.Filter{Kinds: []string{"quotation"}}})
	clean(t, p)
}

// testPageScrolls scrolls through a page of many passages. Frames are not
// judged, since a busy machine drops them: they are told.
func testPageScrolls(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	for _, passages := range []int{300, 10000} {
		open(t, p, made(max(80000, 50*passages), passages, 60))
		var times []float64
		p.Eval(`new Promise((done) => {
			const times = [];
			let last = performance.now();
			const step = (now) => {
				times.push(now - last);
				last = now;
				window.scrollBy(0, 400);
				if (times.length < 90) requestAnimationFrame(step); else done(times);
			};
			requestAnimationFrame(step);
		})`, &times)
		slices.Sort(times)
		t.Logf("%d passages: a frame takes %.0f ms, one in ten over %.0f ms", passages, times[45], times[81])
		expect(t, p, "scrolled", `window.scrollY > 30000`, "true")
		clean(t, p)
	}
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
	expect(t, p, "passages on paper", `document.querySelectorAll("#print-passages article").length`, "30")
	expect(t, p, "the last one", `document.querySelector("#print-passages article:last-child .pair p").textContent`, suspectText(r, r.Passages[29].Suspect))
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

// testAccessibility runs axe-core over the pages.
func testAccessibility(t *testing.T, p *browser.Page) {
	axe := browser.Axe(t)
	p.Size(1400, 900)
	for _, dark := range []bool{false, true} {
		p.Dark(dark)
		for _, page := range []string{render(t, "html", made(3000, 30, 5), Options{}), overviewOf(t, manySuspects(20))} {
			openPage(t, p, page)
			p.Press("n")
			p.Eval(axe+"; 1", nil)
			var found []struct {
				ID, Impact string
				Nodes      []struct{ HTML string }
			}
			p.Eval(`axe.run(document).then((r) => r.violations.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map((n) => ({html: n.html}))})))`, &found)
			for _, v := range found {
				t.Errorf("dark %v: %s (%s): %s", dark, v.ID, v.Impact, v.Nodes)
			}
		}
	}
}
