package align

import "slices"

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

// secondBounds returns the passages that are verified after the clusters that no found passage
// meets in the suspect are bounded again, with the lower tolls of Params.Second. In a passage
// that a language model rewrote, the matching words are farther apart than in other reworded
// passages. The first bounds then enclose only the densest part, which shares too few words.
func (p *pair) secondBounds(clusters, found []candidate, cores []core, exact []candidate) []candidate {
	s := p.params.Second
	if s == (SecondParams{}) {
		return nil
	}
	meets := func(c candidate) bool {
		return slices.ContainsFunc(found, func(f candidate) bool { return f.a.meets(c.a) })
	}
	again := slices.DeleteFunc(slices.Clone(clusters), meets)
	first, second := p.params, *p.params
	second.Toll, second.SourceToll, second.MinShare, second.LowShare, second.MinMass = s.Toll, s.SourceToll, s.MinShare, s.LowShare, s.MinMass
	p.params = &second
	defer func() { p.params = first }()
	return slices.DeleteFunc(p.boundedAndVerified(again, cores, exact), meets)
}
