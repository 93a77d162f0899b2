package align

import (
	"math"
	"math/bits"
)

// A point is where the two texts meet: in a word, or in an unordered pair of
// words at distance 1 or 2. Pairs keep to their places when single words are
// swapped for others, and unordered ones when a translator turns them round.
type point struct {
	i, j   int32 // place in suspect and source, of the first word of a pair
	weight float32
	words  int32 // how far it reaches
}

// points returns all points of the two texts, by place in the suspect, then in
// the source. A word or pair that occurs n times in the suspect and m times in the
// source makes n·m points of low weight; beyond a limit, it makes none, so the number
// of points per word is bounded. The points are valid until p is released.
func (p *pair) points() []point {
	m := &p.meets
	m.damp.fit(p.params)
	m.words(p)
	m.pairs(p)
	list := p.room.points[:0]
	pairs := m.mine
	for i, k := range p.a.key {
		first := len(list)
		if v := m.single[k]; p.ofB[k] > 0 && v.value > 0 {
			for _, j := range m.at[v.start:v.end] {
				list = append(list, point{int32(i), j, v.value, 1})
			}
		}
		for ; len(pairs) > 0 && pairs[0].at == int32(i); pairs = pairs[1:] {
			x := &m.found[pairs[0].number]
			if x.value == 0 {
				continue
			}
			for _, j := range m.pairAt[x.start:x.end] {
				list = append(list, point{int32(i), j, x.value, maxDistance + 1})
			}
		}
		inOrder(list[first:])
	}
	p.room.points = list
	return list
}

// inOrder sorts points of one place of the suspect by place in the source. They
// are few, and mostly in order.
func inOrder(list []point) {
	for k := 1; k < len(list); k++ {
		q, at := list[k], k
		for ; at > 0 && list[at-1].j > q.j; at-- {
			list[at] = list[at-1]
		}
		list[at] = q
	}
}

// Meetings are where two texts have a word or a pair of words both, in memory
// that serves one pair of texts after another.
type meetings struct {
	damp   damping
	single []meeting // by key, for the keys in both texts
	at     []int32   // places in the source, of one key after another

	filter []uint64 // hashes of pairs of the suspect
	slots  []int32  // a hash table of numbers in found, plus 1
	codes  []coded  // pairs of the suspect whose words the source has
	theirs []numbered
	mine   []numbered
	found  []pairMeeting
	pairAt []int32 // places in the source, of one pair after another
}

// A meeting is a word that both texts have.
type meeting struct {
	value      float32 // of each point
	start, end int32   // where its places are
}

// A pairMeeting is a pair of words of the source. The suspect has both words.
type pairMeeting struct {
	code         uint64
	mine, theirs int32 // how often they have it, copies not counted
	mineAll      int32 // how often the suspect has it, copies counted
	places       int32 // how often the source has it, copies counted
	shared       bool  // whether the suspect has it
	value        float32
	start, end   int32
}

// A numbered pair is one of the found ones at a place.
type numbered struct{ number, at int32 }

// words finds the words that both texts have.
func (m *meetings) words(p *pair) {
	if len(m.single) < len(p.weight) {
		m.single = make([]meeting, len(p.weight))
	}
	m.at = sized(m.at, p.b.Len())
	total := int32(0)
	for _, k := range p.used {
		if p.ofA[k] == 0 || p.ofB[k] == 0 {
			m.single[k].value = 0
			continue
		}
		v := meeting{start: total, end: total}
		if p.weight[k] >= p.params.MinWeight && !p.tooMany(p.a.places[k], p.b.places[k]) {
			v.value = p.value(p.weight[k], 1, p.ofA[k], p.ofB[k])
			total += p.b.places[k]
		}
		m.single[k] = v
	}
	for j, k := range p.b.key {
		if v := &m.single[k]; v.value > 0 && !p.leavesOut(int32(j), p.b.places[k]) {
			m.at[v.end] = int32(j)
			v.end++
		}
	}
}

// tooMany reports whether something that the two texts have at n and m places, copies counted,
// makes more points than are worth their time and memory.
func (p *pair) tooMany(n, m int32) bool { return int(n)*int(m) > copyFactor*p.params.MaxPoints }

// copyFactor times Params.MaxPoints limits the points of a word or pair of words whose
// occurrences are mostly copies of one stretch.
const copyFactor = 4

// leavesOut reports whether place j of the source makes no points: it is a copy, and the
// source has too many copies of its word to try each of them.
func (p *pair) leavesOut(j, places int32) bool {
	return int(places) > p.params.MaxPoints && p.b.copied(j)
}

// value returns the weight of each point of something that occurs n and m
// times; 0 where it is too frequent to make any.
func (p *pair) value(weight, factor float64, n, m int32) float32 {
	if int(n)*int(m) > p.params.MaxPoints {
		return 0
	}
	return float32(factor * math.Pow(weight, p.params.Bend) / p.meets.damp.by[n*m])
}

