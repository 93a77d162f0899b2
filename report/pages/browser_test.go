package pages_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/pages"
)

// openReport writes the HTML report and opens it.
func openReport(t *testing.T, p *browser.Page, r *report.Report) (page []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, "html", r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	p.Open(file)
	if len(p.Errors) > 0 || len(p.Requests) > 0 {
		t.Fatalf("errors %q, requests %q", p.Errors, p.Requests)
	}
	see(t, p, "pictures", loaded, "yes")
	return b.Bytes()
}

// loaded waits until all pictures are loaded.
const loaded = `(async () => { while (!document.body.classList.contains("sheets-ready")) await new Promise((r) => setTimeout(r, 20));
	await Promise.all([...document.querySelectorAll("#sheets img")].map((i) => i.decode())); return "yes"; })()`

// see fails the test unless script evaluates to want.
func see(t *testing.T, p *browser.Page, what, script, want string) {
	t.Helper()
	var got string
	if p.Eval(script, &got); got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const (
	shownPages = `String(document.querySelectorAll("#sheets .sheet img").length) + " " + getComputedStyle(document.getElementById("sheets")).display + " " + getComputedStyle(document.getElementById("suspect-text")).display`
	// drawn begins a script that waits until the pages around are drawn.
	drawn    = `(async () => { for (let i = 0; i < 5; i++) await new Promise((r) => requestAnimationFrame(() => setTimeout(r))); `
	selected = drawn + `return [...document.querySelectorAll("#sheets mark.selected")].length + " " + document.getElementById("pane-number").textContent; })()`
	// clicked clicks into the middle of the first mark as a mouse does.
	clicked = `(() => { const m = document.querySelector("#sheets mark"); m.scrollIntoView({block: "center"}); const b = m.getBoundingClientRect();
		const hit = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2); hit.click(); return hit === m ? "mark" : hit.outerHTML.slice(0, 200); })()`
	onScreen = `(() => { const b = document.querySelector("#sheets mark.selected").getBoundingClientRect(); return String(b.top > 0 && b.bottom < innerHeight); })()`
)

// TestPagesInBrowser uses the pages of a report as a reader does: clicks, uses keys, switches
// to the text, leaves passages out, in light and dark, on a phone, on paper.
func TestPagesInBrowser(t *testing.T) {
	p := browser.Start(t)
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	p.Size(1400, 900)
	page := openReport(t, p, r)
	see(t, p, "at first", shownPages, "2 grid none")
	see(t, p, "the number of the source stands at the passage", `[...document.querySelectorAll("#sheets .chip")].map((c) => c.textContent).join()`, "1")
	see(t, p, "names of the pages", `[...document.querySelectorAll("#sheets figcaption")].map((c) => c.textContent).join()`, "Page 2,Page 3")
	see(t, p, "a click", clicked, "mark")
	see(t, p, "after a click", selected, "3 1")
	testMarks(t, p, r)

	p.Press("Escape")
	see(t, p, "after Escape", `document.querySelectorAll("#sheets mark.selected").length + ""`, "0")
	p.Press("n")
	see(t, p, "after n", selected, "3 1")
	see(t, p, "where n leads", onScreen, "true")
	p.Press("v")
	see(t, p, "after v", shownPages, "2 none block")
	see(t, p, "the passage in the text", `String(document.querySelector("#suspect-text mark.selected") !== null)`, "true")
	see(t, p, "pages in the text", `[...document.querySelectorAll("#suspect-text .page-start")].map((x) => x.dataset.page).join()`, "1,2,3")
	p.Text(`(document.getElementById("view-sheets").click(), "")`)
	see(t, p, "after the button", shownPages, "2 grid none")
	testLeftOut(t, p)
	testAxe(t, p)
	testLooks(t, p)
	testPrint(t, p)

	back, err := report.ReadHTML(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(back.Pages) != fmt.Sprint(r.Pages) {
		t.Error("the pictures that are read back from the page are not those that were written")
	}
}

// testMarks compares the marks with the words: each word is under a mark.
func testMarks(t *testing.T, p *browser.Page, r *report.Report) {
	t.Helper()
	for i, pic := range r.Pages.Pictures {
		for _, w := range pic.Words {
			script := fmt.Sprintf(`(() => { const s = document.querySelectorAll("#sheets .leaf")[%d], b = s.getBoundingClientRect(), k = b.width / %d;
				const x = b.left + k * %d, y = b.top + k * %d;
				return String([...s.querySelectorAll("mark")].some((m) => { const r = m.getBoundingClientRect(); return r.left <= x && x <= r.right && r.top <= y && y <= r.bottom; })); })()`,
				i, pic.Width, w[2]+w[4]/2, w[3]+w[5]/2)
			see(t, p, "a mark over "+textOf(r, w), script, "true")
		}
	}
}

// testLeftOut leaves the passage out and takes that back.
func testLeftOut(t *testing.T, p *browser.Page) {
	t.Helper()
	p.Press("o")
	p.Text(`(document.querySelector("#decide .end button").click(), "")`)
	see(t, p, "left out", drawn+`return String([...document.querySelectorAll("#sheets mark")].every((m) => m.classList.contains("out") || m.classList.contains("selected")))+" "+document.querySelectorAll("#sheets mark.out").length; })()`, "true 3")
	p.Press("u")
	see(t, p, "taken back", drawn+`return document.querySelectorAll("#sheets mark.out").length + ""; })()`, "0")
}

func testAxe(t *testing.T, p *browser.Page) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Error(v)
	}
}

