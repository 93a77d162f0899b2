package report

import (
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/search"
)

// testPageOfStructure: the text shows headings, and items of lists with labels and levels. A paragraph that continues an item has no label.
func testPageOfStructure(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	r := sample()
	r.Review, r.Passages, r.Joined, r.Exclusions, r.Paragraphs, r.Sources = nil, nil, nil, nil, nil, nil
	r.Suspect.Flags, r.Suspect.Recognized, r.Suspect.PageStarts, r.Suspect.PageLabels = nil, nil, nil, nil
	text := "Head\n\nText\n\nthree\n\ngoes on\n\ninner <b>\n\nfour\n\nend"
	r.Suspect.Text, r.Suspect.NewLine = text, "blank"
	r.Suspect.Headings = []search.Span{spanOf(text, "Head")}
	r.Suspect.Items = []search.Item{{Span: spanOf(text, "three\n\ngoes on\n\ninner <b>"), Level: 1, Label: "3."}, {Span: spanOf(text, "inner <b>"), Level: 2}, {Span: spanOf(text, "four"), Level: 1, Label: "4."}}
	measured(r)
	open(t, p, r)
	expect(t, p, "paragraphs", `[...document.querySelectorAll("#suspect-text p")].map((n) => [n.classList.contains("heading") ? "heading" : n.style.getPropertyValue("--level"), n.dataset.label, n.textContent].join(" ")).join("; ")`,
		"heading  Head;   Text; 1 3. three; 1  goes on; 2 • inner <b>; 1 4. four;   end")
	expect(t, p, "indentation", `(() => { const x = [...document.querySelectorAll("#suspect-text p")].map((n) => n.getBoundingClientRect().left); return x[1] < x[2] && x[2] === x[3] && x[3] < x[4] && x[4] > x[5] && x[6] === x[1]; })()`, "true")
	clean(t, p)
}

// TestItemsAreChecked: a report with an item outside its text is refused.
func TestItemsAreChecked(t *testing.T) {
	r := sample()
	r.Suspect.Items = []search.Item{{Span: search.Span{Start: 1, End: r.Suspect.Bytes + 1}, Level: 1}}
	if err := checkPlaces(&r.Suspect); err == nil {
		t.Error("an item that ends outside the text is accepted")
	}
}
