package align

import "math"

// verified returns the candidates that share enough: a MinShare of the weight
// of all words of the better side, and MinMass on both. A shared word counts
// once for each copy that both sides have. Where much is shared a lower share says
// as much: two texts that have nothing but their subject in common reach a share in
// a few words, and not in a hundred.
//
// Two short texts on one subject share as much, since few of their words are
// frequent enough to weigh little. But words of a reworded text are near each
// other that were so before: short texts must share pairs of near words too.
func (p *pair) verified(found []candidate) []candidate {
	out := found[:0]
	for _, c := range found {
		share, mass := p.weightShare(&p.a, c.a, &p.b, c.b)
		otherShare, otherMass := p.weightShare(&p.b, c.b, &p.a, c.a)
		mass = min(mass, otherMass)
		if max(share, otherShare) >= p.leastShare(mass) && mass >= p.params.MinMass && p.paired(c, mass) {
			out = append(out, c)
		}
	}
	return out
}

// leastShare returns the share of the weight that a candidate must have that
// shares that mass.
func (p *pair) leastShare(mass float64) float64 {
	if mass >= p.params.Mass {
		return min(p.params.LowShare, p.params.MinShare)
	}
	return p.params.MinShare
}

// paired reports whether the evidence of pairs of near words suffices: the geometric mean of
// their weight and of that of all matched words, divided by the square root of the length.
// The required value is MinPairs, and falls to 0 for two texts of LeastWords words together.
func (p *pair) paired(c candidate, mass float64) bool {
	full := float64(p.a.different+p.b.different) / float64(max(p.params.LeastWords, 1))
	least := p.params.MinPairs * (1 - full*full)
	if least <= 0 {
		return true
	}
	return math.Sqrt(p.pairWeight(c)*mass/float64(c.a.len())) >= least
}

// pairWeight returns the weight of the pairs of near words of the suspect's side
// that the source's side has too, each as often as it has it.
func (p *pair) pairWeight(c candidate) float64 {
	left := make(map[uint64]int)
	for _, x := range pairCodes(p.b.key[c.b.from:c.b.to]) {
		left[x.code]++
	}
	weight := 0.0
	for _, x := range pairCodes(p.a.key[c.a.from:c.a.to]) {
		if left[x.code] > 0 {
			left[x.code]--
			weight += p.weight[x.code>>32] + p.weight[uint32(x.code)]
		}
	}
	return weight
}

// weightShare returns the weight of the words of own that other has too, and
// its share of the weight of all words of own.
func (p *pair) weightShare(d *side, own span, o *side, other span) (share, mass float64) {
	p.fill(o, other)
	all := 0.0
	for _, k := range d.key[own.from:own.to] {
		all += p.weight[k]
		if p.left[k] > 0 {
			p.left[k]--
			mass += p.weight[k]
		}
	}
	p.empty(o, other)
	if all == 0 {
		return 0, 0
	}
	return mass / all, mass
}