// testLooks: pages fit a phone, and stay readable in the dark.
func testLooks(t *testing.T, p *browser.Page) {
	t.Helper()
	p.Dark(true)
	see(t, p, "paper in the dark", `getComputedStyle(document.querySelector(".leaf img")).backgroundColor + getComputedStyle(document.querySelector(".leaf")).getPropertyValue("--paper")`, "rgb(255, 255, 255)#fff")
	p.Dark(false)
	p.Size(390, 800)
	see(t, p, "width on a phone", `String(document.documentElement.scrollWidth <= 390 && document.querySelector(".leaf").getBoundingClientRect().width > 330)`, "true")
	p.Size(1400, 900)
}

// testPrint: paper has the pages with their marks and numbers, if they are shown.
func testPrint(t *testing.T, p *browser.Page) {
	t.Helper()
	p.Press("Escape")
	printed := func() int {
		v, err := pdf.View(t.Context(), p.PDF(), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		colours := 0
		for i := range v.Pages {
			img, err := v.Picture(i, 40)
			if err != nil {
				t.Fatal(err)
			}
			dots := 0
			for k := 0; k < len(img.Pix); k += 4 {
				if int(img.Pix[k+2])-int(img.Pix[k]) > 60 { // blue, as source 1 is
					dots++
				}
			}
			if dots > 500 {
				colours++
			}
		}
		return colours
	}
	if n := printed(); n != 2 {
		t.Errorf("%d printed pages have marks, want the 2 pages of the thesis", n)
	}
	p.Press("v")
	if n := printed(); n != 0 {
		t.Errorf("%d printed pages have marks though the text is shown, want none", n)
	}
	p.Press("v")
}

// TestMuchInBrowser: a report with 300 pages is under 40 MB, and opens; it logs how fast.
func TestMuchInBrowser(t *testing.T) {
	p := browser.Start(t)
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	first := r.Pages.Pictures[0]
	if first.Data = strings.TrimRight(first.Data, "="); len(first.Data) < pages.DefaultMaxBytes/300 {
		first.Data += strings.Repeat("A", (pages.DefaultMaxBytes/300-len(first.Data))/4*4) // all that fits; decoders ignore bytes after the end
	}
	for n := 4; len(r.Pages.Pictures) < 300; n++ {
		next := first
		next.Number, next.Label = n, fmt.Sprint(n)
		r.Pages.Pictures = append(r.Pages.Pictures, next)
	}
	page := openReport(t, p, r)
	if len(page) > 40<<20 {
		t.Errorf("the report has %d MB", len(page)>>20)
	}
	var ms float64
	p.Eval(`performance.getEntriesByType("navigation")[0].loadEventEnd`, &ms)
	t.Logf("%d MB, loaded after %.0f ms", len(page)>>20, ms)
	see(t, p, "pictures", `document.querySelectorAll("#sheets img").length + ""`, "300")
}
