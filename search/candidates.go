package search

import (
	"cmp"
	"slices"
)

// Bounds on how many sources are aligned with one suspect.
const (
	surelyAligned = 30   // those that share most are aligned in any case
	mostAligned   = 1000 // more are not, with a note in the result
)

// candidates picks the sources to align. An n-gram that stands in d documents
// counts 1/d for each of them, so that rare ones name their sources and set
// phrases hardly do. The sources that reach most are taken, and after them
// each that has an n-gram which none of those before has: so a run of n words
// is left out only where a better source has the same words.
func (c *check) candidates() map[*tally]bool {
	list := c.byWeight()
	covered := make([]bool, len(c.suspect.grams))
	picked := map[*tally]bool{}
	for i, t := range list {
		if !t.covers(covered) && i >= surelyAligned {
			continue
		}
		if len(picked) == mostAligned {
			c.note("more than %d sources share something; of the others only unchanged runs are shown", mostAligned)
			break
		}
		picked[t] = true
	}
	return picked
}

// byWeight returns what the sources share, the weightiest first.
func (c *check) byWeight() []*tally {
	list := make([]*tally, 0, len(c.sweep.tallies))
	for _, t := range c.sweep.tallies {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.doc, b.doc))
	})
	return list
}

// covers marks the n-grams of t in covered, and reports whether one is new.
func (t *tally) covers(covered []bool) (news bool) {
	for _, r := range t.done {
		for g := r.gram; g < r.end(); g++ {
			news = news || !covered[g]
			covered[g] = true
		}
	}
	return news
}
