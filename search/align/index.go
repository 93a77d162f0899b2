package align

import "math/bits"

// A coded is something at a place of a text, known by a 64-bit code.
type coded struct {
	code uint64
	at   int32
}

// An index numbers the different codes of a text and has their places. Joining
// another text with it costs a look-up for each place of the other.
type index struct {
	slot   []int32  // hash table of numbers + 1; 0 is free
	codes  []uint64 // by number
	number []int32  // by item, in the order given
	places places   // by number, of items
	at     []int32  // by item: its place
}

// newIndex makes the index of items.
func newIndex(items []coded) *index {
	size := 1 << bits.Len(uint(2*len(items)))
	x := &index{slot: make([]int32, size), number: make([]int32, len(items)), at: make([]int32, len(items))}
	for i, it := range items {
		s := x.seek(it.code)
		if x.slot[s] == 0 {
			x.codes = append(x.codes, it.code)
			x.slot[s] = int32(len(x.codes))
		}
		x.number[i], x.at[i] = x.slot[s]-1, it.at
	}
	x.places = placesOf(x.number, len(x.codes))
	return x
}

// seek returns the slot that has the code, or the free one where it belongs.
func (x *index) seek(code uint64) int {
	mask := len(x.slot) - 1
	s := int(mix(code)) & mask
	for x.slot[s] != 0 && x.codes[x.slot[s]-1] != code {
		s = (s + 1) & mask
	}
	return s
}

// find returns the number of a code, or -1.
func (x *index) find(code uint64) int32 { return x.slot[x.seek(code)] - 1 }

// mix spreads the bits of a code (the finaliser of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return x
}

// A join has the places in the other text of each number of an index.
type join struct {
	places places
	at     []int32
}

// with looks up the items of another text.
func (x *index) with(items []coded) join {
	numbers := make([]int32, 0, len(items))
	j := join{at: make([]int32, 0, len(items))}
	for _, it := range items {
		if k := x.find(it.code); k >= 0 {
			numbers = append(numbers, k)
			j.at = append(j.at, it.at)
		}
	}
	j.places = placesOf(numbers, len(x.codes))
	return j
}
