package align

import "math"

// weightRange is how much rarer than Params.Frequent a word must be to weigh 1.
const weightRange = 1000

// weigh gives every word of the two texts a weight between 0 and 1. Counted in
// the two texts together, it needs no collection and follows their subject: in
// two texts on birds the word bird says little. (By its frequency in a collection, a name gets too much weight.) In short texts every
// word would be frequent, so they count as if they had Params.LeastWords.
func (p *pair) weigh() {
	all := float64(max(p.a.different+p.b.different, p.params.LeastWords))
	var known [64]float64 // by count, where it is not 0; most words are rare
	for _, k := range p.used {
		n := int(p.ofA[k] + p.ofB[k])
		if n < len(known) && known[n] > 0 {
			p.weight[k] = known[n]
			continue
		}
		w := math.Log(p.params.Frequent*all/float64(n)) / math.Log(weightRange)
		p.weight[k] = min(max(w, 0), 1)
		if n < len(known) {
			known[n] = p.weight[k]
		}
	}
}
