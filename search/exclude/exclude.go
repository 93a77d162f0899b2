// Package exclude finds what a reader may want to leave out of a score: text
// that is copied rightly. Quotations, the bibliography, and text that everyone
// was given, such as the declaration at the front of a thesis.
//
// Call [Find] for all of it. It sees text and the little that a format states,
// so its rules are rules of typography and of habit, published in
// docs/REPORT.md; where they are in doubt they find nothing, because what they
// find can lower a score.
package exclude

import (
	"cmp"
	"slices"
	"strings"
)

// Kinds of what is found.
const (
	Quotation    = "quotation"
	Bibliography = "bibliography"
	Template     = "template"
	Declaration  = "declaration" // of authorship
	Abstract     = "abstract"
	Contents     = "contents" // the table of contents
)

// Kinds returns all kinds, in the order reports list them.
func Kinds() []string {
	return []string{Quotation, Bibliography, Template, Declaration, Abstract, Contents}
}

// A Range is a stretch of a text, [Start, End) in bytes.
type Range struct {
	Kind       string
	Start, End int
}

// Options have information on a text from its format. The zero value has none.
type Options struct {
	Lines     bool     // each line is a paragraph, and not each part between blank lines
	Quotes    []Range  // block quotes, where the format states them
	Pages     []int    // where pages start, if there are any: each starts a line
	Contents  []int    // where lines of tables of contents start, where the format states them
	Templates []string // texts that everyone was given
	Notes     []Note   // references to notes
}

// A Note is a reference to a note, which is not in the text.
type Note struct {
	At     int
	Number string // "" if the format states which text is the note
	Text   Range
}

// Find returns all ranges in text, by place. Those of one kind do not overlap.
func Find(text string, o Options) []Range {
	var all []Range
	lists := bibliographies(text, o.Pages)
	all = append(all, outside(union(append(quotations(text, o.Lines), o.Quotes...)), lists)...)
	all = append(all, lists...)
	all = append(all, outside(sections(text, o, lists), lists)...)
	var given []Range
	for _, t := range o.Templates {
		given = append(given, templates(text, t)...)
	}
	all = append(all, union(given)...)
	slices.SortStableFunc(all, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// outside returns the ranges of list that are not within one of others: a title in quotation marks
// in a bibliography is no quotation. Both are in the order of the text.
func outside(list, others []Range) []Range {
	var out []Range
	for _, r := range list {
		for len(others) > 0 && others[0].End < r.End {
			others = others[1:]
		}
		if len(others) == 0 || r.Start < others[0].Start {
			out = append(out, r)
		}
	}
	return out
}

// union joins ranges of one kind that overlap or touch.
func union(list []Range) []Range {
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	var out []Range
	for _, r := range list {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// A line is one line of a text, without its line end.
type line struct {
	start, end int
	text       string // without white space around it
}

// linesOf returns the lines of a text. A line also ends where a page does.
func linesOf(text string, pages []int) []line {
	var lines []line
	for start := 0; start < len(text); {
		for len(pages) > 0 && pages[0] <= start {
			pages = pages[1:]
		}
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end, next = start+i, start+i+1
		}
		if len(pages) > 0 && pages[0] < end {
			end, next = pages[0], pages[0]
		}
		lines = append(lines, line{start, end, strings.TrimSpace(text[start:end])})
		start = next
	}
	return lines
}
