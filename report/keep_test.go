package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/search"
)

const stateShown = `document.getElementById("review-state").textContent`

// fresh clears the storage of the browser, and opens a page.
func fresh(t *testing.T, p *browser.Page, r *Report) {
	t.Helper()
	open(t, p, r)
	p.Eval(`localStorage.clear()`, nil)
	open(t, p, r)
}

// leaveOut leaves out a passage by the keyboard, with the first reason.
func leaveOut(p *browser.Page, passage int) {
	p.Eval(fmt.Sprintf(`document.querySelector('#suspect-text [data-p="%d"]').click()`, passage), nil)
	p.Press("x", "Tab", "Enter")
}

func put(p *browser.Page, id, event, value string) {
	p.Eval(fmt.Sprintf(`{ const n = document.getElementById(%q); n.value = %q; n.dispatchEvent(new Event(%q, {bubbles: true})); }`, id, value, event), nil)
}

// grown returns a result of the same text as r after its index has grown: one
// more source, one that is gone with its passages, and a passage with other
// bounds.
func grown(r *Report, gone, moved int) *Report {
	c := *r
	c.Index.Documents++
	c.Sources = slices.Delete(slices.Clone(r.Sources), gone, gone+1)
	c.Sources = slices.Insert(c.Sources, 0, search.Source{ID: "00000000000000ff", Name: "new.txt", Words: 400})
	c.Passages = nil
	for i, p := range r.Passages {
		if p.Source == gone {
			continue
		}
		if p.Source < gone {
			p.Source++
		}
		if i == moved {
			p.Origin.Start++
			p.Equal = nil
		}
		c.Passages = append(c.Passages, p)
	}
	return measured(&c)
}

// testPageOffersDecisions: the report of a later check of the same text offers the decisions on
// the first one that apply, lists those that do not, and loses neither.
func testPageOffersDecisions(t *testing.T, p *browser.Page) {
	r := made(2900, 40, 6)
	fresh(t, p, r)
	gone := r.Passages[3].Source
	var kept, moved int // a passage of another source that stays as it is, and one whose bounds change
	for kept = 0; r.Passages[kept].Source == gone; kept++ {
	}
	for moved = kept + 1; r.Passages[moved].Source == gone; moved++ {
	}
	put(p, "reviewer", "change", "Jana Nová")
	leaveOut(p, kept)
	leaveOut(p, moved)
	p.Eval(fmt.Sprintf(`document.querySelector('tr[data-source="%d"] .exclude').click()`, gone), nil)
	p.Press("Tab")
	for _, c := range "own" {
		p.Press(string(c))
	}
	p.Press("Enter")
	put(p, "passage-words", "input", "20")
	put(p, "verdict", "change", "minor")
	then := p.Text(scoreShown)

	later := grown(r, gone, moved)
	open(t, p, later)
	expectScore(t, p, later, "nothing is applied unasked", Review{})
	offer := `document.getElementById("offers").innerText.replace(/\s+/g, " ")`
	for _, want := range []string{"Jana Nová, ", "1 source left out, 2 passages left out, 1 filter, 1 verdict. The score was then " + then + ".",
		"2 decisions do not apply", fmt.Sprintf("Source: source %d.txt – quoted correctly: own", gone+1), "Now at this place:"} {
		if got := p.Text(offer); !strings.Contains(got, want) {
			t.Errorf("the offer is %q, want %q in it", got, want)
		}
	}
	put(p, "passage-words", "input", "30") // decided before the offer is taken, and stays
	p.Eval(`[...document.querySelectorAll("#offers button")].find((b) => b.textContent === "Take over").click()`, nil)
	number := slices.IndexFunc(later.Passages, func(q search.Passage) bool {
		return q.Suspect == r.Passages[kept].Suspect && later.Sources[q.Source].ID == r.Sources[r.Passages[kept].Source].ID
	})
	want := Review{Filter: Filter{PassageWords: 30}, Passages: []Decision{{Index: number}}}
	expectScore(t, p, later, "taken over", want)
	p.Press("u")
	expectScore(t, p, later, "not taken over", Review{Filter: Filter{PassageWords: 30}})
	expect(t, p, "it is offered again", `document.querySelectorAll("#offers > li").length`, "1")
	p.Press("U")
	expectScore(t, p, later, "taken over again", want)
	expect(t, p, "the offer is gone", `document.getElementById("earlier").hidden`, "true")
	lost := `document.querySelectorAll("#lost-list > li").length`
	expect(t, p, "what does not apply", lost, "2")
	p.Print(true)
	expect(t, p, "and is on paper", `document.getElementById("lost").checkVisibility()`, "true")
	p.Print(false)

	open(t, p, later)
	expectScore(t, p, later, "after a reload", want)
	expect(t, p, "what does not apply, after a reload", lost, "2")
	expect(t, p, "no offer again", `document.getElementById("earlier").hidden`, "true")
	dir := t.TempDir()
	p.Download(dir)
	p.Eval(`document.getElementById("save").click()`, nil)
	d := savedDecisions(t, filepath.Join(dir, fileName(r.Suspect.Path)+".decisions.json"))
	if len(d.Sources) != 1 || len(d.Passages) != 2 || len(d.Verdicts) != 1 {
		t.Errorf("%d sources, %d passages and %d verdicts in the file, want 1, 2 and 1", len(d.Sources), len(d.Passages), len(d.Verdicts))
	}
	if err := Decide(later, d); err != nil || later.Review.Score.Covered != d.Score.Covered {
		t.Errorf("Decide: %v, %d words, the page has %d", err, later.Review.Score.Covered, d.Score.Covered)
	}
	open(t, p, r)
	expect(t, p, "the first report has its own decisions still", scoreShown, then)
	p.Eval(`[...document.querySelectorAll("#offers button")].find((b) => b.textContent === "Do not offer again").click()`, nil)
	open(t, p, r)
	expect(t, p, "what was declined", `document.getElementById("earlier").hidden`, "true")
	open(t, p, made(2901, 40, 6))
	expect(t, p, "another text", `document.getElementById("earlier").hidden`, "true")
	clean(t, p)
}

