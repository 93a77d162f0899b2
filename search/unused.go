package search

import "github.com/otisk/otisk/search/hint"

// leastUnused is the least number of links of a hint that no passage has.
const leastUnused = 8

// unused returns what a hint is without the words that passages of its source have: its longest stretch of other words, with
// the links there, a weak hint since it was judged with all of them. It is not ok if these are too few: words that a passage has are evidence for nothing else.
func unused(passages []found, h hint.Found) (hint.Found, bool) {
	covered := make([]bool, h.Suspect.Len())
	any := false
	for _, p := range passages {
		for k := max(p.from, h.Suspect.From); k < min(p.to, h.Suspect.To); k++ {
			covered[k-h.Suspect.From], any = true, true
		}
	}
	if !any {
		return h, true
	}
	best := hint.Range{}
	for from := 0; from < len(covered); from++ {
		to := from
		for to < len(covered) && !covered[to] {
			to++
		}
		if to-from > best.Len() {
			best = hint.Range{From: h.Suspect.From + from, To: h.Suspect.From + to}
		}
		from = to
	}
	var links []hint.Link
	for _, l := range h.Links {
		if l.Suspect.Common(best) == l.Suspect.Len() {
			links = append(links, l)
		}
	}
	if len(links) < leastUnused {
		return hint.Found{}, false
	}
	h.Suspect, h.Links, h.Strength = best, links, hint.Weak
	return h, true
}
