package report

import (
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/search/score"
)

// An Accepted hint counts like a reworded passage in the score of a review.
type Accepted struct {
	Index int       `json:"index"` // in Result.Hints
	Note  string    `json:"note,omitempty"`
	By    string    `json:"by,omitempty"`
	At    time.Time `json:"at,omitzero"`
}

// A HintDecision accepts one hint, identified by its places.
type HintDecision struct {
	Kind    string `json:"kind"`
	Source  string `json:"source"` // id
	Name    string `json:"name,omitempty"`
	Suspect [2]int `json:"suspect"` // bytes
	Origin  [2]int `json:"origin"`
	Note    string `json:"note,omitempty"`
	Stamp
}

// acceptHints puts the decisions on hints into the review of r, and returns the number of those on hints that r does not have.
func acceptHints(r *Report, list []HintDecision) (lost int) {
	for _, d := range list {
		i := slices.IndexFunc(r.Hints, func(h search.Hint) bool {
			return h.Kind == d.Kind && r.Sources[h.Source].ID == d.Source && d.Suspect == [2]int{h.Suspect.Start, h.Suspect.End} && d.Origin == [2]int{h.Origin.Start, h.Origin.End}
		})
		if i < 0 {
			lost++
			continue
		}
		r.Review.Hints = append(r.Review.Hints, Accepted{Index: i, Note: d.Note, By: d.By, At: d.At})
	}
	return lost
}

// scored returns a hint as the score counts it once it was accepted.
func scored(h *search.Hint) score.Passage {
	return score.Passage{Source: h.Source, Word: h.Word, Words: h.Words, Matched: len(h.Links), Grade: gradeOf(search.Reworded)}
}

func (c *checker) hints() {
	for i, h := range c.Hints {
		c.refuse(h.Source < 0 || h.Source >= len(c.Sources) || h.Number != i+1, "hints[%d]: source=%d len(sources)=%d number=%d", i, h.Source, len(c.Sources), h.Number)
		c.refuse(hintKinds[h.Kind] == "" || hintStrengths[h.Strength] == "", "hints[%d]: kind=%q strength=%q", i, h.Kind, h.Strength)
		c.wrap(checkWords(c.Report, h.Suspect, h.Word, h.Words), "hints[%d]", i)
		c.wrap(checkSpan(h.Origin, maxOffset), "hints[%d]", i)
		for _, l := range h.Links {
			c.refuse(!inside(l.Suspect, h.Suspect) || !inside(l.Origin, h.Origin), "hints[%d]: links=%v", i, l.Suspect)
		}
	}
}

// Messages that name the kinds and strengths of hints.
var (
	hintKinds     = map[string]string{hint.KindRewritten: "page.hint-rewritten", hint.KindTranslated: "page.hint-translated", hint.KindSimilar: "page.hint-similar"}
	hintStrengths = map[string]string{hint.Strong: "page.hint-strong", hint.Weak: "page.hint-weak"}
)

// hintFacts states the strength, kind and figures of a hint.
func hintFacts(say *lang.Printer, r *Report, h *search.Hint) []string {
	facts := []string{say.Text(hintStrengths[h.Strength]), say.Text(hintKinds[h.Kind]), say.Text("common.words", "n", h.Words)}
	switch h.Kind {
	case hint.KindRewritten:
		facts = append(facts, say.Text("page.hint-cosine", "figure", say.Number(hundredths(h.Figure)), "level", say.Number(hundredths(h.Level))))
	case hint.KindSimilar:
		facts = append(facts, similarFacts(say, h)...)
	default:
		facts = append(facts, say.Text("page.hint-ratio", "figure", say.Number(int64(h.Figure+.5))))
	}
	facts = append(facts, say.Text("page.hint-links", "n", len(h.Links)))
	if pages := pagesOf(say, &r.Suspect, &search.Passage{Suspect: h.Suspect, Page: h.Page, LastPage: h.LastPage}); pages != "" {
		facts = append(facts, pages)
	}
	return facts
}

// similarFacts states why similar wording is a hint and not a passage.
func similarFacts(say *lang.Printer, h *search.Hint) (facts []string) {
	if h.Witnesses > 0 {
		facts = append(facts, say.Text("page.witnesses", "n", h.Witnesses))
	}
	switch {
	case h.Reason == search.ReasonUnknown:
		facts = append(facts, say.Text("page.hint-unknown"))
	case h.Reason == search.ReasonList:
		facts = append(facts, say.Text("page.hint-list"))
	case h.Witnesses == 0:
		facts = append(facts, say.Text("page.hint-shared"))
	}
	return facts
}

// hintFilters returns the strengths and kinds of the hints, each if some hints do not have it.
func hintFilters(say *lang.Printer, r *Report) (list []htmlTerm) {
	add := func(id, message string, has func(search.Hint) bool) {
		if slices.ContainsFunc(r.Hints, has) && slices.ContainsFunc(r.Hints, func(h search.Hint) bool { return !has(h) }) {
			list = append(list, htmlTerm{ID: id, Name: say.Text(message)})
		}
	}
	for _, strength := range []string{hint.Strong, hint.Weak} {
		add(strength, hintStrengths[strength], func(h search.Hint) bool { return h.Strength == strength })
	}
	for _, kind := range []string{hint.KindSimilar, hint.KindRewritten, hint.KindTranslated} {
		add(kind, hintKinds[kind], func(h search.Hint) bool { return h.Kind == kind })
	}
	return list
}

