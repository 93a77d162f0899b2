package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// A comparison is the difference between a result and an earlier one on the same text.
type comparison struct {
	before, after *Report
	gone          []int  // passages of before that are not in after
	isNew         []bool // passages of after that are not in before
}

// compare matches the passages of two results. Two passages are the same if they are
// from one source and their places in it overlap by at least half of the shorter one.
// Their places in the text are ignored: a revision moves them.
func compare(before, after *Report) *comparison {
	c := &comparison{before: before, after: after, isNew: make([]bool, len(after.Passages))}
	there, here := bySource(before), bySource(after)
	for i := range after.Passages {
		q := &after.Passages[i]
		c.isNew[i] = !slices.ContainsFunc(there[after.Sources[q.Source].ID], func(p *search.Passage) bool { return same(before, p, after, q) })
	}
	for i := range before.Passages {
		p := &before.Passages[i]
		if !slices.ContainsFunc(here[before.Sources[p.Source].ID], func(q *search.Passage) bool { return same(before, p, after, q) }) {
			c.gone = append(c.gone, i)
		}
	}
	return c
}

// bySource returns the passages from each source, by its id.
func bySource(r *Report) map[string][]*search.Passage {
	m := map[string][]*search.Passage{}
	for i := range r.Passages {
		id := r.Sources[r.Passages[i].Source].ID
		m[id] = append(m[id], &r.Passages[i])
	}
	return m
}

// same reports whether two passages from one source are the same. In a source without
// a text, passages have no place, so their words are compared.
func same(before *Report, p *search.Passage, after *Report, q *search.Passage) bool {
	if p.Origin.End == p.Origin.Start || q.Origin.End == q.Origin.Start {
		return quoteOf(before, p) == quoteOf(after, q)
	}
	common := min(p.Origin.End, q.Origin.End) - max(p.Origin.Start, q.Origin.Start)
	return 2*common >= min(p.Origin.End-p.Origin.Start, q.Origin.End-q.Origin.Start)
}

// quoteOf returns the text of a passage in the suspect, "" if the result has no text.
func quoteOf(r *Report, p *search.Passage) string {
	if r.Suspect.Text == "" {
		return fmt.Sprintf("%d words, %d of them equal", p.Words, p.Matched)
	}
	return r.Suspect.Text[p.Suspect.Start:p.Suspect.End]
}

// counted returns the passages that have counted words. Of a place that is in twelve
// copies of a source, that is one passage.
func counted(r *Report, passages []int) []int {
	return slices.DeleteFunc(slices.Clone(passages), func(i int) bool { return r.Passages[i].Counted == 0 })
}

// newOnes returns the passages of after that are new.
func (c *comparison) newOnes() []int {
	var list []int
	for i, is := range c.isNew {
		if is {
			list = append(list, i)
		}
	}
	return list
}

// A htmlComparison is the data of a comparison for the template.
type htmlComparison struct {
	Intro     string
	Warnings  []string // reason why the two are not comparable
	Rows      []htmlChange
	Gone, New []htmlQuote
	GoneText  string
	NewText   string
}

type htmlChange struct{ Name, Before, After string }

type htmlQuote struct {
	Index, Number int // from 0 and 1
	Color         string
	Text, Facts   string
}

// htmlCompared returns the data of a comparison for the template, nil if there is no
// earlier result.
func htmlCompared(say *lang.Printer, before, after *Report) *htmlComparison {
	if before == nil {
		return nil
	}
	c := compare(before, after)
	gone, added := counted(before, c.gone), counted(after, c.newOnes())
	h := &htmlComparison{
		Intro: say.Text("page.compared-intro"), Warnings: c.warnings(say), Rows: c.rows(say),
		GoneText: say.Text("page.gone", "n", len(gone)), NewText: say.Text("page.new", "n", len(added)),
	}
	h.Gone = append(h.Gone, lists.Map(gone, func(i int) htmlQuote { return quoted(say, before, i) })...)
	h.New = append(h.New, lists.Map(added, func(i int) htmlQuote { return quoted(say, after, i) })...)
	return h
}

