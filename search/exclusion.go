package search

import (
	"sort"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/exclude"
)

// exclusions returns the stretches of the suspect that a reader may leave out. It omits
// stretches without words.
func (s *suspect) exclusions() []Exclusion {
	list := []Exclusion{}
	for _, r := range s.excluded() {
		from, to := s.wordAt(r.Start), s.wordAt(r.End)
		if from < to {
			list = append(list, Exclusion{Kind: r.Kind, Place: spanOf(&s.runes, r.Start, r.End), Word: from, Words: to - from})
		}
	}
	return list
}

// findExcluded returns the value of s.excluded.
func (s *suspect) findExcluded(templates []string) []exclude.Range {
	known := exclude.Options{Lines: s.mode == normalize.Line, Pages: s.doc.Pages, Templates: templates}
	for _, m := range s.doc.Marks {
		switch m.Kind {
		case document.Quote:
			known.Quotes = append(known.Quotes, exclude.Range{Kind: exclude.Quotation, Start: m.Start, End: m.End})
		case document.Contents:
			known.Contents = append(known.Contents, m.Start)
		}
	}
	return exclude.Find(s.doc.Text, known)
}

// mostly returns the kinds of ranges that cover at least half of the bytes [start, end).
func mostly(ranges []exclude.Range, start, end int) (kinds []string) {
	for _, kind := range exclude.Kinds() {
		in := 0
		for _, r := range ranges {
			if r.Kind == kind {
				in += max(0, min(r.End, end)-max(r.Start, start))
			}
		}
		if 2*in >= end-start {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// wordAt returns the first word that starts at the offset or after it.
func (s *suspect) wordAt(offset int) int {
	return sort.Search(len(s.words), func(i int) bool { return s.words[i].Start >= offset })
}
