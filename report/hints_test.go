package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/hint"
)

// hintedSample returns a result with a passage, a source with a hint only, and two hints of both kinds and strengths.
func hintedSample() *Report {
	text := "The keeper counted every ship that passed the rocks. In the fog he noted the sound of bells, since nobody could see a lantern. The end of the tale."
	first := "The keeper counted every ship that passed the rocks. Nobody had asked him."
	second := "When fog hid each lantern, the man wrote down how their bells did sound."
	r := &Report{Result: search.Result{
		Index: search.Index{Kind: search.KindIndex, Name: "tales", Documents: 2, Searched: 2, Grams: 20}, Settings: search.Settings{N: 5},
		Suspect: search.Suspect{Path: "essay.txt", Format: "text", NewLine: "blank", Text: text, Paragraphs: 1},
		Sources: []search.Source{{ID: fmt.Sprintf("%016x", 1), Name: "keeper.txt", Words: 13, Bytes: int64(len(first)), Excerpts: []search.Excerpt{{Span: spanOf(first, first), Text: first}}},
			{ID: fmt.Sprintf("%016x", 2), Name: "<b>fog</b>.txt", Hinted: true, Words: 14, Bytes: int64(len(second)), Excerpts: []search.Excerpt{{Span: spanOf(second, second), Text: second}}}},
	}}
	copied := "The keeper counted every ship that passed the rocks"
	r.Passages = append(r.Passages, aPassage(r, 0, first, search.Verbatim, copied, copied, copied))
	for i, kind := range []string{hint.KindRewritten, hint.KindTranslated} {
		here := []string{"In the fog he noted the sound of bells, since nobody could see a lantern", "The end of the tale"}[i]
		h := search.Hint{Number: i + 1, Source: 1, Kind: kind, Strength: []string{hint.Strong, hint.Weak}[i], Figure: []float64{.41, 22.6}[i], Level: []float64{.11, 0}[i],
			Suspect: spanOf(text, here), Origin: spanOf(second, second), OriginWords: 14}
		h.Word, h.Words = wordsOf(text, h.Suspect)
		h.Links = []search.HintLink{}
		if i == 0 {
			for _, word := range []string{"fog", "sound", "bells", "lantern"} {
				a, b := spanOf(text, word), spanOf(second, word)
				h.Links = append(h.Links, search.HintLink{Kind: hint.LinkEqual, Suspect: [2]int{a.Start, a.End}, Origin: [2]int{b.Start, b.End}})
			}
		}
		r.Hints = append(r.Hints, h)
	}
	return measured(r)
}

