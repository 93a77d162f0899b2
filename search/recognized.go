package search

import (
	"slices"

	"github.com/otisk/otisk/document"
)

// recognized returns what of the suspect a program read in pictures of pages.
func (s *suspect) recognized() []Recognized {
	var list []Recognized
	for _, m := range s.doc.Marks {
		if m.Kind != document.Recognized {
			continue
		}
		list = append(list, Recognized{
			Place: spanOf(&s.runes, m.Start, m.End), Page: s.pageAt(m.Start), Words: s.wordAt(m.End) - s.wordAt(m.Start),
			Doubtful: s.doubts(m.Start, m.End),
		})
	}
	slices.SortFunc(list, func(a, b Recognized) int { return a.Place.Start - b.Place.Start })
	return list
}

// doubts returns the doubtful words in the bytes [start, end).
func (s *suspect) doubts(start, end int) []Span {
	list := []Span{}
	for _, m := range s.doc.Marks {
		if m.Kind == document.Doubtful && m.Start >= start && m.End <= end {
			list = append(list, spanOf(&s.runes, m.Start, m.End))
		}
	}
	return list
}
