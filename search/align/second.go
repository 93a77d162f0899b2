package align

import (
	"cmp"
	"slices"
)

// boundedAndVerified returns the passages that are verified after the clusters are bounded and
// split, and that exact runs do not replace. The clusters stay as they are.
func (p *pair) boundedAndVerified(clusters []candidate, cores []core, exact []candidate) []candidate {
	found := slices.Clone(clusters)
	for i := range found {
		p.bound(&found[i])
	}
	found = p.verified(p.split(found, cores))
	return p.disjoint(p.replaced(p.borneOut(found), exact))
}

// within runs a step with the tolls and limits of s in place of the first ones.
func (p *pair) within(s SecondParams, step func()) {
	first, second := p.params, *p.params
	second.Toll, second.SourceToll, second.MinShare, second.LowShare, second.MinMass = s.Toll, s.SourceToll, s.MinShare, s.LowShare, s.MinMass
	p.params = &second
	defer func() { p.params = first }()
	step()
}

// unmet returns the candidates that none of found meets in the suspect. It overwrites list.
func unmet(list, found []candidate) []candidate {
	return slices.DeleteFunc(list, func(c candidate) bool {
		return slices.ContainsFunc(found, func(f candidate) bool { return f.a.meets(c.a) })
	})
}

// secondBounds returns the passages that are verified after the clusters that no found passage
// meets in the suspect are bounded again, with the lower tolls of Params.Second. In a passage
// that a language model rewrote, the matching words are farther apart than in other reworded
// passages. The first bounds then enclose only the densest part, which shares too few words.
// Clusters of which nothing is verified then either are verified as they are.
func (p *pair) secondBounds(clusters, found []candidate, cores []core, exact []candidate) (more []candidate) {
	if p.params.Second == (SecondParams{}) {
		return nil
	}
	again := unmet(slices.Clone(clusters), found)
	p.within(p.params.Second, func() { more = unmet(p.boundedAndVerified(again, cores, exact), found) })
	return append(more, p.unbounded(unmet(again, more), append(slices.Clip(found), more...))...)
}

// unbounded returns the clusters that are verified with the limits of Params.Whole and that meet
// none of found. Their cores enclose a rewritten passage well even where no running sum does. But
// they share so little that texts on one subject may share it too, in any of their parts: the
// suspect's side must share several times as much with the cluster as with the rest of the source.
// Both sides must be about as long: who rewrites a passage keeps its length, and what many pages
// say, such as notices and lists, is often met by a cluster with one long side.
func (p *pair) unbounded(clusters, found []candidate) (more []candidate) {
	s := p.params.Whole
	if s == (WholeParams{}) {
		return nil
	}
	p.within(SecondParams{MinShare: s.MinShare, LowShare: s.MinShare, MinMass: s.MinMass}, func() { more = p.borneOut(p.verified(clusters)) })
	more = slices.DeleteFunc(more, func(c candidate) bool { return c.lopsided(s.Longer) || p.contrast(c) < s.Contrast })
	return unmet(p.disjoint(more), found)
}

// lopsided reports whether one side of c is more than most times as long as the other.
func (c candidate) lopsided(most float64) bool {
	return float64(max(c.a.len(), c.b.len())) > most*float64(min(c.a.len(), c.b.len()))
}

// contrast returns the weight that the sides of c share, divided by the greatest that the
// suspect's side shares with any other stretch of the source of the same length. The stretches
// are half a length apart.
func (p *pair) contrast(c candidate) float64 {
	_, own := p.weightShare(&p.a, c.a, &p.b, c.b)
	most := 0.01 // not 0: a source may end with the cluster
	n, end := c.b.len(), int32(p.b.Len())
	for from := int32(0); from < end; from += int32(max(n/2, 1)) {
		if other := (span{from, min(from+int32(n), end)}); !other.meets(c.b) {
			_, mass := p.weightShare(&p.a, c.a, &p.b, other)
			most = max(most, mass)
		}
	}
	return own / most
}

// widened gives each passage that shares little, and that is the only one of its cluster and much
// shorter than it, its second bounds, if they enclose the first and share more. The first bounds
// of a rewritten passage often enclose its densest part alone.
func (p *pair) widened(clusters, found []candidate, cores []core) []candidate {
	s := p.params.Widen
	if p.params.Second == (SecondParams{}) || s == (WidenParams{}) {
		return found
	}
	for _, c := range clusters {
		i, ok := only(found, c)
		if !ok || found[i].kind != Cluster || float64(found[i].a.len()) > s.Part*float64(c.a.len()) {
			continue
		}
		f := found[i]
		share, mass := p.weightShare(&p.a, f.a, &p.b, f.b)
		otherShare, _ := p.weightShare(&p.b, f.b, &p.a, f.a)
		if max(share, otherShare) > s.MaxShare {
			continue
		}
		var wide []candidate
		p.within(p.params.Second, func() { wide = p.boundedAndVerified([]candidate{c}, cores, nil) })
		if len(wide) != 1 || !wide[0].a.contains(f.a) || !wide[0].b.contains(f.b) {
			continue
		}
		if _, more := p.weightShare(&p.a, wide[0].a, &p.b, wide[0].b); more >= mass+s.Mass {
			found[i].a, found[i].b = wide[0].a, wide[0].b
		}
	}
	return found
}

// only returns the number of the one candidate of found that meets c in the suspect, if it meets
// it in the source too.
func only(found []candidate, c candidate) (number int, ok bool) {
	for i, f := range found {
		if !f.a.meets(c.a) {
			continue
		}
		if ok {
			return 0, false
		}
		number, ok = i, true
	}
	return number, ok && found[number].b.meets(c.b)
}

// contains reports whether s has all words of o.
func (s span) contains(o span) bool { return s.from <= o.from && o.to <= s.to }

// rest returns the passages that are verified in what clusters have outside of the passages found, from the densest core there
// on: bounds enclose one place of a cluster, and a text that is woven from several sources has others.
func (p *pair) rest(found []candidate, cores []core) (more []candidate) {
	if len(found) == 0 {
		return nil
	}
	found = slices.Clone(found)
	slices.SortFunc(found, func(x, y candidate) int { return cmp.Compare(x.a.from, y.a.from) })
	free := span{0, 0}
	for i := 0; i <= len(found); i++ {
		free.to = int32(p.a.Len())
		if i < len(found) {
			free.to = found[i].a.from
		}
		var in []core
		for _, q := range cores {
			if q.i >= free.from && q.i < free.to {
				in = append(in, q)
			}
		}
		for _, c := range p.boundedAndVerified(p.clusters(in), in, nil) {
			c.a.from, c.a.to = max(c.a.from, free.from), min(c.a.to, free.to)
			more = append(more, c)
		}
		if i < len(found) {
			free.from = max(free.from, found[i].a.to)
		}
	}
	return more
}
