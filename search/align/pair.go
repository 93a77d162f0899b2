package align

import "sync"

// A span is a stretch of words [from, to).
type span struct{ from, to int32 }

func (s span) len() int { return int(s.to - s.from) }

func (s span) meets(o span) bool { return s.from < o.to && o.from < s.to }

// common returns how many words two spans share.
func (s span) common(o span) int { return max(0, int(min(s.to, o.to)-max(s.from, o.from))) }

// A candidate may become a passage: a of the suspect, b of the source.
type candidate struct {
	a, b         span
	peakA, peakB int32 // the densest core of a cluster
	kind         Kind
	sharp        ends // those that are ends of equal words
}

// Ends of a candidate.
type ends uint8

const (
	start ends = 1 << iota
	end
)

// A side is one text of a pair.
type side struct {
	*Prepared
	key       []int32 // by word
	count     []int32 // by key: how often the text has it, copies not counted
	places    []int32 // by key of the source: how often it has it, copies counted
	origin    []int32 // by word: see originsOf
	different int     // how many words the text has, copies not counted
}

// A pair is two texts under alignment. It is used by one goroutine.
type pair struct {
	params *Params
	a, b   side
	form   []int32   // by word of the source: its form in the suspect, or another number
	weight []float64 // by key that either text has
	left   []int32   // by key: a bag of words, empty between uses
	*room
}

// A room is memory that pairs reuse, one after another.
type room struct {
	used    []int32   // the keys that either text has
	ofA     []int32   // by key: how often the suspect has it, copies not counted ...
	ofB     []int32   // ... and the source
	weights []float64 // by key
	bag     []int32   // by key
	numbers []float64 // by word of the suspect
	meets   meetings  // of the two texts
	points  []point
	closest []int32 // by origin of a word of the suspect
	copies  []point
	crowded []bool
	rows    [3][]float64
	last    []int32 // by word of the source
}

// rooms are reused by pairs, one after another.
var rooms = sync.Pool{New: func() any { return new(room) }}

// newPair returns a pair, after which release gives back the memory that it
// uses.
func newPair(params *Params, suspect, source *Prepared) *pair {
	if suspect.beside {
		suspect = Prepare(suspect.asText())
	}
	if source.vocabulary != suspect.vocabulary {
		source = suspect.Beside(source.asText())
	}
	r := rooms.Get().(*room)
	p := &pair{params: params, room: r, form: source.forms}
	r.fit(max(suspect.keyCount, source.keyCount))
	p.a = side{suspect, suspect.keys, r.ofA, r.ofA, suspect.origins(), differing(suspect.origins(), suspect.Len())}
	p.b = side{source, source.keys, r.ofB, r.ofB, source.origins(), differing(source.origins(), source.Len())}
	if p.b.origin != nil {
		p.b.places = make([]int32, len(r.ofB))
		for _, k := range p.b.key {
			p.b.places[k]++
		}
	}
	p.weight, p.left = r.weights, r.bag
	p.count()
	p.weigh()
	return p
}

// release gives back the memory of p, which is of no use then.
func (p *pair) release() {
	for _, k := range p.used {
		p.ofA[k], p.ofB[k] = 0, 0
	}
	rooms.Put(p.room)
	p.room = nil
}

// fit makes room for this number of keys.
func (r *room) fit(keys int) {
	r.used = r.used[:0]
	if len(r.ofA) >= keys {
		return
	}
	r.ofA, r.ofB = make([]int32, keys), make([]int32, keys)
	r.bag, r.weights = make([]int32, keys), make([]float64, keys)
}

// count counts the keys of the two texts. Copies of a stretch count as one.
func (p *pair) count() {
	for _, d := range []*side{&p.a, &p.b} {
		for i, k := range d.key {
			if d.copied(int32(i)) {
				continue
			}
			if p.ofA[k]+p.ofB[k] == 0 {
				p.used = append(p.used, k)
			}
			d.count[k]++
		}
	}
}

// sized returns a slice of this length with arbitrary elements, in the memory
// of list if that has room for them.
func sized[T any](list []T, count int) []T {
	if cap(list) < count {
		return make([]T, count, count+count/2)
	}
	return list[:count]
}
