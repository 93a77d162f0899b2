package near

import "math/bits"

// A bloom is a Bloom filter of keys. False positives cost time but do not change the
// result.
type bloom struct {
	words []uint64
	shift int
}

func newBloom(memory int64) *bloom {
	width := max(10, bits.Len64(uint64(memory)/8)-1)
	return &bloom{make([]uint64, 1<<width), 64 - width}
}

// mask returns the bits that a key sets in its word.
func mask(h uint64) uint64 { return 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) }

func (b *bloom) add(key uint64) {
	h := mix(key)
	b.words[h>>b.shift] |= mask(h)
}

func (b *bloom) contains(key uint64) bool {
	h := mix(key)
	return b.words[h>>b.shift]&mask(h) == mask(h)
}
