package align

import "sort"

// split cuts candidates in the suspect where words of the suspect's own were
// put between two copies: where a running sum, which a word of the source's
// side raises and any other lowers, falls by SplitFall. Clusters bridge such
// gaps if they are no longer than a paragraph, and within a copy that was
// reworded they must; but there words of the source keep turning up.
func (p *pair) split(found []candidate, cores []core) []candidate {
	var out []candidate
	for _, c := range found {
		parts := risingParts(p.inOrder(c), p.params.SplitFall)
		if len(parts) < 2 {
			out = append(out, c)
			continue
		}
		for _, s := range parts {
			if part, ok := p.part(c, span{c.a.from + s.from, c.a.from + s.to}, cores); ok {
				out = append(out, part)
			}
		}
	}
	return out
}

// inOrder returns the value of each word of the suspect's side, using up the
// words of the source's side in order.
func (p *pair) inOrder(c candidate) []float64 {
	p.fill(&p.b, c.b)
	value := make([]float64, c.a.len())
	for i, k := range p.a.key[c.a.from:c.a.to] {
		w := p.weight[k]
		if p.left[k] > 0 {
			p.left[k]--
			value[i] = w * (1 - p.params.SplitToll)
		} else {
			value[i] = -w * p.params.SplitToll
		}
	}
	p.empty(&p.b, c.b)
	return value
}

// risingParts returns the stretches in which the running sum rises by fall and
// more, split where it falls by as much: each from a lowest to a highest point.
func risingParts(value []float64, fall float64) []span {
	var parts []span
	sum := 0.0
	low, lowAt := 0.0, 0       // while it falls
	top, from, to := 0.0, 0, 0 // while it rises
	rises := false
	for i, v := range value {
		sum += v
		switch {
		case !rises && sum < low:
			low, lowAt = sum, i+1
		case !rises && sum >= low+fall:
			rises, top, from, to = true, sum, lowAt, i+1
		case rises && sum > top:
			top, to = sum, i+1
		case rises && sum <= top-fall:
			parts = append(parts, span{int32(from), int32(to)})
			rises, low, lowAt = false, sum, i+1
		}
	}
	if rises {
		parts = append(parts, span{int32(from), int32(to)})
	}
	return parts
}

// part makes a candidate of a part of another, from the cores that lie in it. It
// is not ok if there are none.
func (p *pair) part(c candidate, a span, cores []core) (part candidate, ok bool) {
	part = candidate{a: a, kind: Cluster}
	best := float32(-1)
	first := sort.Search(len(cores), func(k int) bool { return cores[k].i >= a.from })
	for _, q := range cores[first:] {
		if q.i >= a.to {
			break
		}
		if q.j < c.b.from || q.j >= c.b.to {
			continue
		}
		b := span{q.j, min(q.j+q.words, int32(p.b.Len()))}
		if best < 0 {
			part.b = b
		}
		part.b = part.b.with(b)
		if q.density > best {
			best, part.peakA, part.peakB = q.density, q.i, q.j
		}
	}
	if best < 0 {
		return part, false
	}
	p.bound(&part)
	return part, true
}

// Rises returns the ranges of values in which their running sum rises by fall and more, split where it falls by as much.
func Rises(values []float64, fall float64) (list [][2]int) {
	for _, s := range risingParts(values, fall) {
		list = append(list, [2]int{int(s.from), int(s.to)})
	}
	return list
}