// testPageUndoes undoes decisions, one at a time, and redoes them.
func testPageUndoes(t *testing.T, p *browser.Page) {
	r := made(2800, 40, 6)
	fresh(t, p, r)
	leaveOut(p, 2)
	v1 := Review{Passages: []Decision{{Index: 2}}}
	put(p, "passage-words", "input", "2")
	put(p, "passage-words", "input", "25") // typed: one step
	v2 := Review{Passages: v1.Passages, Filter: Filter{PassageWords: 25}}
	put(p, "verdict", "change", "serious")
	p.Eval(`document.querySelector("[data-do=reset]").click()`, nil)
	expectScore(t, p, r, "everything counts", Review{})
	expect(t, p, "verdicts stay", `document.getElementById("verdict").value`, "serious")
	p.Press("u")
	expectScore(t, p, r, "undo", v2)
	p.Press("u")
	expect(t, p, "verdict undone", `document.getElementById("verdict").value`, "")
	p.Press("u")
	expectScore(t, p, r, "filter undone", v1)
	expect(t, p, "its field", `document.getElementById("passage-words").value`, "0")
	p.Eval(`document.querySelector(".tools [data-do=undo]").click()`, nil)
	expectScore(t, p, r, "all undone", Review{})
	expect(t, p, "said", stateShown, "Undone. Score "+english().Percent(r.Score.Percent)+".")
	p.Press("u")
	expect(t, p, "nothing left", `document.getElementById("live").textContent`, "There is nothing to undo or redo.")
	p.Press("U", "U")
	expectScore(t, p, r, "made again", v2)
	open(t, p, r)
	expectScore(t, p, r, "kept as it is now", v2)
	clean(t, p)
}

