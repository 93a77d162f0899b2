package fingerprint

// A Winnower picks some of a list of hashes: of every so many neighbours, its
// width, at least the least one (Schleimer, Wilkerson and Aiken: Winnowing, 2003,
// in its robust form). What is picked depends on those neighbours alone: two
// texts with width equal hashes in a row have a hash that is picked in each. On
// average 2 in width+1 are picked.
type Winnower struct {
	ring   []Hash // the last hashes, by place modulo the width
	seen   int    // hashes so far
	picked int    // place of the one picked last, -1 before the first
}

// NewWinnower returns a Winnower of that width. It panics for width < 1.
func NewWinnower(width int) *Winnower {
	if width < 1 {
		panic("fingerprint: winnowing fewer than one hash")
	}
	return &Winnower{ring: make([]Hash, width), picked: -1}
}

// Append takes hashes and appends those of them, and of the ones before, that
// are picked by now.
func (w *Winnower) Append(out, hashes []Hash) []Hash {
	width := len(w.ring)
	for _, h := range hashes {
		at := w.seen % width
		w.ring[at] = h
		w.seen++
		switch {
		case w.seen < width:
			continue
		case w.picked <= w.seen-1-width:
			w.picked = w.least()
		case h < w.ring[w.picked%width]:
			w.picked = w.seen - 1
		default:
			continue
		}
		out = append(out, w.ring[w.picked%width])
	}
	return out
}

// AppendRest appends what a list ends with: the least of all hashes where they
// are fewer than the width, so that no list is left without one.
func (w *Winnower) AppendRest(out []Hash) []Hash {
	if w.seen == 0 || w.seen >= len(w.ring) {
		return out
	}
	return append(out, w.ring[w.least()%len(w.ring)])
}

// least returns the place of the least of the hashes in the ring, the last one
// of equal ones.
func (w *Winnower) least() int {
	first := max(0, w.seen-len(w.ring))
	best := first
	for place := first; place < w.seen; place++ {
		if w.ring[place%len(w.ring)] <= w.ring[best%len(w.ring)] {
			best = place
		}
	}
	return best
}
