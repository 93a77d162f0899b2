package align

import (
	"container/heap"
	"slices"
)

// A matching pairs the words of a passage one to one.
type matching struct {
	matched, run, gaps int
	equal              []Run
}

// tileWords is the least length of the runs that are paired longest first.
const tileWords = 3

// match pairs equal words of the two stretches as [Passage] says: the longest
// runs first (greedy string tiling, Wise 1993), down to two words, then single words in order.
func (p *pair) match(a, b span) matching {
	return matchForms(p.a.forms[a.from:a.to], p.form[b.from:b.to], a, b)
}

// matchForms is match for the forms of the words of two stretches.
func matchForms(formA, formB []int32, a, b span) matching {
	m := matcher{formA: formA, formB: formB, a: a, b: b, partner: make([]int32, a.len()), used: make([]bool, b.len())}
	for i := range m.partner {
		m.partner[i] = -1
	}
	m.tile()
	m.rest(2)
	m.rest(1)
	return m.result()
}

// A matcher has the pairs found so far. Its numbers count from the starts of the two stretches.
type matcher struct {
	formA, formB []int32
	a, b         span
	partner      []int32 // by word of the suspect: its partner, or -1
	used         []bool  // by word of the source
}

// tile pairs runs of tileWords or more equal words, longest first. If a longer run has taken part
// of a run, the rest of it is considered again.
func (m *matcher) tile() {
	x := newIndex(gramCodes(m.formA, tileWords))
	runs, all := commonRuns(m.formA, m.formB, x, tileWords)
	best := 0
	for _, r := range runs {
		best = max(best, r.Len)
	}
	if !all {
		if r := longestCommon(m.formA, m.formB, best); r.Len > best {
			runs = append(runs, r)
		}
	}
	q := runHeap(runs)
	heap.Init(&q)
	for len(q) > 0 {
		r := heap.Pop(&q).(Run)
		free := m.free(r)
		if len(free) == 1 && free[0] == r {
			m.pairUp(r)
			continue
		}
		for _, f := range free {
			if f.Len >= tileWords {
				heap.Push(&q, f)
			}
		}
	}
}

// free returns the parts of a run whose words are free on both sides.
func (m *matcher) free(r Run) []Run {
	var parts []Run
	for k := 0; k < r.Len; k++ {
		from := k
		for k < r.Len && m.partner[r.Suspect+k] < 0 && !m.used[r.Source+k] {
			k++
		}
		if k > from {
			parts = append(parts, Run{r.Suspect + from, r.Source + from, k - from})
		}
	}
	return parts
}

func (m *matcher) pairUp(r Run) {
	for k := range r.Len {
		m.partner[r.Suspect+k] = int32(r.Source + k)
		m.used[r.Source+k] = true
	}
}

// rest pairs the runs of n words that are left: the first free one with the first free one of the other
// side, and so on.
func (m *matcher) rest(n int) {
	left, there := slices.Clone(m.formA), slices.Clone(m.formB)
	for i, j := range m.partner {
		if j >= 0 {
			left[i], there[j] = -1, -1
		}
	}
	x := newIndex(gramCodes(left, n))
	other := x.with(gramCodes(there, n))
	passed := make([]int, len(x.codes)) // by n-gram: how many of its places in the source were tried
	for i, k := range x.number {
		for places := other.places.of(k); passed[k] < len(places); passed[k]++ {
			r := Run{int(x.at[i]), int(other.at[places[passed[k]]]), n}
			if slices.ContainsFunc(m.partner[r.Suspect:r.Suspect+n], func(j int32) bool { return j >= 0 }) {
				break
			}
			if !slices.Contains(m.used[r.Source:r.Source+n], true) {
				m.pairUp(r)
			}
		}
	}
}

// result reads the pairs off.
func (m *matcher) result() matching {
	var out matching
	for i, j := range m.partner {
		if j < 0 {
			continue
		}
		out.matched++
		if n := len(out.equal); n > 0 {
			r := &out.equal[n-1]
			if end := r.Suspect + r.Len - int(m.a.from); end == i && r.Source+r.Len-int(m.b.from) == int(j) {
				r.Len++
				out.run = max(out.run, r.Len)
				continue
			} else if end < i {
				out.gaps++
			}
		}
		out.equal = append(out.equal, Run{int(m.a.from) + i, int(m.b.from) + int(j), 1})
		out.run = max(out.run, 1)
	}
	return out
}

// runHeap has the longest run on top.
type runHeap []Run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return longerRun(h[i], h[j]) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(Run)) }
func (h *runHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	*h = old[:len(old)-1]
	return r
}

// Between returns two stretches of words as a passage, with its counts, without its place in the texts. Equal words have
// equal numbers; words of the source that the suspect does not have are negative.
func Between(suspect, source []int32) Passage {
	a, b := span{0, int32(len(suspect))}, span{0, int32(len(source))}
	p := matchForms(suspect, source, a, b).passage(Cluster, a, b)
	p.Suspect, p.Source = Range{To: len(suspect)}, Range{To: len(source)}
	return p
}
