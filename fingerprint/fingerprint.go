// Package fingerprint turns words into the hashes that an index holds.
//
// An n-gram is n consecutive words of one paragraph, joined by one space; its
// hash is the top 48 bits of CityHash64 (version 1.1) of those bytes. The space
// matters: "to ma ema" and "tom a ema" differ. A [Roller] makes the n-grams of
// words that come one at a time.
package fingerprint

import "github.com/go-faster/city"

// Bits is the width of a [Hash].
const Bits = 48

// A Hash stands for an n-gram: the top 48 bits of its CityHash64.
type Hash uint64

// Sum64 returns the CityHash64 (version 1.1) of b.
func Sum64(b []byte) uint64 { return city.CH64(b) }

// Of returns the hash that stands for the n-gram text.
func Of(text []byte) Hash { return Hash(Sum64(text) >> (64 - Bits)) }

// A Roller makes the n-grams of words that come one at a time.
type Roller struct {
	n      int
	buf    []byte // the last words, each followed by a space
	starts []int  // where the last n words start in buf, oldest first
}

// NewRoller returns a Roller for n-grams of n words. It panics for n < 1.
func NewRoller(n int) *Roller {
	if n < 1 {
		panic("fingerprint: n-gram of fewer than one word")
	}
	return &Roller{n: n, starts: make([]int, 0, n)}
}

// Break ends a paragraph: no n-gram reaches over it.
func (r *Roller) Break() { r.buf, r.starts = r.buf[:0], r.starts[:0] }

// Add takes the next word and returns the hash of the n-gram that it ends; ok
// is false while the paragraph has fewer than n words.
func (r *Roller) Add(word []byte) (h Hash, ok bool) {
	if len(r.starts) == r.n {
		copy(r.starts, r.starts[1:])
		r.starts = r.starts[:r.n-1]
	}
	if len(r.buf) > 1<<16 && len(r.starts) > 0 {
		r.compact()
	}
	r.starts = append(r.starts, len(r.buf))
	r.buf = append(append(r.buf, word...), ' ')
	if len(r.starts) < r.n {
		return 0, false
	}
	return Of(r.buf[r.starts[0] : len(r.buf)-1]), true
}

// compact drops the words that no coming n-gram holds.
func (r *Roller) compact() {
	from := r.starts[0]
	r.buf = r.buf[:copy(r.buf, r.buf[from:])]
	for i := range r.starts {
		r.starts[i] -= from
	}
}
