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
