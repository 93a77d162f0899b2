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

// group sets the groups of the passages. The parts of a joined passage have one group.
func (r *Result) group(sus *suspect) {
	if len(r.Passages) == 0 {
		return
	}
	excluded := sus.excluded()
	quotes := slices.DeleteFunc(slices.Clone(excluded), func(x exclude.Range) bool { return x.Kind != exclude.Quotation })
	quoted, cited := sus.wordsIn(quotes), sus.wordsIn(exclude.Cited(sus.doc.Text, sus.options, excluded))
	for _, whole := range r.Whole() {
		inQuotes, inCited := 0, 0
		for _, number := range whole.Parts {
			p := &r.Passages[number-1]
			inQuotes += quoted[p.Word+p.Words] - quoted[p.Word]
			inCited += cited[p.Word+p.Words] - cited[p.Word]
		}
		group := Neither
		switch isQuoted, isCited := quotedShare*inQuotes >= whole.Words, citedShare*inCited >= whole.Words; {
		case isQuoted && isCited:
			group = QuotedCited
		case isQuoted:
			group = Quoted
		case isCited:
			group = Cited
		}
		for _, number := range whole.Parts {
			r.Passages[number-1].Group = group
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
