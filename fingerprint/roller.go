package fingerprint

// A Roller makes the n-grams of a sequence of words. It holds the last n words, and at most
// the same amount of obsolete ones.
type Roller struct {
	buf    []byte // words, each followed by a space
	starts []int  // starts of the last n words in buf, as a ring
	next   int    // index in starts for the next word
	words  int    // words of the paragraph so far, counted up to n-1
}

// minDead is how many bytes buf loses at a time: enough to make moving the rest rare.
const minDead = 16 << 10

// NewRoller returns a Roller for n-grams of n words. It panics for n < 1.
func NewRoller(n int) *Roller {
	if n < 1 {
		panic("fingerprint: n-gram of fewer than one word")
	}
	return &Roller{starts: make([]int, n)}
}

// Break ends a paragraph: no n-gram extends over it.
func (r *Roller) Break() { r.buf, r.next, r.words = r.buf[:0], 0, 0 }

// Add adds the next word, and returns the hash of the n-gram that ends with it; ok is false
// while the paragraph has fewer than n words.
func (r *Roller) Add(word []byte) (h Hash, ok bool) {
	r.starts[r.next] = len(r.buf)
	if r.next++; r.next == len(r.starts) {
		r.next = 0
	}
	r.buf = append(append(r.buf, word...), ' ')
	if r.words < len(r.starts)-1 {
		r.words++
		return 0, false
	}
	oldest := r.starts[r.next]
	h = Of(r.buf[oldest : len(r.buf)-1])
	if oldest >= minDead && oldest >= len(r.buf)-oldest {
		r.drop(oldest)
	}
	return h, true
}

// drop removes the first size bytes, which no later n-gram contains.
func (r *Roller) drop(size int) {
	r.buf = r.buf[:copy(r.buf, r.buf[size:])]
	for i := range r.starts {
		r.starts[i] -= size
	}
}
