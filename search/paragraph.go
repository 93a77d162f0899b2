package search

import (
	"cmp"
	"slices"
	"strings"
)

// paragraphs returns the paragraphs that reach the limits, each with the
// sources that do. With detail they have their texts, and the places of each
// source.
func (s *shared) paragraphs(sources []*source, detail bool) []Paragraph {
	list := []Paragraph{}
	listed, longest := s.paragraphSources(sources, detail), s.longestByParagraph()
	for _, number := range s.touched() {
		from, to := s.of(number)
		match := s.union(from, to, longest[int32(number)])
		if s.limits.reach(match) { // it does wherever a source does
			list = append(list, s.paragraph(number, match, listed[number], detail))
		}
	}
	return list
}

// touched returns the paragraphs that have a matched n-gram, in order.
func (s *shared) touched() (list []int) {
	for g, gram := range s.list {
		if s.matched[g] {
			list = append(list, int(gram.paragraph))
		}
	}
	return slices.Compact(list)
}

// paragraphSources returns, for each paragraph, the sources that reach the
// limits in it, by falling share.
func (s *shared) paragraphSources(sources []*source, detail bool) map[int][]ParagraphSource {
	all := map[int][]ParagraphSource{}
	for i, src := range sources {
		for _, p := range src.parts {
			if m := s.partMatch(p); s.limits.reach(m) {
				ps := ParagraphSource{Source: i, Match: m}
				if detail {
					ps.Places = s.places(src, p.paragraph)
				}
				all[int(p.paragraph)] = append(all[int(p.paragraph)], ps)
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b ParagraphSource) int {
			return cmp.Or(cmp.Compare(b.Match.Matched, a.Match.Matched),
				strings.Compare(sources[a.Source].entry.Name(), sources[b.Source].entry.Name()))
		})
	}
	return all
}

// places returns the runs of a source in one paragraph.
func (s *shared) places(src *source, paragraph int32) []Place {
	var list []Place
	for _, r := range src.runs {
		if s.list[r.gram].paragraph == paragraph {
			list = append(list, Place{Suspect: r.suspect, Source: r.origin, Words: r.words})
		}
	}
	return list
}

// paragraph returns one paragraph of the result.
func (s *shared) paragraph(number int, match Match, sources []ParagraphSource, detail bool) Paragraph {
	p := &s.suspect.paragraphs[number]
	out := Paragraph{
		Number: number + 1, Place: spanOf(&s.runes, p.Start, p.End),
		Words: len(p.Words), Match: match, Sources: sources,
	}
	if out.Sources == nil {
		out.Sources = []ParagraphSource{}
	}
	if detail {
		out.Text = s.doc.Text[p.Start:p.End]
	}
	return out
}

// longestByParagraph returns the longest run in each paragraph, in n-grams,
// over all sources.
func (s *shared) longestByParagraph() map[int32]int32 {
	longest := map[int32]int32{}
	for _, t := range s.tallies {
		for _, p := range t.parts {
			longest[p.paragraph] = max(longest[p.paragraph], p.best.k)
		}
	}
	return longest
}
