package translated

import (
	"cmp"
	"math"
	"slices"
)

// A point says that the word i of the suspect may be translated by the word j of the source.
type point struct {
	i, j   int32
	weight float64
}

// Figures of points.
const (
	mostPoints  = 80  // pairs of places of one stem, or of one pair of stems; more frequent ones are ignored
	leastSingle = 0.1 // weight of a stem from which it makes points alone
	leastPaired = 0.05
	pairWeight  = 0.7 // of a pair of stems, against a single one
	suspectSpan = 2   // content words between which pairs of the suspect are formed
	sourceSpan  = 3   // the same in the source
	sureWeight  = 0.3 // of a link, from which it counts fully
	damping     = 0.7 // exponent of the number of places
)

// sure returns the factor of the weight of a link.
func sure(weight float32) float64 { return math.Sqrt(min(1, float64(weight)/sureWeight)) }

// points returns the points of single stems and of pairs of stems, by i, j and falling weight.
func (p *pair) points() []point {
	list := append(p.singles(), p.pairs()...)
	slices.SortFunc(list, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j), cmp.Compare(b.weight, a.weight))
	})
	return list
}

func (p *pair) singles() []point {
	var list []point
	for i, f := range p.suspect.words {
		for _, l := range p.links[f] {
			w, n := p.weight[l.stem], p.linked[l.stem]*int(p.source.count[l.stem])
			if w < leastSingle || n > mostPoints {
				continue
			}
			v := math.Pow(w, 0.6) * sure(l.weight) / math.Pow(float64(n), damping)
			for _, j := range p.source.at(l.stem) {
				list = append(list, point{int32(i), j, v})
			}
		}
	}
	return list
}

// A stemPair is two stems of the source in either order.
type stemPair struct{ a, b int32 }

func pairOf(a, b int32) stemPair { return stemPair{min(a, b), max(a, b)} }

// pairs returns the points of pairs of stems that are near each other in both texts.
func (p *pair) pairs() []point {
	in := p.sourcePairs()
	type hit struct {
		pair   *placesOfPair
		i      int32
		weight float64
	}
	var hits []hit
	content := p.contentOf()
	for a, x := range content {
		for _, y := range content[a+1 : min(len(content), a+1+suspectSpan)] {
			for _, k := range p.links[p.suspect.words[x]] {
				for _, l := range p.links[p.suspect.words[y]] {
					wk, wl := p.weight[k.stem], p.weight[l.stem]
					if k.stem == l.stem || wk <= leastPaired || wl <= leastPaired {
						continue
					}
					if at := in[pairOf(k.stem, l.stem)]; at != nil {
						at.suspect++
						hits = append(hits, hit{at, x, pairWeight * math.Pow(wk+wl, 0.6) * sure(k.weight) * sure(l.weight)})
					}
				}
			}
		}
	}
	var list []point
	for _, h := range hits {
		n := h.pair.suspect * len(h.pair.source)
		if n > mostPoints {
			continue
		}
		v := h.weight / math.Pow(float64(n), damping)
		for _, j := range h.pair.source {
			list = append(list, point{h.i, j, v})
		}
	}
	return list
}

// placesOfPair has where a pair of stems occurs.
type placesOfPair struct {
	suspect int     // occurrences in the suspect
	source  []int32 // places of the first stem in the source
}

// sourcePairs returns the pairs of stems of the source that are near each other there, if the
// suspect links to both.
func (p *pair) sourcePairs() map[stemPair]*placesOfPair {
	var content []int32
	for j := range p.source.words {
		if !p.source.common[p.source.stemAt(j)] {
			content = append(content, int32(j))
		}
	}
	in := map[stemPair]*placesOfPair{}
	for a, x := range content {
		s := p.source.stemAt(int(x))
		if p.linked[s] == 0 {
			continue
		}
		for _, y := range content[a+1 : min(len(content), a+1+sourceSpan)] {
			t := p.source.stemAt(int(y))
			if p.linked[t] == 0 || s == t {
				continue
			}
			key := pairOf(s, t)
			if in[key] == nil {
				in[key] = new(placesOfPair)
			}
			in[key].source = append(in[key].source, x)
		}
	}
	return in
}

// contentOf returns the places of the words of the suspect that are not function words.
func (p *pair) contentOf() []int32 {
	var content []int32
	for i, f := range p.suspect.words {
		if !p.suspect.forms[f].common {
			content = append(content, int32(i))
		}
	}
	return content
}
