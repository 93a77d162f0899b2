package align

// bound finds where the passage of a cluster begins and ends, on each side by
// the words of the other, until nothing moves.
func (p *pair) bound(c *candidate) {
	for range p.params.Rounds {
		before := *c
		c.a = p.grow(&p.a, c.a, &p.b, c.b, c.peakA, p.params.Toll)
		c.b = p.grow(&p.b, c.b, &p.a, c.a, c.peakB, p.params.SourceToll)
		if *c == before {
			break
		}
	}
}

// grow returns the new bounds of own, in d, given the other side's.
//
// From the densest point outwards, each word that the other side still has counts its weight less
// the toll; any other costs the toll. Copies are used up: a word that the other side has twice
// counts twice. The end is where the running sum is greatest.
func (p *pair) grow(d *side, own span, o *side, other span, peak int32, toll float64) span {
	within := d.around(own, int32(p.params.Reach))
	if peak < own.from || peak >= own.to {
		peak = (own.from + own.to) / 2
	}
	value := p.values(d, within, o, other, peak, toll)
	at := func(k int32) float64 { return value[k-within.from] }
	out := span{peak, peak + 1}
	for k, sum, best := peak, 0.0, 0.0; k < within.to; k++ {
		sum += at(k)
		if sum > best {
			best, out.to = sum, k+1
		}
	}
	for k, sum, best := peak-1, 0.0, 0.0; k >= within.from; k-- {
		sum += at(k)
		if sum > best {
			best, out.from = sum, k
		}
	}
	return out
}

// values returns the value of each word of within, using up the words of other
// from peak outwards.
func (p *pair) values(d *side, within span, o *side, other span, peak int32, toll float64) []float64 {
	p.fill(o, other)
	value := make([]float64, within.len())
	take := func(k int32) {
		w := p.weight[d.key[k]]
		if p.left[d.key[k]] > 0 {
			p.left[d.key[k]]--
			value[k-within.from] = w * (1 - toll)
		} else {
			value[k-within.from] = -w * toll
		}
	}
	for z := int32(0); peak+z < within.to || peak-1-z >= within.from; z++ {
		if peak+z < within.to {
			take(peak + z)
		}
		if peak-1-z >= within.from {
			take(peak - 1 - z)
		}
	}
	p.empty(o, other)
	return value
}

// fill adds the words of a stretch to the bag, and empty removes the remaining ones.
func (p *pair) fill(d *side, s span) {
	for _, k := range d.key[s.from:s.to] {
		p.left[k]++
	}
}

func (p *pair) empty(d *side, s span) {
	for _, k := range d.key[s.from:s.to] {
		p.left[k] = 0
	}
}
