package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// paragraphs returns the paragraphs that reach the limits, each with the
// sources that do. With detail they have their texts, and the places of each
// source.
//
// The match of a paragraph counts n-grams of the size that was asked for; that
// of a source may count those of another.
func (a answers) paragraphs(sources []*source, detail bool) []Paragraph {
	list := []Paragraph{}
	s := a[0]
	listed, longest := paragraphSources(sources, detail), a.longestByParagraph()
	for _, number := range a.touched() {
		from, to := s.of(number)
		match := s.union(from, to, longest[number])
		if s.limits.reach(match) || len(listed[number]) > 0 {
			list = append(list, s.suspect.paragraph(number, match, listed[number], detail))
		}
	}
	return list
}

// touched returns the paragraphs that have a matched n-gram, in order.
func (a answers) touched() (list []int) {
	for _, s := range a {
		for g, gram := range s.list {
			if s.matched[g] {
				list = append(list, int(gram.paragraph))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// paragraphSources returns, for each paragraph, the sources that reach the
// limits in it, by falling share.
func paragraphSources(sources []*source, detail bool) map[int][]ParagraphSource {
	all := map[int][]ParagraphSource{}
	for i, src := range sources {
		for _, p := range src.parts {
			if m := src.in.partMatch(p); src.in.limits.reach(m) {
				ps := ParagraphSource{Source: i, Match: m}
				if detail {
					ps.Places = src.places(p.paragraph)
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
func (s *source) places(paragraph int32) []Place {
	var list []Place
	from, to := s.in.of(int(paragraph))
	first := sort.Search(len(s.runs), func(i int) bool { return int(s.runs[i].gram) >= from })
	for _, r := range s.runs[first:] {
		if int(r.gram) >= to {
			break
		}
		list = append(list, Place{Suspect: r.suspect, Source: r.origin, Words: r.words})
	}
	return list
}

// paragraph returns one paragraph of the result.
func (s *suspect) paragraph(number int, match Match, sources []ParagraphSource, detail bool) Paragraph {
	p := &s.paragraphs[number]
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

// longestByParagraph returns the words of the longest run in each paragraph,
// over all sources.
func (a answers) longestByParagraph() map[int]int {
	longest := map[int]int{}
	for _, s := range a {
		for _, t := range s.tallies {
			for _, p := range t.parts {
				longest[int(p.paragraph)] = max(longest[int(p.paragraph)], s.runWords(p.best.k))
			}
		}
	}
	return longest
}
