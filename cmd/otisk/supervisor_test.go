package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/browser"
)

// A supervisor walks through the reports on a class in a browser.
type supervisor struct {
	*testing.T
	page    *browser.Page
	reports string
	size    classSize
}

func (s *supervisor) sees(what, script, want string) {
	s.Helper()
	if got := s.page.Text(script); got != want {
		s.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (s *supervisor) opens(file string) {
	s.Helper()
	s.page.Open(filepath.Join(s.reports, file))
	if len(s.page.Errors) > 0 || len(s.page.Requests) > 0 {
		s.Fatalf("%s: errors %q, requests %q", file, s.page.Errors, s.page.Requests)
	}
}

// accessible runs axe-core over the page as it is.
func (s *supervisor) accessible(what string) {
	s.Helper()
	for _, v := range s.page.Violations() {
		s.Errorf("%s: %s", what, v)
	}
}

// TestSupervisor acts as the supervisor of a class: it opens the overview of pairs and a
// report, leaves out given text, sets a verdict, saves the decisions, and finds them in the
// overview.
func TestSupervisor(t *testing.T) { superviseClass(t, smallClass) }

// TestSupervisorLarge does the same with a class of 24 in nine formats.
func TestSupervisorLarge(t *testing.T) {
	needLarge(t)
	superviseClass(t, largeClass)
}

func superviseClass(t *testing.T, size classSize) {
	page := browser.Start(t)
	_, _, reports := checkClass(t, size)
	s := &supervisor{t, page, reports, size}
	page.Size(1400, 900)
	s.overview()
	s.report()
	s.looks()
	s.pages()
	s.decisions()
}

// pages: the reports on documents with pages show them, with the place that n leads to.
func (s *supervisor) pages() {
	if len(s.size.flags) == 0 {
		return
	}
	for _, file := range []string{"prace09.pdf", "prace05.docx", "prace02.odt", "prace03.rtf"} {
		s.opens(file + ".out.html")
		s.page.Press("n")
		s.sees(file+": marks on the pages", `document.querySelectorAll("#sheets mark.selected").length > 0`, "true")
		s.sees(file+": the place is on the screen", `(() => { const b = document.querySelector("#sheets mark.selected").getBoundingClientRect(); return b.top > 0 && b.bottom < innerHeight; })()`, "true")
		s.accessible(file)
		keep(s, file+".png", s.page.Screenshot)
	}
	s.opens("prace08.html.out.html")
	s.page.Press("n")
}

const shownPairs = `[...document.querySelectorAll("#pair-table tbody tr:not([hidden])")].map((r) => [r.cells[0], r.cells[1]].map((c) => c.innerText.match(/prace\d+/)[0]).join("-")).sort().join()`

// overview: from 8 % on, four pairs have copied; the declaration links nobody unless
// the supervisor wants it to; the search applies to pairs, too.
func (s *supervisor) overview() {
	s.opens("index.html")
	s.page.Eval(`{ const x = document.getElementById("pair-least"); x.value = "8"; x.dispatchEvent(new Event("input")); }`, nil)
	s.sees("who copied", shownPairs, "prace01-prace02,prace03-prace04,prace07-prace08,prace09-prace10")
	s.sees("groups", `document.querySelectorAll("#groups figure").length`, "4")
	s.accessible("overview")
	s.page.Eval(`document.getElementById("pair-all").click()`, nil)
	s.page.Eval(`{ const x = document.getElementById("pair-least"); x.value = "0"; x.dispatchEvent(new Event("input")); }`, nil)
	s.sees("all that have the declaration", `document.getElementById("pair-count").textContent`, fmt.Sprintf("%d of %[1]d pairs", s.size.theses*(s.size.theses-1)/2))
	s.page.Eval(`document.getElementById("pair-all").click()`, nil)
	s.page.Eval(`{ const x = document.getElementById("pair-least"); x.value = "8"; x.dispatchEvent(new Event("input")); }`, nil)
	s.page.Eval(`{ const x = document.getElementById("search"); x.value = "prace08"; x.dispatchEvent(new Event("input")); }`, nil)
	s.sees("pairs of one text", shownPairs, "prace07-prace08")
	s.sees("the largest source, by its file", `document.querySelector('#table tr[data-name$="prace08.html"] td:nth-child(4)').innerText.includes("prace07.md")`, "true")
}

const at = `document.getElementById("pane-place").textContent`

// report: the copied paragraphs are one run and one place; what everybody has is one
// place each and goes out with one press, which can be taken back.
func (s *supervisor) report() {
	s.opens("prace08.html.out.html")
	var found string
	s.page.Eval(`document.querySelector(".score [data-percent]").textContent`, &found)
	s.sees("what most have", `[...document.querySelectorAll("#everybody-list li")].map((li) => li.innerText.match(/in \d+ of \d+ documents/)[0]).join()`, fmt.Sprintf("in %d of %[1]d documents,in %[1]d of %[1]d documents", s.size.theses-1))
	s.sees("the strongest", `document.querySelectorAll("#strongest li").length`, "1")
	s.page.Press("n")
	s.sees("the declaration", at, fmt.Sprintf("Place 1 of 3 · source 1 of %d here", s.size.theses-1))
	s.page.Press("n")
	s.sees("the copy", at, "Place 2 of 3")
	s.page.Press("n", "n", "x", "Enter")
	s.sees("one of nine sources left out", `document.getElementById("notice-text").innerText.includes("The score stays `+found+`")`, "true")
	s.page.Eval(`document.querySelector("#notice-text button").click()`, nil)
	s.page.Press("Enter")
	s.sees("the place left out", `document.getElementById("counts").textContent.startsWith("2 places")`, "true")
	s.page.Press("u", "u")
	s.sees("taken back", `document.querySelector(".score [data-percent]").textContent`, found)
	s.page.Eval(`document.getElementById("leave-everybody").click()`, nil)
	s.sees("given text left out", `document.getElementById("counts").textContent`, "1 place, 1 source")
	s.page.Eval(`document.querySelector('[data-do="dismiss"]').click()`, nil)
}

// looks: on a desktop, on a phone, in the dark and on paper.
func (s *supervisor) looks() {
	s.page.Press("Escape", "n")
	for _, size := range [][2]int{{1400, 900}, {390, 844}} {
		s.page.Size(size[0], size[1])
		s.sees("nothing beside the screen", `document.documentElement.scrollWidth <= document.documentElement.clientWidth`, "true")
		for _, dark := range []bool{false, true} {
			s.page.Dark(dark)
			s.accessible(fmt.Sprintf("report at %d points, dark %v", size[0], dark))
			keep(s, fmt.Sprintf("report-%d-%v.png", size[0], dark), s.page.Screenshot)
		}
	}
	s.page.Dark(false)
	s.page.Size(1400, 900)
	s.page.Eval(`window.dispatchEvent(new Event("beforeprint"))`, nil)
	s.sees("the copy on paper", `document.querySelectorAll("#print-passages article:not(.gone)").length`, "1")
	s.page.Eval(`window.dispatchEvent(new Event("afterprint"))`, nil)
	keep(s, "report.pdf", s.page.PDF)
}

// keep writes a picture into the folder that OTISK_PICTURES names, for people to look at.
func keep(t testing.TB, name string, picture func() []byte) {
	t.Helper()
	dir := os.Getenv("OTISK_PICTURES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), picture(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// decisions: a verdict is saved; otisk report writes it, the overview has it, with both
// scores; and the saved file is loaded with nothing left to save.
func (s *supervisor) decisions() {
	set := func(id, value string) {
		s.page.Eval(fmt.Sprintf(`{ const n = document.getElementById(%q); n.value = %q; n.dispatchEvent(new Event("change", {bubbles: true})); }`, id, value), nil)
	}
	set("reviewer", "Jana Nová")
	set("verdict", "serious")
	dir := s.TempDir()
	s.page.Download(dir)
	s.page.Eval(`document.getElementById("save").click()`, nil)
	file := filepath.Join(dir, "prace08.html.decisions.json")
	s.await(file)
	s.sees("nothing to save", `document.getElementById("save").classList.contains("dirty")`, "false")
	var score string
	s.page.Eval(`document.querySelector(".score [data-percent]").textContent`, &score)
	otisk(s.T, "report", "-q", "--decisions", file, "--format", "html,text", "-o", s.reports, filepath.Join(s.reports, "prace08.html.out.json"))
	s.opens("index.html")
	row := `document.querySelector('#table tr[data-name$="prace08.html"]')`
	s.sees("the verdict", row+`.querySelector(".verdict").textContent.startsWith("copied without acknowledgementJana Nová, ")`, "true")
	s.sees("the score after it", row+`.cells[1].querySelector("b").textContent`, score)
	if text := content(s.T, filepath.Join(s.reports, "prace08.html.reviewed.out.txt")); !strings.Contains(text, "Score after review: "+score) || !strings.Contains(text, "without the place “Prohlašuji") {
		s.Errorf("the reviewed text report does not state %s, and the place:\n%.900s", score, text)
	}
}

// await waits until a download is whole.
func (s *supervisor) await(file string) {
	s.Helper()
	for range 1000 {
		if data, err := os.ReadFile(file); err == nil && json.Valid(data) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Fatalf("no %s", file)
}
