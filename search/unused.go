package search

import (
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/search/hint"
)

// leastUnused is the least number of links of a hint that no passage has.
const leastUnused = 8

// unused returns what a hint is without the words that passages of its source have: its longest stretch of other words, with
// the links there, a weak hint since more words were judged. It is not ok if the links are too few: words that a passage has are evidence for nothing else.
func unused(passages []found, h hint.Found) (hint.Found, bool) {
	best, any := longestUnused(passages, h.Suspect)
	if !any {
		return h, true
	}
	links := lists.Filter(h.Links, func(l hint.Link) bool { return l.Suspect.Common(best) == l.Suspect.Len() })
	if len(links) < leastUnused {
		return hint.Found{}, false
	}
	h.Suspect, h.Links, h.Strength = best, links, hint.Weak
	return h, true
}

// longestUnused returns the longest stretch of a range that no passage has. any reports whether passages have some of the range.
func longestUnused(passages []found, r hint.Range) (best hint.Range, any bool) {
	covered := make([]bool, r.Len())
	for _, p := range passages {
		for k := max(p.from, r.From); k < min(p.to, r.To); k++ {
			covered[k-r.From], any = true, true
		}
	}
	for from := 0; from < len(covered); from++ {
		to := from
		for to < len(covered) && !covered[to] {
			to++
		}
		if to-from > best.Len() {
			best = hint.Range{From: r.From + from, To: r.From + to}
		}
		from = to
	}
	return best, any
}

// unusedBy is unused for passages of all sources, after a hint was made for a report.
func (s *suspect) unusedBy(passages []found, h hinted) (hinted, bool) {
	best, any := longestUnused(passages, hint.Range{From: h.from, To: h.to})
	if !any {
		return h, true
	}
	if best.Len() == 0 {
		return h, false
	}
	place := s.place(best.From, best.To)
	links := []HintLink{}
	for _, l := range h.Links {
		if l.Suspect[0] >= place.Start && l.Suspect[1] <= place.End {
			links = append(links, l)
		}
	}
	if len(links) < leastUnused {
		return h, false
	}
	h.from, h.to, h.Word, h.Words = best.From, best.To, best.From, best.Len()
	h.Suspect, h.Links, h.Strength = place, links, hint.Weak
	h.Page, h.LastPage = s.pages(place)
	return h, true
}
