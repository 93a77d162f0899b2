package align

import "math"

// summaries looks for stretches of the suspect that draw on words from all over
// the source, as an abstract does, and puts them in the place of the candidates
// that they touch.
//
// Each word of the suspect gets the logarithm of how much likelier it is to
// be in the source if it was taken from there than by chance. Chance is
// reckoned from how frequent the word is in the two texts together and from the
// length of the source. (How many texts of a collection have the word served no
// better: the rarest words, names above all, then weigh too much.) The mean
// value of the whole suspect is taken off, or else every page on the subject of
// the source would be a summary of it.
//
// The stretch with the best sum is a summary if it is long enough, good enough
// in the mean, and drawn from a much longer stretch of the source. Two things
// speak against it: that ordinary candidates explain it, and that it shares
// single words alone, which is what texts on the same persons do. Those who
// shorten a text keep some of its phrases.
func (p *pair) summaries(found, exact []candidate) []candidate {
	s := &p.params.Summaries
	if !p.params.Summary || p.b.different < s.MinSource {
		return found
	}
	value := p.summaryValues()
	var looked []span // at stretches of which each is not a copy of another
	for {
		best, sum := bestStretch(value, s.Fall)
		if sum < s.MinSum {
			break
		}
		if !p.a.copyOf(best, looked) {
			if len(looked) == s.Most {
				break
			}
			looked = append(looked, best)
		}
		c := candidate{a: best, b: p.drawnFrom(best), kind: Summary}
		long := c.a.len() >= s.MinWords && float64(c.b.len()) >= s.MinRatio*float64(c.a.len()) && sum >= s.MinMean*float64(c.a.len())
		if long && !p.explained(c, value, found) && p.sharesPhrases(c, exact) {
			found = swallow(c, found)
		}
		for k := best.from; k < best.to; k++ {
			value[k] = -1
		}
	}
	return found
}

// summaryValues returns the value of each word of the suspect. Words that the
// suspect repeats share one value.
func (p *pair) summaryValues() []float64 {
	s := &p.params.Summaries
	all := float64(p.a.different + p.b.different)
	length := float64(p.b.different) / s.Unit
	var known [128]float64 // by how often both texts have a word, where it is not 0
	gain := func(both int32) float64 {
		chance := 1 - math.Pow(1-min(float64(both)/all*s.Spread, 0.999), length)
		taken := s.Hit + (1-s.Hit)*chance
		return math.Log(taken / chance)
	}
	missing := math.Log(1 - s.Hit)
	p.numbers = sized(p.numbers, p.a.Len())
	value := p.numbers
	sum := 0.0
	for i, k := range p.a.key {
		n, both := p.ofA[k], p.ofA[k]+p.ofB[k]
		switch {
		case n == both:
			value[i] = missing
		case int(both) >= len(known):
			value[i] = gain(both) / float64(n)
		default:
			if known[both] == 0 {
				known[both] = gain(both)
			}
			value[i] = known[both] / float64(n)
		}
		if !p.a.copied(int32(i)) {
			sum += value[i]
		}
	}
	off := max(0, sum/float64(p.a.different)+s.Level)
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

// drawnFrom returns the stretch of the source from the first to the last word
// that a stretch of the suspect has too, but for words that weigh nothing. It is
// empty if there are none.
func (p *pair) drawnFrom(a span) span {
	inside := make([]bool, len(p.left))
	for _, k := range p.a.key[a.from:a.to] {
		inside[k] = p.weight[k] > 0
	}
	b := span{int32(p.b.Len()), 0}
	for j, k := range p.b.key {
		if inside[k] && !p.b.copied(int32(j)) {
			b = b.with(span{int32(j), int32(j + 1)})
		}
	}
	return b
}

// explained reports whether ordinary candidates explain a stretch: too little is
// left outside the larger compact ones, or exact ones make up too much of it.
func (p *pair) explained(c candidate, value []float64, found []candidate) bool {
	s := &p.params.Summaries
	inside := make([]bool, len(value))
	exact := 0
	for _, o := range found {
		if !o.a.meets(c.a) {
			continue
		}
		if o.a.len() >= s.Explained && o.b.len() < 2*o.a.len() {
			mark(inside, o.a)
		}
		if o.kind == Exact {
			exact += o.a.len()
		}
	}
	rest := 0.0
	for k := c.a.from; k < c.a.to; k++ {
		if !inside[k] {
			rest += value[k]
		}
	}
	return rest < s.MinRest || exact > s.MaxExact
}

// phraseWords is the length of the runs that a summary shares with its source.
const phraseWords = 3

// sharesPhrases reports whether the words of a stretch outside exact runs share
// enough runs of three words with the source.
func (p *pair) sharesPhrases(c candidate, exact []candidate) bool {
	copied := make([]bool, p.a.Len())
	for _, e := range exact {
		mark(copied, e.a)
	}
	there := newIndex(gramCodes(p.form, phraseWords))
	shared := make([]bool, p.a.Len())
	for _, g := range gramCodes(p.a.forms[c.a.from:c.a.to], phraseWords) {
		if there.find(g.code) >= 0 {
			from := c.a.from + g.at
			mark(shared, span{from, from + phraseWords})
		}
	}
	rest, inRuns := 0, 0
	for k := c.a.from; k < c.a.to; k++ {
		if copied[k] {
			continue
		}
		rest++
		if shared[k] {
			inRuns++
		}
	}
	return float64(inRuns) >= p.params.Summaries.RestRuns*float64(rest)
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
