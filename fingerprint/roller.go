package fingerprint

// A Roller makes the n-grams of words that come one at a time. It holds the
// last n words, and at most as much again that is no longer needed.
type Roller struct {
	buf    []byte // words, each followed by a space
	starts []int  // where the last n words start in buf, in turn
	next   int    // the one of starts that the next word takes
	words  int    // of the paragraph so far; counted up to n-1
}

// minDead is how many bytes buf loses at a time: enough to make the move rare.
const minDead = 16 << 10

// NewRoller returns a Roller for n-grams of n words. It panics for n < 1.
func NewRoller(n int) *Roller {
	if n < 1 {
		panic("fingerprint: n-gram of fewer than one word")
	}
	return &Roller{starts: make([]int, n)}
}

// Break ends a paragraph: no n-gram reaches over it.
func (r *Roller) Break() { r.buf, r.next, r.words = r.buf[:0], 0, 0 }

// Add takes the next word and returns the hash of the n-gram that it ends; ok
// is false while the paragraph has fewer than n words.
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

// drop forgets the first size bytes, which no coming n-gram holds.
func (r *Roller) drop(size int) {
	r.buf = r.buf[:copy(r.buf, r.buf[size:])]
	for i := range r.starts {
		r.starts[i] -= size
	}
}
