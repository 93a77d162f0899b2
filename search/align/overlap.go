package align

import (
	"cmp"
	"slices"
)

// disjoint settles overlaps in the suspect: exact runs go first, then longer
// candidates. One with more than half of its words taken is dropped, any other
// keeps the longest stretch of it that is free.
func (p *pair) disjoint(found []candidate) []candidate {
	slices.SortStableFunc(found, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(y.a.len(), x.a.len()), cmp.Compare(x.a.from, y.a.from), cmp.Compare(x.b.from, y.b.from))
	})
	taken := make([]bool, p.a.Len())
	out := found[:0]
	for _, c := range found {
		if 2*count(taken, c.a) > c.a.len() {
			continue
		}
		c.a = longestFree(taken, c.a)
		mark(taken, c.a)
		out = append(out, c)
	}
	return out
}

// longestFree returns the longest stretch of s without a marked word, the first
// of equal ones. Not all of s is marked.
func longestFree(marked []bool, s span) span {
	best := span{s.from, s.from}
	for i := s.from; i < s.to; i++ {
		from := i
		for i < s.to && !marked[i] {
			i++
		}
		if i-from > best.to-best.from {
			best = span{from, i}
		}
	}
	return best
}

// Settle resolves overlaps between passages that were found in parts of two texts, as Align
// does within one pair: a passage with more than half of its words in preceding ones is dropped.
// kept is in order of places in the suspect. lost has the long runs of equal words in dropped
// passages that are less than half covered by kept ones: Align finds each in its words alone.
func (al *Aligner) Settle(list []Passage) (kept []Passage, lost []Run) {
	slices.SortStableFunc(list, func(x, y Passage) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(y.Words, x.Words), passagesByPlace(x, y))
	})
	taken := map[int]bool{}
	free := func(from, to int) (n int) {
		for k := from; k < to; k++ {
			if !taken[k] {
				n++
			}
		}
		return n
	}
	take := func(from, to int) {
		for k := from; k < to; k++ {
			taken[k] = true
		}
	}
	var dropped []Passage
	for _, p := range list {
		if 2*free(p.Suspect.From, p.Suspect.To) < p.Words {
			dropped = append(dropped, p)
			continue
		}
		take(p.Suspect.From, p.Suspect.To)
		kept = append(kept, p)
	}
	slices.SortStableFunc(kept, passagesByPlace)
	for _, p := range dropped {
		for _, r := range p.Equal {
			if end := r.Suspect + r.Len; r.Len >= al.params.Verbatim && 2*free(r.Suspect, end) > r.Len {
				take(r.Suspect, end)
				lost = append(lost, r)
			}
		}
	}
	return kept, lost
}

func passagesByPlace(x, y Passage) int {
	return cmp.Or(cmp.Compare(x.Suspect.From, y.Suspect.From), cmp.Compare(x.Suspect.To, y.Suspect.To), cmp.Compare(x.Source.From, y.Source.From))
}

// Move counts the words of p in longer texts, in which the aligned texts
// begin after these numbers of words.
func (p *Passage) Move(suspect, source int) {
	p.Suspect.From, p.Suspect.To = p.Suspect.From+suspect, p.Suspect.To+suspect
	p.Source.From, p.Source.To = p.Source.From+source, p.Source.To+source
	for i := range p.Equal {
		p.Equal[i].Suspect += suspect
		p.Equal[i].Source += source
	}
}
