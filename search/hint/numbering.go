package hint

import (
	"math/bits"

	"github.com/otisk/otisk/internal/reuse"
)

// A numbering numbers forms, by their keys, in a hash table with linear probing, which takes a quarter of the time of a map of
// strings. It can be a copy of another one, its base, with further forms, and be set back to that.
type numbering struct {
	slots []slot // a power of two, at most half of them in use
	shift int    // of hashes to indices of slots
	keys  []key  // by form

	base  *numbering // nil if the numbering is no copy
	known int        // forms of the base
	added []int32    // slots of the other ones
}

// A slot has a form and its key, which is 0 if the slot is free.
type slot struct {
	key  key
	form int32
}

// extend makes n a copy of base.
func (n *numbering) extend(base *numbering) {
	if n.base != base {
		n.base, n.known, n.shift = base, len(base.keys), base.shift
		n.slots, n.keys = append(n.slots[:0], base.slots...), append(n.keys[:0], base.keys...)
	} else { // all further forms were placed after those of base
		for _, at := range n.added {
			n.slots[at] = slot{}
		}
		n.keys = n.keys[:n.known]
	}
	n.added = n.added[:0]
}

// reset makes n empty and no copy, with room for this number of forms: the smaller the table, the faster it is.
func (n *numbering) reset(forms int) {
	size := max(256, 1<<bits.Len(uint(2*forms)))
	*n = numbering{slots: reuse.Zeros(n.slots, size), shift: 64 - bits.Len(uint(size-1)), keys: n.keys[:0]}
}

// of returns the number of a form, a new one if it has none.
func (n *numbering) of(k key) int32 {
	if len(n.keys) >= len(n.slots)/2 {
		n.grow()
	}
	at := n.find(k)
	if n.slots[at].key == 0 {
		n.keys = append(n.keys, k)
		n.put(at, len(n.keys)-1)
	}
	return n.slots[at].form
}

// find returns the slot of a key, or the free slot where it belongs.
func (n *numbering) find(k key) int {
	const golden = 0x9e3779b97f4a7c15
	last := len(n.slots) - 1
	at := int(uint64(k) * golden >> n.shift)
	for n.slots[at].key != k && n.slots[at].key != 0 {
		at = (at + 1) & last
	}
	return at
}

// put puts a form into a free slot.
func (n *numbering) put(at, form int) {
	n.slots[at] = slot{n.keys[form], int32(form)}
	if n.base != nil && form >= n.known {
		n.added = append(n.added, int32(at))
	}
}

// grow doubles the table.
func (n *numbering) grow() {
	size := max(256, 2*len(n.slots))
	n.slots, n.shift, n.added = make([]slot, size), 64-bits.Len(uint(size-1)), n.added[:0]
	for form, k := range n.keys {
		n.put(n.find(k), form)
	}
}
