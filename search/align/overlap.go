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

// Settle settles overlaps between passages that were found in pieces of two
// texts, as Align does between those that it finds at once: one with more than
// half of its words in those that go before is dropped. They come back by place
// in the suspect.
func Settle(list []Passage) []Passage {
	slices.SortStableFunc(list, func(x, y Passage) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(y.Words, x.Words), passagesByPlace(x, y))
	})
	taken := map[int]bool{}
	out := list[:0]
	for _, p := range list {
		n := 0
		for k := p.Suspect.From; k < p.Suspect.To; k++ {
			if taken[k] {
				n++
			}
		}
		if 2*n > p.Words {
			continue
		}
		for k := p.Suspect.From; k < p.Suspect.To; k++ {
			taken[k] = true
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, passagesByPlace)
	return out
}

func passagesByPlace(x, y Passage) int {
	return cmp.Or(cmp.Compare(x.Suspect.From, y.Suspect.From), cmp.Compare(x.Suspect.To, y.Suspect.To), cmp.Compare(x.Source.From, y.Source.From))
}

// Move counts the words of p in longer texts, in which the texts that were
// aligned begin after so many others.
func (p *Passage) Move(suspect, source int) {
	p.Suspect.From, p.Suspect.To = p.Suspect.From+suspect, p.Suspect.To+suspect
	p.Source.From, p.Source.To = p.Source.From+source, p.Source.To+source
	for i := range p.Equal {
		p.Equal[i].Suspect += suspect
		p.Equal[i].Source += source
	}
}