// A damping has the divisors of the weights of points, by n·m.
type damping struct {
	exponent float64
	by       []float64
}

func (d *damping) fit(params *Params) {
	if d.exponent != params.Damp {
		d.by = d.by[:0]
	}
	d.exponent = params.Damp
	for n := len(d.by); n <= params.MaxPoints; n++ {
		d.by = append(d.by, math.Pow(float64(n), d.exponent))
	}
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

// pairs finds the pairs of words that both texts have, but for those that weigh
// nothing. Hardly any pair of two texts is in both, even where both its words
// are: a filter of bits lets through few others.
func (m *meetings) pairs(p *pair) {
	m.codes = m.codes[:0]
	p.eachPair(&p.a, p.ofB, func(code uint64, at int32) { m.codes = append(m.codes, coded{code, at}) })
	bits := m.sizeFilter(len(m.codes))
	for _, c := range m.codes {
		h := mix(c.code) & bits
		m.filter[h/64] |= 1 << (h % 64)
	}
	m.theirs, m.found = m.theirs[:0], m.found[:0]
	clear(m.slots)
	p.eachPair(&p.b, p.ofA, func(code uint64, at int32) {
		hash := mix(code)
		if h := hash & bits; m.filter[h/64]&(1<<(h%64)) == 0 {
			return
		}
		number := m.number(code, hash)
		m.found[number].places++
		if !p.b.copied(at) {
			m.found[number].theirs++
		}
		m.theirs = append(m.theirs, numbered{number, at})
	})
	m.mine = m.mine[:0]
	for _, c := range m.codes {
		if number, ok := m.numberOf(c.code); ok {
			m.found[number].shared = true
			m.found[number].mineAll++
			if !p.a.copied(c.at) {
				m.found[number].mine++
			}
			m.mine = append(m.mine, numbered{number, c.at})
		}
	}
	m.place(p)
}

// eachPair calls do with the pairs of near words of a text that weigh something
// and of which the other text has both words.
func (p *pair) eachPair(d *side, other []int32, do func(code uint64, at int32)) {
	keys := d.key
	for i, k := range keys {
		if other[k] == 0 {
			continue
		}
		for at := i + 1; at <= i+maxDistance && at < len(keys); at++ {
			if l := keys[at]; other[l] > 0 && p.weight[k]+p.weight[l] > 0 {
				do(pairCode(k, l), int32(i))
			}
		}
	}
}

// sizeFilter empties the filter, with room for this number of pairs, and returns the
// mask of its hashes.
func (m *meetings) sizeFilter(count int) (mask uint64) {
	size := 1 << bits.Len(uint(max(8*count, 63)))
	m.filter = sized(m.filter, size/64)
	clear(m.filter)
	return uint64(size - 1)
}

// number returns the number of a pair, which may be new.
func (m *meetings) number(code, hash uint64) int32 {
	if 2*(len(m.found)+1) > len(m.slots) {
		m.growSlots()
	}
	s := m.seek(code, hash)
	if m.slots[s] == 0 {
		m.found = append(m.found, pairMeeting{code: code})
		m.slots[s] = int32(len(m.found))
	}
	return m.slots[s] - 1
}

// numberOf returns the number of a pair that has one.
func (m *meetings) numberOf(code uint64) (number int32, ok bool) {
	if len(m.found) == 0 {
		return 0, false
	}
	number = m.slots[m.seek(code, mix(code))] - 1
	return number, number >= 0
}

// seek returns the slot that has a pair, or the free one where it belongs.
func (m *meetings) seek(code, hash uint64) int {
	mask := len(m.slots) - 1
	s := int(hash>>20) & mask
	for m.slots[s] != 0 && m.found[m.slots[s]-1].code != code {
		s = (s + 1) & mask
	}
	return s
}

func (m *meetings) growSlots() {
	m.slots = make([]int32, max(2*len(m.slots), 256))
	for number, x := range m.found {
		m.slots[m.seek(x.code, mix(x.code))] = int32(number) + 1
	}
}

// place puts the places of the source into the order of the pairs, with the
// value of each pair.
func (m *meetings) place(p *pair) {
	m.pairAt = sized(m.pairAt, len(m.theirs))
	total := int32(0)
	for i := range m.found {
		x := &m.found[i]
		x.start, x.end = total, total
		total += x.places
		if x.shared && !p.tooMany(x.mineAll, x.places) {
			x.value = p.value(p.weight[x.code>>32]+p.weight[uint32(x.code)], p.params.PairValue, max(x.mine, 1), max(x.theirs, 1))
		}
	}
	for _, t := range m.theirs {
		x := &m.found[t.number]
		if p.leavesOut(t.at, x.places) {
			continue
		}
		m.pairAt[x.end] = t.at
		x.end++
	}
}
