package fingerprint

// A Winnower samples a list of hashes: among any width consecutive hashes it picks at least
// the smallest one (Schleimer, Wilkerson and Aiken: Winnowing, 2003, robust winnowing). The
// choice depends on those hashes alone: if two texts share width consecutive hashes, one of
// them is picked in both. On average 2 in width+1 are picked.
type Winnower struct {
	ring   []Hash // the last hashes, by position modulo the width
	seen   int    // number of hashes so far
	picked int    // position of the hash picked last, -1 before the first
}

// NewWinnower returns a Winnower with this width. It panics if width < 1.
func NewWinnower(width int) *Winnower {
	if width < 1 {
		panic("fingerprint: winnowing fewer than one hash")
	}
	return &Winnower{ring: make([]Hash, width), picked: -1}
}

// Append adds hashes, and appends to out those that are picked so far, which may include
// earlier ones.
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

// AppendRest ends a list: if it has fewer hashes than the width, it appends the smallest
// one, so that no list is without a sample.
func (w *Winnower) AppendRest(out []Hash) []Hash {
	if w.seen == 0 || w.seen >= len(w.ring) {
		return out
	}
	return append(out, w.ring[w.least()%len(w.ring)])
}

// least returns the position of the smallest hash in the ring, the last one if several are
// equal.
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
