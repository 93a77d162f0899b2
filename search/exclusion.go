package search

import (
	"sort"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/exclude"
)

// exclusions returns the stretches of the suspect that a reader may leave out. It omits
// stretches without words.
func (s *suspect) exclusions(templates []string) []Exclusion {
	list := []Exclusion{}
	known := exclude.Options{Lines: s.mode == normalize.Line, Pages: s.doc.Pages, Templates: templates}
	for _, m := range s.doc.Marks {
		if m.Kind == document.Quote {
			known.Quotes = append(known.Quotes, exclude.Range{Kind: exclude.Quotation, Start: m.Start, End: m.End})
		}
	}
	for _, r := range exclude.Find(s.doc.Text, known) {
		from, to := s.wordAt(r.Start), s.wordAt(r.End)
		if from < to {
			list = append(list, Exclusion{Kind: r.Kind, Place: spanOf(&s.runes, r.Start, r.End), Word: from, Words: to - from})
		}
	}
	return list
}

// wordAt returns the first word that starts at the offset or after it.
func (s *suspect) wordAt(offset int) int {
	return sort.Search(len(s.words), func(i int) bool { return s.words[i].Start >= offset })
}