// testPageOfTwoWindows: decisions of another window are applied, after an event or at the next
// decision of this one; Undo reverts only decisions of this window.
func testPageOfTwoWindows(t *testing.T, p *browser.Page) {
	r := made(2700, 40, 6)
	fresh(t, p, r)
	leaveOut(p, 2)
	other := func(passage int, tell bool) { // decides in another window
		q := r.Passages[passage]
		p.Eval(fmt.Sprintf(`{
			const key = [...Array(localStorage.length).keys()].map((i) => localStorage.key(i)).find((k) => k.length === 38);
			const d = JSON.parse(localStorage.getItem(key));
			d.passages.push({number: %d, source: %q, suspect: [%d, %d], origin: [%d, %d], reason: "own"});
			localStorage.setItem(key, JSON.stringify(d));
			if (%v) dispatchEvent(new StorageEvent("storage", {key}));
		}`, passage+1, r.Sources[q.Source].ID, q.Suspect.Start, q.Suspect.End, q.Origin.Start, q.Origin.End, tell), nil)
	}
	without := func(passages ...int) Review {
		var v Review
		for _, i := range passages {
			v.Passages = append(v.Passages, Decision{Index: i})
		}
		return v
	}
	other(5, true)
	expectScore(t, p, r, "told of", without(2, 5))
	expect(t, p, "said", `document.getElementById("live").textContent.startsWith("Decisions from another window were applied.")`, "true")
	other(7, false)
	leaveOut(p, 9)
	expectScore(t, p, r, "found", without(2, 5, 7, 9))
	p.Press("u")
	expectScore(t, p, r, "undone", without(2, 5, 7))
	p.Press("u")
	expectScore(t, p, r, "all of this window undone", without(5, 7))
	open(t, p, r)
	expectScore(t, p, r, "kept", without(5, 7))
	clean(t, p)
}

// testPageKeepsNothing: if the browser refuses to store decisions, or its storage is full, a
// warning is at the top of the page.
func testPageKeepsNothing(t *testing.T, p *browser.Page) {
	r := made(2600, 40, 6)
	fresh(t, p, r)
	const warned = `document.getElementById("not-kept").checkVisibility()`
	p.Eval(`Storage.prototype.setItem = () => { throw new DOMException("no room", "QuotaExceededError"); }; 1`, nil)
	expect(t, p, "before", warned, "false")
	leaveOut(p, 2)
	expectScore(t, p, r, "decided all the same", Review{Passages: []Decision{{Index: 2}}})
	expect(t, p, "told", warned, "true")
	p.Eval(`Object.defineProperty(window, "localStorage", {get() { throw new DOMException("refused", "SecurityError"); }}); 1`, nil)
	leaveOut(p, 3)
	dispatched := `(() => { dispatchEvent(new Event("focus")); return document.getElementById("not-kept").hidden; })()`
	expect(t, p, "refused", dispatched, "false")
	dir := t.TempDir()
	p.Download(dir)
	p.Eval(`document.getElementById("save").click()`, nil)
	savedDecisions(t, filepath.Join(dir, fileName(r.Suspect.Path)+".decisions.json"))
	expect(t, p, "in a file", warned, "false")
	clean(t, p)
}

