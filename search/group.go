package search

import (
	"slices"

	"github.com/otisk/otisk/search/exclude"
)

// Groups of passages, by whether the suspect marks them as quotations and cites a source for them.
const (
	QuotedCited = "quoted and cited"
	Quoted      = "quoted"
	Cited       = "cited"
	Neither     = "neither"
)

// Groups returns all groups, in the order reports list them.
func Groups() []string { return []string{QuotedCited, Quoted, Cited, Neither} }

// Least shares of the words of a passage, as one in so many, in quotations and in sentences with citations.
const (
	quotedShare = 2
	citedShare  = 3
)

// group sets the groups of the passages.
func (r *Result) group(sus *suspect) {
	if len(r.Passages) == 0 {
		return
	}
	excluded := sus.excluded()
	quotes := slices.DeleteFunc(slices.Clone(excluded), func(x exclude.Range) bool { return x.Kind != exclude.Quotation })
	quoted, cited := sus.wordsIn(quotes), sus.wordsIn(exclude.Cited(sus.doc.Text, sus.options, excluded))
	for i := range r.Passages {
		p := &r.Passages[i]
		end := p.Word + p.Words
		isQuoted, isCited := quotedShare*(quoted[end]-quoted[p.Word]) >= p.Words, citedShare*(cited[end]-cited[p.Word]) >= p.Words
		switch {
		case isQuoted && isCited:
			p.Group = QuotedCited
		case isQuoted:
			p.Group = Quoted
		case isCited:
			p.Group = Cited
		default:
			p.Group = Neither
		}
	}
}

// wordsIn returns, for each word and the end, how many words before it start in ranges, which are by place and apart.
func (s *suspect) wordsIn(ranges []exclude.Range) []int {
	counts := make([]int, len(s.words)+1)
	for i, w := range s.words {
		for len(ranges) > 0 && ranges[0].End <= w.Start {
			ranges = ranges[1:]
		}
		counts[i+1] = counts[i]
		if len(ranges) > 0 && ranges[0].Start <= w.Start {
			counts[i+1]++
		}
	}
	return counts
}
