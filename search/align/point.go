package align

import "math"

// A point is where the two texts meet: in a word, or in an unordered pair of
// words at distance 1 or 2. Pairs keep to their places when single words are
// swapped for others, and unordered ones when a translator turns them round.
type point struct {
	i, j   int32 // place in suspect and source, of the first word of a pair
	weight float32
	words  int32 // how far it reaches
}

// points returns all points of the two texts, by place in the suspect, then in
// the source. What occurs n times in the suspect and m times in the source
// makes n·m points, of little weight each; beyond a limit none, so that there
// are never more than some for each word.
func (p *pair) points() []point {
	list := p.pairPoints(p.singlePoints(nil))
	return sortPoints(list, p.a.Len())
}

// singlePoints appends the points of single words.
func (p *pair) singlePoints(list []point) []point {
	for k, common := range p.shared {
		if int(common) >= len(p.a.starts) || p.weight[common] < p.params.MinWeight {
			continue
		}
		mine, theirs := p.a.keyed.of(common), p.b.keyed.of(int32(k))
		value := p.value(p.weight[common], 1, len(mine), len(theirs))
		if value == 0 {
			continue
		}
		for _, i := range mine {
			for _, j := range theirs {
				list = append(list, point{i, j, value, 1})
			}
		}
	}
	return list
}

// value returns the weight of each point of something that occurs n and m
// times; 0 where it is too frequent to make any.
func (p *pair) value(weight, factor float64, n, m int) float32 {
	if n*m > p.params.MaxPoints {
		return 0
	}
	return float32(factor * math.Pow(weight, p.params.Bend) / math.Pow(float64(n*m), p.params.Damp))
}

// maxDistance is how far apart the words of a pair are at most.
const maxDistance = 2

// pairCodes returns the unordered pairs of near words.
func pairCodes(keys []int32) []coded {
	list := make([]coded, 0, maxDistance*len(keys))
	for i := range keys {
		for d := 1; d <= maxDistance && i+d < len(keys); d++ {
			list = append(list, coded{pairCode(keys[i], keys[i+d]), int32(i)})
		}
	}
	return list
}

func pairCode(k, l int32) uint64 {
	if k > l {
		k, l = l, k
	}
	return uint64(k)<<32 | uint64(l)
}

// pairPoints appends the points of pairs of words.
func (p *pair) pairPoints(list []point) []point {
	own := int32(len(p.a.starts))
	var theirs []coded
	for i, k := range p.b.key {
		for d := 1; d <= maxDistance && i+d < len(p.b.key); d++ {
			if l := p.b.key[i+d]; k < own && l < own {
				theirs = append(theirs, coded{pairCode(k, l), int32(i)})
			}
		}
	}
	x := p.a.pairs()
	j := x.with(theirs)
	for n, code := range x.codes {
		mine, others := x.places.of(int32(n)), j.places.of(int32(n))
		if len(others) == 0 {
			continue
		}
		value := p.value(p.weight[code>>32]+p.weight[uint32(code)], p.params.PairValue, len(mine), len(others))
		if value == 0 {
			continue
		}
		for _, s := range mine {
			for _, o := range others {
				list = append(list, point{x.at[s], j.at[o], value, maxDistance + 1})
			}
		}
	}
	return list
}

// sortPoints sorts by place in the suspect, then in the source.
func sortPoints(list []point, words int) []point {
	start := make([]int32, words+1)
	for _, q := range list {
		start[q.i+1]++
	}
	for i := range words {
		start[i+1] += start[i]
	}
	out := make([]point, len(list))
	next := append([]int32(nil), start...)
	for _, q := range list {
		at := next[q.i]
		next[q.i]++
		// Few points share a place, so each is put in its order at once.
		for ; at > start[q.i] && out[at-1].j > q.j; at-- {
			out[at] = out[at-1]
		}
		out[at] = q
	}
	return out
}