// testPageRefusesDecisions: the page rejects the decisions that the program rejects, and
// reports why. Replaced decisions can be restored.
func testPageRefusesDecisions(t *testing.T, p *browser.Page) {
	r := made(2500, 40, 6)
	fresh(t, p, r)
	leaveOut(p, 2)
	v := Review{Passages: []Decision{{Index: 2}}}
	var kept map[string]any
	p.Eval(`JSON.parse(Object.values(localStorage).find((v) => v.startsWith("{")))`, &kept)
	give := func(change func(d map[string]any)) {
		text, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		change(d)
		if text, err = json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		p.Eval(fmt.Sprintf(`{ document.getElementById("review-state").textContent = ""; const t = new DataTransfer(); t.items.add(new File([%q], "d.json")); const n = document.getElementById("load-file"); n.files = t.files; n.dispatchEvent(new Event("change")); }`, text), nil)
	}
	passage := func(d map[string]any) map[string]any { return d["passages"].([]any)[0].(map[string]any) }
	const unreadable = "This file contains decisions that this page cannot read. None were loaded."
	for what, change := range map[string]func(d map[string]any){
		"a later format":    func(d map[string]any) { d["format"] = 2 },
		"no text":           func(d map[string]any) { delete(d, "suspect") },
		"an unknown field":  func(d map[string]any) { d["more"] = 1 },
		"an unknown reason": func(d map[string]any) { passage(d)["reason"] = "bribed" },
		"an unknown grade":  func(d map[string]any) { d["filter"].(map[string]any)["grades"] = []string{"all"} },
		"no verdict":        func(d map[string]any) { d["verdicts"] = []any{map[string]any{"of": "report", "verdict": "guilty"}} },
		"no place":          func(d map[string]any) { passage(d)["suspect"] = 7 },
		"no moment":         func(d map[string]any) { d["at"] = "yesterday" },
		"no filter":         func(d map[string]any) { d["filter"] = "none" },
	} {
		give(change)
		awaited(t, p, what, stateShown, unreadable)
		expectScore(t, p, r, what, v)
	}
	p.Eval(`File.prototype.text = () => Promise.reject(new Error("the folder is gone"))`, nil)
	give(func(map[string]any) {})
	awaited(t, p, "a file that cannot be read", stateShown, "The file could not be read, and none of its decisions were loaded: the folder is gone")
	expectScore(t, p, r, "a file that cannot be read", v)
	p.Eval(`delete File.prototype.text`, nil) // what all blobs have stays
	give(func(d map[string]any) { d["suspect"].(map[string]any)["sha256"] = strings.Repeat("0", 64) })
	awaited(t, p, "a text of the same size", stateShown, "This file has decisions on another text: "+r.Suspect.Path)
	give(func(d map[string]any) { d["passages"], d["filter"] = nil, nil })
	awaited(t, p, "no decisions", stateShown, "Decisions were loaded. Undo brings back what was decided here before.")
	expectScore(t, p, r, "no decisions", Review{})
	p.Press("u")
	expectScore(t, p, r, "back", v)

	p.Eval(`{ const key = Object.keys(localStorage).find((k) => k.length === 38); localStorage.setItem(key, '{"otisk":"decisions","format":1}'); }`, nil)
	open(t, p, r)
	expect(t, p, "kept by nobody that this page knows", stateShown, "The decisions that this browser stored for this report cannot be read. They stay stored, and none of them count.")
	leaveOut(p, 4)
	expect(t, p, "it is still there", `Object.values(localStorage).includes('{"otisk":"decisions","format":1}')`, "true")
	clean(t, p)
}

// testPageKeepsReview: a report made with a review shows that review, or later decisions of
// this browser, and keeps the other of the two.
func testPageKeepsReview(t *testing.T, p *browser.Page) {
	r := made(2400, 40, 6)
	fresh(t, p, r)
	leaveOut(p, 2)
	own := Review{Passages: []Decision{{Index: 2}}}
	reviewed := *r
	reviewed.Review = &Review{By: "Jan Novák", At: sample().Checked.AddDate(-3, 0, 0), Passages: []Decision{{Index: 5, Reason: "own"}}}
	theirs := Review{Passages: reviewed.Review.Passages}
	Apply(&reviewed)
	open(t, p, &reviewed)
	expectScore(t, p, r, "later decisions", own)
	p.Press("u")
	expectScore(t, p, r, "the report's review", theirs)
	p.Press("U")
	reviewed.Review.At = sample().Checked.AddDate(100, 0, 0)
	open(t, p, &reviewed)
	expectScore(t, p, r, "a later review", theirs)
	p.Eval(`document.querySelector("#offers button").click()`, nil)
	expectScore(t, p, r, "and the earlier decisions", Review{Passages: []Decision{{Index: 2}, {Index: 5}}})
	clean(t, p)
}