// acceptFirst returns decisions that accept the first hint, as a file of decisions has them.
func acceptFirst(t *testing.T, r *Report, by string) *Decisions {
	t.Helper()
	h := r.Hints[0]
	d := &Decisions{Kind: "decisions", Format: Version, By: by}
	d.Suspect.Path, d.Suspect.Bytes, d.Suspect.Words = r.Suspect.Path, r.Suspect.Bytes, r.Suspect.Words
	d.Hints = []HintDecision{{Kind: h.Kind, Source: r.Sources[h.Source].ID, Suspect: [2]int{h.Suspect.Start, h.Suspect.End}, Origin: [2]int{h.Origin.Start, h.Origin.End}, Note: "the same tale"}}
	saved, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadDecisions(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// acceptedSample returns hintedSample with its first hint accepted.
func acceptedSample(t *testing.T) *Report {
	t.Helper()
	r := hintedSample()
	if err := Decide(r, acceptFirst(t, r, "N. N.")); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHintsDoNotCount: hints change neither the score, nor its grades, nor the counts of sources and passages.
func TestHintsDoNotCount(t *testing.T) {
	r := hintedSample()
	without := *r
	without.Hints = nil
	if got, want := measured(&without).Score, r.Score; !reflect.DeepEqual(got, want) {
		t.Errorf("score %+v without hints, %+v with them", got, want)
	}
	row := RowOf(r, "")
	if row.Sources != 1 || row.Passages != 1 || row.Hints != 2 || row.Covered != 9 {
		t.Errorf("row %+v: want 1 source, 1 passage, 2 hints and 9 words", row.RowCount)
	}
	if got, want := countsIn(english(), r), "1 place, 1 source, 1 more with hints only, 2 hints"; got != want {
		t.Errorf("counts %q, want %q", got, want)
	}
}

// TestAcceptedHint: an accepted hint counts as reworded, in all formats, and survives being read back; a decision on a missing hint is reported as lost.
func TestAcceptedHint(t *testing.T) {
	r := acceptedSample(t)
	if got, want := r.Review.Score.Covered, r.Score.Covered+r.Hints[0].Words; got != want || r.Review.Score.Grades[search.Reworded] != r.Hints[0].Words {
		t.Errorf("score after the review: %+v, want %d words", r.Review.Score, want)
	}
	if got := r.Review.Remains[1]; got.Covered != r.Hints[0].Words {
		t.Errorf("the source of the hint: %+v", got)
	}
	for name, read := range map[string]func() (*Report, error){
		"json": func() (*Report, error) { return ReadJSON(strings.NewReader(render(t, "json", r, Options{}))) },
		"html": func() (*Report, error) { return ReadHTML(strings.NewReader(render(t, "html", r, Options{}))) },
	} {
		if got, err := read(); err != nil || !reflect.DeepEqual(got.Hints, r.Hints) || !reflect.DeepEqual(got.Review.Hints, r.Review.Hints) {
			t.Errorf("%s: hints %+v, accepted %+v, %v", name, got.Hints, got.Review.Hints, err)
		}
	}
	text := strings.Join(strings.Fields(render(t, "text", r, Options{})), " ")
	for _, want := range []string{"Hints: 2", "accuses nobody", "strong hint, the same content in other words", "similarity 41 of 100", "| In the fog", "> When fog", "may be translated", "with hint 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text report lacks %q:\n%s", want, text)
		}
	}
	d := acceptFirst(t, r, "")
	d.Hints[0].Origin[1]++
	other := hintedSample()
	if err := Decide(other, d); err != nil || len(other.Review.Hints) != 0 || len(other.Notes) != 1 {
		t.Errorf("a decision on a hint that is not there: %v, accepted %v, notes %v", err, other.Review.Hints, other.Notes)
	}
	if _, err := ReadDecisions(strings.NewReader(`{"otisk":"decisions","format":1,"hints":[{"kind":"x"}]}`)); err == nil {
		t.Error("a hint of an unknown kind is accepted")
	}
}

// TestMergeHints: a hint that one of two reviewers accepted counts, and the difference is reported.
func TestMergeHints(t *testing.T) {
	r := hintedSample()
	a, b := acceptFirst(t, r, "A"), acceptFirst(t, r, "B")
	b.Hints = nil
	merged, differ := Merge([]*Decisions{a, b}, []string{"a", "b"})
	if len(merged.Hints) != 1 || merged.Hints[0].By != "A" || len(differ) != 1 || !strings.Contains(differ[0].Error(), "is accepted by A, and not by B") {
		t.Errorf("hints %+v, differences %q", merged.Hints, differ)
	}
}

// TestHintsAreChecked: a report whose hints point outside its texts or lists is refused.
func TestHintsAreChecked(t *testing.T) {
	for name, spoil := range map[string]func(*Report){
		"source":   func(r *Report) { r.Hints[0].Source = 2 },
		"kind":     func(r *Report) { r.Hints[0].Kind = "guessed" },
		"words":    func(r *Report) { r.Hints[0].Words = 1000 },
		"place":    func(r *Report) { r.Hints[0].Suspect.End = 1 << 20 },
		"link":     func(r *Report) { r.Hints[0].Links[0].Suspect = [2]int{0, 1} },
		"accepted": func(r *Report) { r.Review = &Review{Hints: []Accepted{{Index: 2}}, Remains: make([]Remains, 2)} },
	} {
		r := hintedSample()
		spoil(r)
		text, err := json.Marshal(jsonReport{Version, r, nil})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadJSON(bytes.NewReader(text)); err == nil {
			t.Errorf("%s: a damaged report is read", name)
		}
	}
}

// testPageOfHints: the section has both texts with the linking words marked, the filter works, and accepting a hint counts its words as Go does; that can be undone.
func testPageOfHints(t *testing.T, p *browser.Page) {
	p.Size(1400, 900)
	open(t, p, acceptedSample(t))
	expect(t, p, "accepted before", wordsShown, fmt.Sprint(acceptedSample(t).Review.Score.Covered))
	r := hintedSample()
	open(t, p, r)
	expect(t, p, "score", wordsShown, "9")
	expect(t, p, "counts", `document.getElementById("counts").textContent`, "1 place, 1 source, 1 more with hints only, 2 hints")
	expect(t, p, "links", `[...document.querySelectorAll("#hint-list li:first-child blockquote:first-of-type mark.link")].map((m) => m.textContent).join()`, "fog,sound,bells,lantern,fog,lantern,bells,sound")
	p.Eval(`{ const s = document.getElementById("hint-filter"); s.value = "weak"; s.dispatchEvent(new Event("input")); }`, nil)
	expect(t, p, "filtered", `document.querySelectorAll("#hint-list > li").length`, "1")
	p.Eval(`{ const s = document.getElementById("hint-filter"); s.value = "all"; s.dispatchEvent(new Event("input")); }`, nil)
	p.Eval(`document.querySelector('[data-do="accept-hint"]').click()`, nil)
	expect(t, p, "accepted", wordsShown, fmt.Sprint(acceptedSample(t).Review.Score.Covered))
	expect(t, p, "decision", `document.getElementById("decided").textContent.includes("Hint 1")`, "true")
	expect(t, p, "its card", `document.getElementById("decided-title").textContent + ": " + document.querySelector("#decided button").textContent`, "Left out, and accepted hints: Do not count it")
	const marked = `[...document.querySelectorAll("#suspect-text mark[data-hint]")].map((m) => m.className + ": " + m.textContent).join()`
	expect(t, p, "the accepted hint in the text", marked, "m c1 g2: "+r.Suspect.Text[r.Hints[0].Suspect.Start:r.Hints[0].Suspect.End])
	p.Eval(`document.querySelector('[data-do="undo"]').click()`, nil)
	expect(t, p, "undone", wordsShown, "9")
	expect(t, p, "no hint in the text", marked, "")
	p.Eval(`document.querySelectorAll('[data-do="show-hint"]')[1].click()`, nil)
	expect(t, p, "the hint that is shown", marked, "m c1 hinted: The end of the tale")
	expect(t, p, "quotations that keys can scroll", `[...document.querySelectorAll("#hint-list blockquote")].every((q) => q.tabIndex === 0)`, "true")
	expect(t, p, "its source", `document.querySelector('tr[data-source="1"] small').textContent + "; " + document.getElementById("source-count").textContent`, "<b>fog</b>.txt · only hints; 1 source, 1 more with hints only")
	expect(t, p, "name", `document.querySelector("#hint-list bdi").textContent`, "<b>fog</b>.txt")
	r.Exclusions = []search.Exclusion{{Kind: "quotation", Place: r.Hints[0].Suspect, Word: r.Hints[0].Word, Words: r.Hints[0].Words}}
	open(t, p, r)
	const listed = `[...document.querySelectorAll("#hint-list [data-do=accept-hint]")].map((b) => b.dataset.hint).join() + "; " + document.getElementById("counts").textContent`
	expect(t, p, "all hints", listed, "0,1; 1 place, 1 source, 1 more with hints only, 2 hints")
	p.Eval(`document.querySelector('[data-do="show-hint"][data-hint="1"]').click(); document.querySelector("[data-kind=quotation]").click()`, nil)
	expect(t, p, "a hint in a quotation", listed, "1; 1 place, 1 source, 1 more with hints only, 1 hint")
	p.Eval(`document.querySelector("#suspect-text mark.hinted").click()`, nil)
	expect(t, p, "the other hint, from the text", listed, "1; 1 place, 1 source, 1 more with hints only, 1 hint")
	r.Suspect.Path, r.Review = "another.txt", &Review{Sources: []Decision{{Index: 1, Reason: "own"}}} // the browser keeps the decisions above
	Apply(r)
	open(t, p, r)
	expect(t, p, "hints of a source that is left out", listed, "; 1 place, 1 source")
	clean(t, p)
	p.Size(390, 844)
	for _, tag := range lang.Tags() {
		r.Suspect.Path, r.Review = tag+".txt", nil
		openPage(t, p, render(t, "html", r, Options{Lang: lang.Of(tag)}))
		p.Eval(`document.querySelector('[data-do="accept-hint"]').click()`, nil)
		expect(t, p, "the width on a phone, in "+tag, `document.documentElement.scrollWidth`, "390")
	}
}

// TestLeftOutHints: a hint is not shown if a reader left out at least half of its words or its source, unless the reader
// accepted it.
func TestLeftOutHints(t *testing.T) {
	stretch := func(r *Report) {
		h := r.Hints[0]
		r.Exclusions = []search.Exclusion{{Kind: "quotation", Place: h.Suspect, Word: h.Word, Words: (h.Words + 1) / 2}}
		r.Review = &Review{Filter: Filter{Kinds: []string{"quotation"}}}
	}
	for _, tt := range []struct {
		name   string
		review func(r *Report)
		want   []int // hints left out
	}{
		{"no review", func(*Report) {}, nil},
		{"half of the words", stretch, []int{0}},
		{"fewer words", func(r *Report) { stretch(r); r.Exclusions[0].Words-- }, nil},
		{"another kind", func(r *Report) { stretch(r); r.Review.Filter.Kinds = []string{"bibliography"} }, nil},
		{"accepted", func(r *Report) { stretch(r); r.Review.Hints = []Accepted{{Index: 0}} }, nil},
		{"place", func(r *Report) {
			h := r.Hints[1]
			r.Review = &Review{Places: []LeftOut{{Suspect: [2]int{h.Suspect.Start, h.Suspect.End}, Word: h.Word, Words: h.Words, Reason: "template"}}}
		}, []int{1}},
		{"source", func(r *Report) { r.Review = &Review{Sources: []Decision{{Index: 1, Reason: "own"}}} }, []int{0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := hintedSample()
			tt.review(r)
			Apply(r)
			if got, _ := hintsOf(r); !slices.Equal(got, tt.want) {
				t.Fatalf("hints %v are left out, want %v", got, tt.want)
			}
			checkLeftOut(t, r, tt.want)
		})
	}
}

// checkLeftOut checks that each format leaves out these hints of hintedSample.
func checkLeftOut(t *testing.T, r *Report, leftOut []int) {
	t.Helper()
	var again struct {
		Review struct {
			No []int `json:"no_hints"`
		}
	}
	if err := json.Unmarshal([]byte(render(t, "json", r, Options{})), &again); err != nil || !slices.Equal(again.Review.No, leftOut) {
		t.Errorf("JSON leaves out the hints %v, %v, want %v", again.Review.No, err, leftOut)
	}
	text, xml := render(t, "text", r, Options{}), render(t, "xml", r, Options{})
	for i, here := range []string{"In the fog he noted", "The end of the tale"} {
		out := slices.Contains(leftOut, i)
		if shown := strings.Contains(text, "| "+here); shown == out {
			t.Errorf("text: hint %d is shown: %v", i+1, shown)
		}
		if marked := strings.Contains(xml, fmt.Sprintf(`<without-hint hint="%d"`, i+1)); marked != out {
			t.Errorf("XML: hint %d is left out: %v", i+1, marked)
		}
	}
	if got, want := Summarize(r, "").Hints, 2-len(leftOut); got != want {
		t.Errorf("the overview counts %d hints, want %d", got, want)
	}
}
