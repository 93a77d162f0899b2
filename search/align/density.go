package align

// A core is a point with enough others around it.
type core struct {
	point
	density float32
}

// cores returns the points around which, within Radius words on both sides, the
// weights add up to Density. Each place of the suspect counts with its heaviest
// point only, so that a word that the source repeats does not add up with
// itself; of several copies of a stretch, the closest counts.
func (p *pair) cores(points []point) []core {
	var list []core
	radius := int32(p.params.Radius)
	crowded, copies := p.crowded(points), p.copiesNear(radius)
	lo, hi := 0, 0
	var pruned []point // of the points near place at of the suspect
	at := int32(-1)
	for k, q := range points {
		if !crowded[k] {
			continue
		}
		for points[lo].i < q.i-radius {
			lo++
		}
		for hi < len(points) && points[hi].i <= q.i+radius {
			hi++
		}
		near := points[lo:hi]
		if copies != nil && copies[q.i] {
			if q.i != at { // the same for all points at one place
				pruned, at = p.closestCopies(q.i, near), q.i
			}
			near = pruned
		}
		if d := densityAt(q, near, radius); float64(d) >= p.params.Density {
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

// copiesNear reports for each place of the suspect whether two copies of a word are within radius
// of it. It returns nil if there are no copies.
func (p *pair) copiesNear(radius int32) []bool {
	if p.a.origin == nil {
		return nil
	}
	words := int32(p.a.Len())
	near := make([]bool, words)
	before := make([]int32, words) // by origin: the last place of a copy, plus 1
	latest, to := int32(0), int32(0)
	for i := range words {
		for ; to < words && to <= i+radius; to++ {
			o := p.a.origin[to]
			latest = max(latest, before[o])
			before[o] = to + 1
		}
		near[i] = latest > max(i-radius, 0)
	}
	return near
}

// closestCopies returns the points of near without those at copies of a word that is closer to
// place i of the suspect in another point. The result is valid until the next call.
func (p *pair) closestCopies(i int32, near []point) []point {
	p.closest = sized(p.closest, p.a.Len()) // by origin: the place closest to i, of those in near
	list := p.room.copies[:0]
	for _, r := range near {
		p.closest[p.a.origin[r.i]] = -1
	}
	for _, r := range near {
		if c := &p.closest[p.a.origin[r.i]]; *c < 0 || distance(r.i, i) < distance(*c, i) {
			*c = r.i
		}
	}
	for _, r := range near {
		if p.closest[p.a.origin[r.i]] == r.i {
			list = append(list, r)
		}
	}
	p.room.copies = list
	return list
}

func distance(i, j int32) int32 { return max(i-j, j-i) }

// crowded returns, for each point, whether it can be a core. Most points of two long
// texts are isolated, and are excluded without examining the points around them. Both
// texts are divided into blocks of Radius words; all points near a point are in its own
// block or the eight around it, whose total weight must be large enough. Three rows of
// blocks are in memory at a time.
func (p *pair) crowded(points []point) []bool {
	side := int32(max(p.params.Radius, 1))
	columns := p.b.Len()/int(side) + 3 // with an empty one at each end
	p.room.crowded = sized(p.room.crowded, len(points))
	crowded, rows := p.room.crowded, &p.rows // the row before, the row of the point, the row after
	for r := range rows {
		rows[r] = sized(rows[r], columns)
		clear(rows[r])
	}
	read := 0
	next := func(row int32) { // rotates the buffers and fills the third with a row
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
		clear(rows[2])
		for ; read < len(points) && points[read].i/side == row; read++ {
			rows[2][points[read].j/side+1] += float64(points[read].weight)
		}
	}
	next(0)
	for k, row := 0, int32(0); k < len(points); row++ {
		next(row + 1)
		for ; k < len(points) && points[k].i/side == row; k++ {
			sum, c := 0.0, points[k].j/side
			for _, r := range rows {
				sum += r[c] + r[c+1] + r[c+2]
			}
			crowded[k] = sum+1e-6 >= p.params.Density
		}
	}
	return crowded
}