// testPageKeepsNotes: a note is kept while it is typed, and one without a verdict
// says that it is not.
func testPageKeepsNotes(t *testing.T, p *browser.Page) {
	r := made(2300, 40, 6)
	fresh(t, p, r)
	const alone = `document.getElementById("note-alone").checkVisibility()`
	put(p, "verdict-note", "input", "two chap")
	expect(t, p, "a note alone", alone, "true")
	put(p, "verdict", "change", "open")
	expect(t, p, "with a verdict", alone, "false")
	put(p, "verdict-note", "input", "two chapters")
	open(t, p, r)
	expect(t, p, "note", `document.getElementById("verdict-note").value`, "two chapters")
	clean(t, p)
}

// testPageSavedWhole: a browser that saves the whole page saves its state after the script
// ran. Such a copy shows the report once, with the figures of each source in place, and the
// saved decisions.
func testPageSavedWhole(t *testing.T, p *browser.Page) {
	r := made(2200, 30, 15)
	fresh(t, p, r)
	p.Eval(`document.getElementById("suspect-text").querySelector("mark").click()`, nil)
	for _, i := range []int{3, 5} {
		leaveOut(p, i)
	}
	put(p, "verdict", "change", "open")
	put(p, "verdict-note", "input", "</script><script>document.title = 1</script>")
	put(p, "source-sort", "input", "counted")
	put(p, "source-search", "input", "source 1")
	v := Review{Passages: []Decision{{Index: 3}, {Index: 5}}}
	text := p.Text(`document.getElementById("suspect-text").innerText`)
	saved := "<!doctype html>\n" + p.Text(`document.documentElement.outerHTML`)
	p.Eval(`localStorage.clear()`, nil)
	file := filepath.Join(t.TempDir(), "saved.html")
	if err := os.WriteFile(file, []byte(saved), 0o644); err != nil {
		t.Fatal(err)
	}
	openSaved := func() {
		p.Open(file)
		// Widths of bars, which the policy of the page refuses, and the script sets again.
		p.Errors = slices.DeleteFunc(p.Errors, func(e string) bool { return strings.HasPrefix(e, "Applying inline style violates") })
	}
	openSaved()
	p.Press("t")
	expect(t, p, "text", `document.getElementById("suspect-text").innerText`, text)
	expectScore(t, p, r, "saved with decisions", v)
	expect(t, p, "note", `document.getElementById("verdict-note").value`, "</script><script>document.title = 1</script>")
	expect(t, p, "said", stateShown+`.startsWith("This page was saved with decisions of")`, "true")
	leaveOut(p, 7)
	openSaved()
	v.Passages = append(v.Passages, Decision{Index: 7})
	expectScore(t, p, r, "decided since", v)
	p.Press("u")
	v.Passages = v.Passages[:2]
	expectScore(t, p, r, "what the page was saved with", v)
	clean(t, p)
}

// testPageWithoutScript: the page without its script equals the page with it, after a review
// too.
func testPageWithoutScript(t *testing.T, p *browser.Page) {
	r := troubled()
	r.Review.Filter = Filter{PassageWords: 20, Kinds: []string{"quotation"}}
	r.Review.Passages = []Decision{{Index: 4, Reason: "own"}}
	Apply(r)
	page := render(t, "html", r, Options{})
	openPage(t, p, page)
	const figures = `((root) => [...root.querySelectorAll("[data-percent], #covered, #counts, .legend b")].map((n) => n.textContent).join() + " " +
		[...root.querySelectorAll("tr[data-source]")].sort((a, b) => a.dataset.source - b.dataset.source).map((row) => row.classList.contains("gone") + ":" +
			[".share", ".words", ".counted", ".passages"].map((c) => row.querySelector(c).textContent).join()).join(" "))`
	text, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, p, "figures by the script", figures+"(document)", p.Text(figures+fmt.Sprintf(`(new DOMParser().parseFromString(%s, "text/html"))`, text)))
	clean(t, p)
}
