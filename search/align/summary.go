package align

import "math"

// summaries looks for stretches of the suspect that draw on words from all over
// the source, as an abstract does, and puts them in the place of the candidates
// that they touch.
//
// Each word of the suspect gets the logarithm of how much likelier it is to
// stand in the source if it was taken from there than by chance. Chance is
// reckoned from how frequent the word is in the two texts together and from the
// length of the source. (How many texts of a collection have the word served no
// better: the rarest words, names above all, then weigh too much.) The mean value of the whole suspect is taken
// off, or else every page on the subject of the source would be a summary of
// it. The stretch with the best sum is one if it is long enough, good enough in
// the mean, and drawn from a much longer stretch of the source; but not if an
// ordinary passage explains it.
func (p *pair) summaries(found []candidate) []candidate {
	s := &p.params.Summaries
	if p.b.Len() < s.MinSource {
		return found
	}
	value := p.summaryValues()
	for range s.Most {
		best, sum := bestStretch(value, s.Fall)
		if sum < s.MinSum {
			break
		}
		for k := best.from; k < best.to; k++ {
			value[k] = -1
		}
		c := candidate{a: best, b: p.drawnFrom(best), kind: Summary}
		if p.isSummary(c, sum, found) {
			found = swallow(c, found)
		}
	}
	return found
}

// summaryValues returns the value of each word of the suspect.
func (p *pair) summaryValues() []float64 {
	s := &p.params.Summaries
	theirs := make([]int, len(p.a.starts)) // occurrences in the source
	for k, common := range p.shared {
		if int(common) < len(theirs) {
			theirs[common] = p.b.keyed.count(int32(k))
		}
	}
	all := float64(p.a.Len() + p.b.Len())
	length := float64(p.b.Len()) / s.Unit
	byKey := make([]float64, len(p.a.starts))
	for k, m := range theirs {
		if m == 0 {
			byKey[k] = math.Log(1 - s.Hit)
			continue
		}
		share := float64(m+p.a.keyed.count(int32(k))) / all
		chance := 1 - math.Pow(1-min(share*s.Spread, 0.999), length)
		taken := s.Hit + (1-s.Hit)*chance
		byKey[k] = math.Log(taken/chance) / math.Pow(float64(p.a.keyed.count(int32(k))), s.Repeat)
	}
	value := make([]float64, p.a.Len())
	sum := 0.0
	for i, k := range p.a.keys {
		value[i] = byKey[k]
		sum += byKey[k]
	}
	off := s.Own * max(0, sum/float64(len(value))+s.Level)
	for i := range value {
		value[i] -= off
	}
	return value
}

// bestStretch returns the stretch with the greatest sum in which the running
// sum never falls by more than fall.
func bestStretch(value []float64, fall float64) (best span, sum float64) {
	from := 0
	running, peak := 0.0, 0.0
	for k, v := range value {
		if running <= 0 || running < peak-fall {
			running, peak, from = 0, 0, k
		}
		running += v
		peak = max(peak, running)
		if running > sum {
			sum, best = running, span{int32(from), int32(k + 1)}
		}
	}
	return best, sum
}

// drawnFrom returns the stretch of the source from the first to the last of the
// rarer words of a stretch of the suspect; an empty one if it has none.
func (p *pair) drawnFrom(a span) span {
	inside := make([]bool, len(p.left))
	for _, k := range p.a.keys[a.from:a.to] {
		inside[k] = p.weight[k] >= p.params.Summaries.Rare
	}
	b := span{int32(p.b.Len()), 0}
	for j, k := range p.b.key {
		if inside[k] {
			b = b.with(span{int32(j), int32(j + 1)})
		}
	}
	if b.to < b.from {
		return span{}
	}
	return b
}

// isSummary reports whether a stretch with such a sum is a summary, given the
// ordinary candidates.
func (p *pair) isSummary(c candidate, sum float64, found []candidate) bool {
	s := &p.params.Summaries
	words := float64(c.a.len())
	if sum < s.MinMean*words || c.a.len() < s.MinWords || c.a.len() > s.MaxWords || float64(c.b.len()) < s.MinRatio*words {
		return false
	}
	covered, exact := 0, 0
	for _, o := range found {
		if !o.a.meets(c.a) {
			continue
		}
		if o.b.len() < 2*o.a.len() {
			covered = max(covered, o.a.common(c.a))
		}
		if o.kind == Exact {
			exact += o.a.len()
		}
	}
	return float64(covered) <= s.MaxCover*words && covered <= s.MaxCovered && exact <= s.MaxExact
}

// swallow adds a summary in the place of the candidates that it touches.
func swallow(c candidate, found []candidate) []candidate {
	out := found[:0]
	whole := c
	for _, o := range found {
		if o.a.meets(c.a) {
			whole.a = whole.a.with(o.a)
		} else {
			out = append(out, o)
		}
	}
	return append(out, whole)
}
