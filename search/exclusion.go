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

// optionsOf returns what the format of a document states, for package exclude.
func optionsOf(doc *document.Document, mode normalize.Mode, templates []string) exclude.Options {
	known := exclude.Options{Lines: mode == normalize.Line, Pages: doc.Pages, Templates: templates}
	var unmarked []int // references to notes that the format states, by index in known.Notes
	for _, m := range doc.Marks {
		switch at := (exclude.Range{Kind: exclude.Quotation, Start: m.Start, End: m.End}); m.Kind {
		case document.Quote:
			known.Quotes = append(known.Quotes, at)
		case document.Contents:
			known.Contents = append(known.Contents, m.Start)
		case document.NoteMark:
			if m.Label == "" {
				unmarked = append(unmarked, len(known.Notes))
			}
			known.Notes = append(known.Notes, exclude.Note{At: m.Start, Number: m.Label})
		case document.Footnote:
			if len(unmarked) > 0 {
				known.Notes[unmarked[0]].Text = at
				unmarked = unmarked[1:]
			}
		}
	}
	return known
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