// hundredths returns a figure from 0 to 1 as a number from 0 to 100.
func hundredths(x float64) int64 { return int64(100*x + .5) }

// acceptedHints returns, for each hint, whether a reader accepted it.
func acceptedHints(r *Report) []bool {
	list := make([]bool, len(r.Hints))
	if r.Review != nil {
		for _, d := range r.Review.Hints {
			list[d.Index] = true
		}
	}
	return list
}

// leftOutHints returns, for each hint, whether the review leaves it out: the reader did not accept it, and left out its
// source or at least half of its words.
func leftOutHints(r *Report) []bool {
	out := make([]bool, len(r.Hints))
	if r.Review == nil {
		return out
	}
	in, choice := inputOf(r), choiceOf(r)
	in.Passages = nil
	for i := range r.Hints {
		in.Passages = append(in.Passages, scored(&r.Hints[i]))
	}
	total := in.Count(choice)
	for i, accepted := range acceptedHints(r) {
		h := &r.Hints[i]
		out[i] = !accepted && (choice.Sources[h.Source] || 2*total.Passages[i].Words <= h.Words)
	}
	return out
}

// hintsOf returns the indexes of the hints that the review leaves out, and of the others.
func hintsOf(r *Report) (leftOut, shown []int) {
	for i, out := range leftOutHints(r) {
		if out {
			leftOut = append(leftOut, i)
		} else {
			shown = append(shown, i)
		}
	}
	return leftOut, shown
}

// textHints quotes the hints that the review does not leave out, with both texts.
func textHints(t *terminal, r *Report) {
	_, shown := hintsOf(r)
	if len(shown) == 0 {
		return
	}
	t.heading("text.hints", "n", len(shown))
	t.wrap("  ", t.lang.Text("page.hints-warning"))
	accepted := acceptedHints(r)
	for _, i := range shown {
		h := &r.Hints[i]
		s := &r.Sources[h.Source]
		facts := hintFacts(t.lang, r, h)
		if accepted[i] {
			facts = append(facts, t.lang.Text("page.hint-accepted"))
		}
		t.print("%5d  %s %s\n", h.Number, t.lang.Text("text.source", "number", h.Source+1), safe(called(s)))
		t.wrap("       ", strings.Join(facts, ", "))
		t.wrap("      | ", suspectText(r, h.Suspect))
		t.wrap("      > ", sourceText(s, h.Origin))
	}
}

// xmlHints writes the hints, nothing if there are none.
func xmlHints(m *markup, r *Report) {
	if len(r.Hints) == 0 {
		return
	}
	m.open("hints")
	for _, h := range r.Hints {
		m.open("hint", number("number", h.Number), required("source", r.Sources[h.Source].ID), required("kind", h.Kind), required("strength", h.Strength),
			decimal("figure", h.Figure), decimal("level", h.Level), text("reason", h.Reason), optional("witnesses", h.Witnesses), optional("page", h.Page), optional("last-page", h.LastPage),
			number("word", h.Word), number("words", h.Words), number("origin-words", h.OriginWords))
		m.leaf("place", "", span("", h.Suspect)...)
		m.leaf("origin", "", span("", h.Origin)...)
		for _, l := range h.Links {
			m.leaf("link", "", required("kind", l.Kind), number("start", l.Suspect[0]), number("end", l.Suspect[1]),
				number("origin-start", l.Origin[0]), number("origin-end", l.Origin[1]))
		}
		m.close()
	}
	m.close()
}

// A pageHint is a hint for the script of a report. Its fields are those of a pagePassage.
type pageHint struct {
	Source     int      `json:"source"`
	Kind       string   `json:"kind"`
	Strength   string   `json:"strength"`
	Grade      int      `json:"grade"` // that it counts for, once it is accepted
	Word       int      `json:"word"`
	Words      int      `json:"words"`
	Matched    int      `json:"matched"`
	Facts      string   `json:"facts"`
	From       int      `json:"from"`
	To         int      `json:"to"`
	Excerpt    int      `json:"excerpt"` // of the source, -1 for none
	OriginFrom int      `json:"originFrom"`
	OriginTo   int      `json:"originTo"`
	Links      [][4]int `json:"links"` // from, to in the suspect; from, to in the excerpt
	Bytes      [4]int   `json:"bytes"`
}

func dataOfHint(say *lang.Printer, r *Report, h *search.Hint, text *offset.Index, excerpts []offset.Index) pageHint {
	p := scored(h)
	d := pageHint{Source: h.Source, Kind: h.Kind, Strength: h.Strength, Grade: p.Grade, Word: p.Word, Words: p.Words, Matched: p.Matched,
		Facts: strings.Join(hintFacts(say, r, h), " · "), From: text.At(h.Suspect.Start), To: text.At(h.Suspect.End), Excerpt: excerptWith(&r.Sources[h.Source], h.Origin), Links: [][4]int{},
		Bytes: [4]int{h.Suspect.Start, h.Suspect.End, h.Origin.Start, h.Origin.End}}
	if d.Excerpt >= 0 {
		at := func(byte int) int {
			return excerpts[d.Excerpt].At(byte - r.Sources[h.Source].Excerpts[d.Excerpt].Start)
		}
		d.OriginFrom, d.OriginTo = at(h.Origin.Start), at(h.Origin.End)
		for _, l := range h.Links {
			d.Links = append(d.Links, [4]int{text.At(l.Suspect[0]), text.At(l.Suspect[1]), at(l.Origin[0]), at(l.Origin[1])})
		}
	}
	return d
}
