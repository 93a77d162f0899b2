package translated

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/otisk/otisk/internal/reuse"
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

// dampings[n] divides the weight of points with n places.
var dampings = func() (f [mostPoints + 1]float64) {
	for n := range f {
		f[n] = math.Pow(float64(n), damping)
	}
	return f
}()

// points returns the points of single stems and of pairs of stems, in any order.
func (p *pair) points() []point { return p.appendPairs(p.singles()) }

// sortPoints sorts points by i, j and falling weight.
func sortPoints(list []point) {
	slices.SortFunc(list, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j), cmp.Compare(b.weight, a.weight))
	})
}

func (p *pair) singles() []point {
	type single struct {
		stem   int32
		weight float64
	}
	var singles []single
	of := make([][2]int32, len(p.links)) // those of form f are singles[of[f][0]:of[f][1]]
	count := 0
	for _, f := range p.some {
		of[f][0] = int32(len(singles))
		for _, l := range p.links[f] {
			w, n := p.weight[l.stem], p.linked[l.stem]*int(p.source.count[l.stem])
			if w >= leastSingle && n > 0 && n <= mostPoints {
				singles = append(singles, single{l.stem, math.Pow(w, 0.6) * sure(l.weight) / dampings[n]})
				count += int(p.suspect.uses[f] * p.source.count[l.stem])
			}
		}
		of[f][1] = int32(len(singles))
	}
	list := make([]point, 0, count+count/4) // those of pairs are fewer
	for i, f := range p.suspect.words {
		for _, s := range singles[of[f][0]:of[f][1]] {
			for _, j := range p.source.at(s.stem) {
				list = append(list, point{int32(i), j, s.weight})
			}
		}
	}
	return list
}

// appendPairs appends the points of pairs of stems that are near each other in both texts.
func (p *pair) appendPairs(list []point) []point {
	in := p.sourcePairs()
	defer pairTables.Put(in)
	p.meet(in)
	for _, h := range in.hits {
		at := &in.pairs[h.pair]
		n := int(at.suspect) * int(at.source)
		if n > mostPoints {
			continue
		}
		if at.weight == 0 {
			a, b := at.pair.stems()
			at.weight = pairWeight * math.Pow(p.weight[a]+p.weight[b], 0.6)
		}
		for k := at.last; k > 0; k = in.places[k-1].before {
			list = append(list, point{h.i, in.places[k-1].j, at.weight * h.sure[0] * h.sure[1] / dampings[n]})
		}
	}
	return list
}

// meet sets in.hits to the places of the suspect that are linked with a pair of the source.
func (p *pair) meet(in *pairTable) {
	all, of := in.all[:0], reuse.Zeros(in.of, len(p.links))
	for _, f := range p.some {
		of[f][0] = int32(len(all))
		for _, l := range p.links[f] {
			if p.weight[l.stem] > leastPaired && in.has[l.stem] {
				all = append(all, meeting{l.stem, sure(l.weight)})
			}
		}
		of[f][1] = int32(len(all))
	}
	in.all, in.of, in.hits = all, of, in.hits[:0]
	content := p.suspect.content
	at := in.at[:0] // by word of content
	for _, x := range content {
		at = append(at, of[p.suspect.words[x]])
	}
	in.at = at
	for a, x := range content {
		for _, k := range all[at[a][0]:at[a][1]] {
			for _, y := range at[a+1 : min(len(at), a+1+suspectSpan)] {
				for _, l := range all[y[0]:y[1]] {
					if k.stem == l.stem {
						continue
					}
					if n := in.number(pairOf(k.stem, l.stem)); n > 0 {
						in.pairs[n-1].suspect++
						in.hits = append(in.hits, pairHit{n - 1, x, [2]float64{k.sure, l.sure}})
					}
				}
			}
		}
	}
}

// A stemPair is two stems of the source in either order.
type stemPair uint64

func pairOf(a, b int32) stemPair { return stemPair(min(a, b))<<32 | stemPair(max(a, b)) }

// stems returns the stems of a pair.
func (s stemPair) stems() (a, b int32) { return int32(s >> 32), int32(s) }

// sieveBits is the logarithm of the length of the sieve of a pairTable, which fits into the fastest cache.
const sieveBits = 10

