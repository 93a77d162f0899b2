package search

import (
	"maps"
	"slices"
	"strings"
)

// paragraphs fills in the paragraphs that reach the limits, each with the
// sources that do.
func (c *check) paragraphs() {
	sources, longest := c.paragraphSources(), c.longestByParagraph()
	for _, number := range slices.Sorted(maps.Keys(c.touched())) {
		from, to := c.suspect.gramsOf(number)
		match := c.union(from, to)
		match.Run = c.runWords(longest[int32(number)])
		listed := sources[number]
		if len(listed) == 0 && !c.reaches(match) {
			continue
		}
		c.result.Paragraphs = append(c.result.Paragraphs, c.paragraph(number, match, listed))
	}
}

// touched returns the paragraphs that have a matched n-gram.
func (c *check) touched() map[int]bool {
	set := map[int]bool{}
	for g, gram := range c.suspect.grams {
		if c.sweep.matched[g] {
			set[int(gram.paragraph)] = true
		}
	}
	return set
}

// paragraphSources returns, for each paragraph, the listed sources that reach
// the limits in it, by falling share.
func (c *check) paragraphSources() map[int][]ParagraphSource {
	all := map[int][]ParagraphSource{}
	for i, src := range c.sources {
		for _, p := range src.parts {
			if m := c.partMatch(p); c.reaches(m) {
				ps := ParagraphSource{Source: i, Match: m}
				if c.opts.Detail {
					ps.Places = c.places(src, int(p.paragraph))
				}
				all[int(p.paragraph)] = append(all[int(p.paragraph)], ps)
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b ParagraphSource) int {
			if a.Match.Matched != b.Match.Matched {
				return b.Match.Matched - a.Match.Matched
			}
			return strings.Compare(c.sources[a.Source].entry.Name(), c.sources[b.Source].entry.Name())
		})
	}
	return all
}

// places returns the runs of a source in one paragraph.
func (c *check) places(src *source, paragraph int) []Place {
	var list []Place
	for _, r := range src.runs {
		if int(c.suspect.grams[r.gram].paragraph) == paragraph {
			list = append(list, Place{Suspect: r.suspect, Source: r.origin, Words: r.words})
		}
	}
	return list
}

// paragraph returns one paragraph of the result.
func (c *check) paragraph(number int, match Match, sources []ParagraphSource) Paragraph {
	p := &c.suspect.paragraphs[number]
	out := Paragraph{
		Number: number + 1, Place: c.suspect.runes.span(p.Start, p.End),
		Words: len(p.Words), Match: match, Sources: sources,
	}
	if out.Sources == nil {
		out.Sources = []ParagraphSource{}
	}
	if c.opts.Detail {
		out.Text = c.suspect.doc.Text[p.Start:p.End]
	}
	return out
}

// longestByParagraph returns the longest run in each paragraph, in n-grams,
// over all sources.
func (c *check) longestByParagraph() map[int32]int32 {
	longest := map[int32]int32{}
	for _, t := range c.sweep.tallies {
		for _, p := range t.parts {
			longest[p.paragraph] = max(longest[p.paragraph], p.best.k)
		}
	}
	return longest
}
