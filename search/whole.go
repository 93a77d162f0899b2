package search

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/search/hint"
)

// Short texts may have been rewritten so that no passage is left of them. A whole text of up to
// shortText words is a hint at the sources that share most with it, if few others share about as much.
const (
	shortText  = 400
	wholeRank  = 4
	wholeTimes = 1.5
	wholeValue = 2500 // least value, in thousandths ...
	wholeDense = 20   // ... and for each word
)

// wholeHint returns a hint at the part of a source that shares most with a short suspect, nil if there is none.
func (s *Searcher) wholeHint(src *source, b *body) *hinted {
	sus := src.in.suspect
	if len(s.opts.Hints) == 0 || !src.align || sus.different() > shortText || len(src.passages) > 0 || len(src.hints) > 0 {
		return nil
	}
	pairs := sus.pairs()
	hits := pairs.hits(src.imprint)
	size := int32(3*len(sus.words)/2 + 20)
	value, end := (&court{pairs: pairs}).window(hits, size)
	if value < max(wholeValue, wholeDense*len(sus.words)) {
		return nil
	}
	hits = slices.DeleteFunc(hits, func(x hit) bool { return x.word < end-size || x.word > end })
	part := b.partOf(stretch{int(end), int(end) + 1})
	first := part.whole().from
	hits = slices.DeleteFunc(hits, func(x hit) bool { return int(x.word) < first })
	h := hint.Found{
		Suspect: hint.Range{From: 0, To: len(sus.words)}, Origin: hint.Range{From: int(hits[0].word) - first, To: int(end) - first + 1},
		Figure: thousandths(value), Strength: hint.Weak,
	}
	linked := map[int32]bool{}
	for _, x := range hits {
		if !linked[x.number] {
			linked[x.number] = true
			word := int(pairs.sites[slices.Index(pairs.numbers, x.number)].Word)
			h.Links = append(h.Links, hint.Link{Kind: hint.LinkEqual, Suspect: hint.Range{From: word, To: word + 1}, Origin: hint.Range{From: int(x.word) - first, To: int(x.word) - first + 1}})
		}
	}
	slices.SortFunc(h.Links, func(a, b hint.Link) int { return cmp.Or(a.Suspect.From-b.Suspect.From, a.Origin.From-b.Origin.From) })
	out := sus.hinted(hint.KindSimilar, h, part)
	return &out
}

// chooseWhole keeps those of the hints at whole short texts whose source shares clearly more than others do.
func (c *court) chooseWhole() {
	size := int32(3*len(c.sus.words)/2 + 20)
	var values []int
	for other, hits := range c.hitsOf(c.pairs.different(stretch{0, len(c.sus.words)})) {
		if len(hits) > 0 && c.sources[other].own == "" {
			value, _ := c.window(hits, size)
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b int) int { return b - a })
	level := ranked(values, wholeRank)
	for _, src := range c.sources {
		if src.whole == nil || src.own != "" || len(src.hints) > 0 || src.whole.Figure < wholeTimes*thousandths(level) {
			continue
		}
		src.whole.Level, src.whole.Reason = thousandths(level), ReasonUnknown
		src.hints = append(src.hints, *src.whole)
	}
}