// A pairTable has where pairs of stems occur in a source: a hash table, in which most look-ups find nothing.
type pairTable struct {
	has    []bool                 // whether a stem is part of a pair
	sieve  [1 << sieveBits]uint64 // bits of the pairs: most pairs that are looked up are not in the table
	slots  []int32
	shift  int // of a hash, to a slot
	pairs  []placesOfPair
	places []placeOfPair

	of   [][2]int32 // by form of the suspect, the indices in all of its links to stems that are part of a pair
	at   [][2]int32 // the same by word, without function words
	all  []meeting
	hits []pairHit
}

// A meeting is a stem of a pair that a form links to, with the factor of the link.
type meeting struct {
	stem int32
	sure float64
}

// A pairHit is a pair in the suspect: the number of the pair, the place of its first stem, and the factors of both links.
type pairHit struct {
	pair, i int32
	sure    [2]float64
}

// placesOfPair has how often a pair of stems occurs.
type placesOfPair struct {
	pair    stemPair
	suspect int32   // occurrences in the suspect
	source  int32   // the same in the source
	last    int32   // number of the last place, from 1
	weight  float64 // of its points, without the factors of links and places; 0 before the first point
}

// A placeOfPair is a place of the first stem in the source, and the number of the place of this pair before it, or 0.
type placeOfPair struct{ j, before int32 }

// pairTables are tables that are not in use: allocating them for each source took a tenth of the time.
var pairTables = sync.Pool{New: func() any { return new(pairTable) }}

// hash returns the hash of a pair.
func (s stemPair) hash() uint64 { return uint64(s) * 0x9e3779b97f4a7c15 }

// slot returns the slot of a pair: it has the number of the pair, from 1, or 0 if the table lacks it.
func (t *pairTable) slot(key stemPair) *int32 {
	for at := key.hash() >> t.shift; ; at = (at + 1) % uint64(len(t.slots)) {
		if n := t.slots[at]; n == 0 || t.pairs[n-1].pair == key {
			return &t.slots[at]
		}
	}
}

// add returns the number of a pair, from 1, and adds it if the table lacks it.
func (t *pairTable) add(key stemPair) int32 {
	n := t.slot(key)
	if *n == 0 {
		t.pairs = append(t.pairs, placesOfPair{pair: key})
		*n = int32(len(t.pairs))
		h := key.hash()
		t.sieve[h>>(64-sieveBits)] |= 1 << (h >> (58 - sieveBits) % 64)
	}
	return *n
}

// number returns the number of a pair, from 1, or 0 if the table lacks it.
func (t *pairTable) number(key stemPair) int32 {
	h := key.hash()
	if t.sieve[h>>(64-sieveBits)]&(1<<(h>>(58-sieveBits)%64)) == 0 {
		return 0
	}
	return *t.slot(key)
}

// reset empties a table for this many stems and places.
func (t *pairTable) reset(stems, places int) {
	log := bits.Len(uint(2*places + 1))
	t.shift = 64 - log
	t.slots, t.has = reuse.Zeros(t.slots, 1<<log), reuse.Zeros(t.has, stems)
	clear(t.sieve[:])
	t.pairs, t.places = t.pairs[:0], t.places[:0]
}

// sourcePairs returns the pairs of stems of the source that are near each other there, if the
// suspect links to both.
func (p *pair) sourcePairs() *pairTable {
	content := make([]int32, 0, len(p.source.words))
	for j := range p.source.words {
		if !p.source.common[p.source.stemAt(j)] {
			content = append(content, int32(j))
		}
	}
	t := pairTables.Get().(*pairTable)
	t.reset(len(p.source.stems), sourceSpan*len(content))
	for a, x := range content {
		r := p.source.stemAt(int(x))
		if p.linked[r] == 0 {
			continue
		}
		for _, y := range content[a+1 : min(len(content), a+1+sourceSpan)] {
			s := p.source.stemAt(int(y))
			if p.linked[s] == 0 || r == s {
				continue
			}
			t.has[r], t.has[s] = true, true
			at := &t.pairs[t.add(pairOf(r, s))-1]
			t.places = append(t.places, placeOfPair{x, at.last})
			at.source++
			at.last = int32(len(t.places))
		}
	}
	return t
}
