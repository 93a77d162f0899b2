package align

// A core is a point with enough others around it.
type core struct {
	point
	density float32
}

// cores returns the points around which, within Radius words on both sides, the
// weights add up to Density. Each place of the suspect counts with its heaviest
// point only, so that a word that the source repeats does not add up with
// itself.
func (p *pair) cores(points []point) []core {
	var list []core
	radius := int32(p.params.Radius)
	lo, hi := 0, 0
	for _, q := range points {
		for points[lo].i < q.i-radius {
			lo++
		}
		for hi < len(points) && points[hi].i <= q.i+radius {
			hi++
		}
		if d := densityAt(q, points[lo:hi], radius); float64(d) >= p.params.Density {
			list = append(list, core{q, d})
		}
	}
	return list
}

// densityAt adds up the points of near that are within radius of q in the
// source as well; near is sorted by place in the suspect.
func densityAt(q point, near []point, radius int32) float32 {
	var sum, best float32
	last := int32(-1)
	for i := range near {
		r := &near[i]
		if r.j < q.j-radius || r.j > q.j+radius {
			continue
		}
		if r.i != last {
			sum, best, last = sum+best, r.weight, r.i
		} else if r.weight > best {
			best = r.weight
		}
	}
	return sum + best
}