// warnings describes the differences between the two checks other than the text.
func (c *comparison) warnings(say *lang.Printer) []string {
	var list []string
	a, b := c.before, c.after
	if a.Suspect.Path != b.Suspect.Path && (a.Suspect.Title == "" || a.Suspect.Title != b.Suspect.Title) {
		list = append(list, say.Text("page.other-file", "file", a.Suspect.Path))
	}
	if a.Index.Name != b.Index.Name || a.Index.Documents != b.Index.Documents || !a.Index.Changed.Equal(b.Index.Changed) {
		list = append(list, say.Text("page.other-collection-then"))
	}
	if !equalSettings(&a.Settings, &b.Settings) {
		list = append(list, say.Text("page.other-settings"))
	}
	for _, r := range []*Report{a, b} {
		if len(alarmsOf(say, r)) > 0 {
			return append(list, say.Text("page.lower-bound"))
		}
	}
	return list
}

func equalSettings(a, b *search.Settings) bool {
	return a.N == b.N && a.Common == b.Common && a.Exact == b.Exact && maps.Equal(a.Normalization, b.Normalization) &&
		equalLimits(a.MinPercent, b.MinPercent) && equalLimits(a.MinRun, b.MinRun)
}

func equalLimits[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// rows returns the figures of both checks side by side.
func (c *comparison) rows(say *lang.Printer) []htmlChange {
	var rows []htmlChange
	add := func(name string, value func(r *Report) string) {
		rows = append(rows, htmlChange{name, value(c.before), value(c.after)})
	}
	number := func(n int) string { return say.Number(int64(n)) }
	add(say.Text("page.sign-date"), func(r *Report) string {
		if r.Checked.IsZero() {
			return "–"
		}
		return momentIn(say, r.Checked)
	})
	add(say.Text("page.score-found"), func(r *Report) string { return PercentOf(say, r.Score) })
	if c.before.Review != nil || c.after.Review != nil {
		add(c.reviewName(say), func(r *Report) string {
			if r.Review == nil {
				return "–"
			}
			return PercentOf(say, r.Review.Score)
		})
	}
	add(say.Text("page.words-in-passages"), func(r *Report) string { return number(r.Score.Covered) })
	add(say.Text("page.words-of-text"), func(r *Report) string { return number(r.Suspect.Words) })
	add(say.Text("page.passages"), func(r *Report) string { return number(len(r.Whole())) })
	add(say.Text("page.sources"), func(r *Report) string { return number(len(r.Sources)) })
	return rows
}

// reviewName names the score that remains after the reviews.
func (c *comparison) reviewName(say *lang.Printer) string {
	for _, r := range []*Report{c.before, c.after} {
		if r.Review != nil && byPerson(r.Review) {
			return say.Text("page.score-reviewed")
		}
	}
	return say.Text("page.score-left")
}

// quoted returns a passage with its first words.
func quoted(say *lang.Printer, r *Report, i int) htmlQuote {
	p := &r.Passages[i]
	q := htmlQuote{Index: i, Number: p.Source + 1, Color: fmt.Sprintf("c%d", p.Source%8),
		Facts: named(say, gradeMessages, p.Grade) + " · " + say.Text("common.words", "n", p.Words)}
	if pages := pagesOf(say, &r.Suspect, p); pages != "" {
		q.Facts += " · " + pages
	}
	q.Facts += " · " + safe(calledFully(&r.Sources[p.Source]))
	if r.Suspect.Text != "" {
		q.Text = beginning(quoteOf(r, p), mostQuoted)
	}
	return q
}

// mostQuoted is how many characters of a passage are quoted where it is listed.
const mostQuoted = 160

// beginning returns the first words of a text, at most this many characters.
func beginning(text string, most int) string {
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		size := utf8.RuneCountInString(word)
		if length > 0 && length+1+size > most {
			return b.String() + " …"
		}
		if length > 0 {
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += size
	}
	return b.String()
}

// A Change is a decision that was made or withdrawn, in words.
type Change struct {
	Text      string `json:"text"`
	Withdrawn bool   `json:"withdrawn,omitempty"`
}

// Changes returns, for each version of the decisions on r, what it changed in the version before. The
// review of r becomes that of the last version, without its score.
func Changes(p *lang.Printer, r *Report, versions []*Decisions) ([][]Change, error) {
	all := make([][]Change, len(versions))
	var before []string
	for i, d := range versions {
		if _, err := setReview(r, d); err != nil {
			return nil, err
		}
		now := decisionLines(p, r)
		withdrawn := slices.Clone(before)
		for _, line := range now {
			if at := slices.Index(withdrawn, line); at >= 0 {
				withdrawn = slices.Delete(withdrawn, at, at+1)
				continue
			}
			all[i] = append(all[i], Change{Text: line})
		}
		for _, line := range withdrawn {
			all[i] = append(all[i], Change{line, true})
		}
		before = now
	}
	return all, nil
}
