package align

// verified returns the candidates that share enough: a MinShare of the weight
// of all words of the better side, and MinMass on both. A shared word counts
// once for each copy that both sides have.
func (p *pair) verified(found []candidate) []candidate {
	out := found[:0]
	for _, c := range found {
		share, mass := p.weightShare(&p.a, c.a, &p.b, c.b)
		otherShare, otherMass := p.weightShare(&p.b, c.b, &p.a, c.a)
		if max(share, otherShare) >= p.params.MinShare && min(mass, otherMass) >= p.params.MinMass {
			out = append(out, c)
		}
	}
	return out
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
