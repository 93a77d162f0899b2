package search

import (
	"sort"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/offset"
)

// FlagsOf returns the flags of a document with their places and pages, as in [Suspect].
func FlagsOf(doc *document.Document) []Flag {
	s := &suspect{doc: doc, runes: offset.Runes(doc.Text)}
	return s.flags()
}

// flags returns the flags of the suspect, with their places and pages.
func (s *suspect) flags() []Flag {
	var list []Flag
	for _, f := range s.doc.Flags {
		list = append(list, Flag{Kind: string(f.Kind), Place: spanOf(&s.runes, f.Start, f.End), Page: s.pageAt(f.Start), Count: f.Count, Detail: f.Detail})
	}
	return list
}

// pageAt returns the page, from 1, that the offset is on; 0 where the
// format has none.
func (s *suspect) pageAt(offset int) int {
	return sort.Search(len(s.doc.Pages), func(i int) bool { return s.doc.Pages[i] > offset })
}

// pages returns the first and the last page of a place.
func (s *suspect) pages(at Span) (first, last int) {
	return s.pageAt(at.Start), s.pageAt(max(at.Start, at.End-1))
}
