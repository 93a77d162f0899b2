package search

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/search/score"
	"github.com/otisk/otisk/store"
)

// settle drops the sources that neither reach the limits nor have a passage or a hint,
// and puts the others in order: by the words that their passages cover, then
// by the n-grams they share, then by name.
func (s *Searcher) settle(sus *suspect, sources []*source) []*source {
	s.chooseHints(sus, sources)
	sources = slices.DeleteFunc(sources, func(s *source) bool { return !s.listed && len(s.passages) == 0 && len(s.hints) == 0 })
	total := countWords(sus, sources, inOrder(sources), nil)
	for i, src := range sources {
		src.covered = total.Sources[i].Covered
	}
	slices.SortFunc(sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.covered, a.covered), cmp.Compare(b.matched, a.matched),
			cmp.Compare(a.entry.Name(), b.entry.Name()))
	})
	return sources
}

// inOrder returns the passages of all sources by their place in the suspect.
func inOrder(sources []*source) []found {
	var list []found
	for i, src := range sources {
		for _, p := range src.passages {
			p.Source = i
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Origin.Start, b.Origin.Start))
	})
	return list
}

// countWords counts the words that passages cover, by the rules of package
// score, without the documents in out.
func countWords(sus *suspect, sources []*source, passages []found, out map[store.DocID]bool) score.Total {
	in := &score.Input{Words: len(sus.words), Sources: len(sources), Grades: len(grades)}
	for _, p := range passages {
		in.Passages = append(in.Passages, score.Passage{
			Source: p.Source, Word: p.from, Words: p.to - p.from, Matched: p.Matched, Run: p.Run, Grade: gradeOf(p.Grade)})
	}
	choice := score.Choice{Sources: map[int]bool{}}
	for i, src := range sources {
		choice.Sources[i] = out[src.doc]
	}
	return in.Count(choice)
}
