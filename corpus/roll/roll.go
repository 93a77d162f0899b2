// Package roll computes rolling hashes of n-grams over a stream of tokens.
package roll

import (
	"encoding/binary"
	"math/bits"
)

// A Roller computes the hashes of n-grams.
type Roller struct {
	ring  []uint64 // hashes of the last tokens
	at    int
	count int // tokens since the last reset, up to n
	sum   uint64
	last  uint64 // weight of the oldest token in the sum, or the number of bits by which it is rotated
	onion bool
}

// factor multiplies the hash of a token for each token that follows it.
const factor = 0xD6E8FEB86659FD93

// New returns a roller for n-grams of n tokens. Given onion's hashes of tokens, it
// returns onion 1.2's hashes of n-grams.
func New(n int, onion bool) *Roller {
	r := &Roller{ring: make([]uint64, n), last: 1, onion: onion}
	for range n {
		r.last *= factor
	}
	return r
}

// Reset forgets all tokens.
func (r *Roller) Reset() { r.at, r.count, r.sum = 0, 0, 0 }

// Add adds the hash of a token and returns the hash of the n-gram that ends with
// it. ok is false for the first n-1 tokens.
func (r *Roller) Add(h uint64) (hash uint64, ok bool) {
	old := r.ring[r.at]
	r.ring[r.at] = h
	if r.at++; r.at == len(r.ring) {
		r.at = 0
	}
	if r.count < len(r.ring) {
		r.count++
		old = 0
	}
	if r.onion {
		r.sum = bits.RotateLeft64(r.sum, 1) ^ bits.RotateLeft64(old, len(r.ring)) ^ h
		return r.sum, r.count == len(r.ring)
	}
	r.sum = r.sum*factor + h - old*r.last
	return Mix(r.sum), r.count == len(r.ring)
}

// Roll replaces the hashes of consecutive tokens by those of the n-grams that end
// with them, as Add returns them. The first none tokens end no n-gram.
func (r *Roller) Roll(tokens []uint64) (none int) {
	for len(tokens) > none && r.count < len(r.ring) {
		var ok bool
		if tokens[none], ok = r.Add(tokens[none]); ok {
			r.roll(tokens[none+1:])
			return none
		}
		none++
	}
	if none == 0 {
		r.roll(tokens)
	}
	return none
}

// roll is Roll for tokens of which each ends an n-gram.
func (r *Roller) roll(tokens []uint64) {
	ring, at, sum, n := r.ring, r.at, r.sum, len(r.ring)
	for i, h := range tokens {
		old := ring[at]
		ring[at] = h
		if at++; at == len(ring) {
			at = 0
		}
		if r.onion {
			sum = bits.RotateLeft64(sum, 1) ^ bits.RotateLeft64(old, n) ^ h
			tokens[i] = sum
		} else {
			sum = sum*factor + h - old*r.last
			tokens[i] = Mix(sum)
		}
	}
	r.at, r.sum = at, sum
}

// Mix is a bijection that spreads the bits of a hash.
func Mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// Hash returns the hash of a token.
func Hash(b []byte) uint64 {
	h := uint64(len(b)) * 0xff51afd7ed558ccd
	for ; len(b) >= 8; b = b[8:] {
		h = Step(h, binary.LittleEndian.Uint64(b))
	}
	var rest uint64
	for i, c := range b {
		rest |= uint64(c) << (8 * i)
	}
	return Finish(Step(h, rest))
}

// Step adds eight bytes of a token to its hash.
func Step(h, eight uint64) uint64 {
	h = (h ^ eight) * 0x9E3779B97F4A7C15
	return h ^ h>>32
}

// Finish returns the hash of a token after its last Step.
func Finish(h uint64) uint64 {
	h *= 0xff51afd7ed558ccd
	return h ^ h>>32
}

// Onion returns the hash of onion 1.2.
func Onion(b []byte) (h uint64) {
	for _, c := range b {
		h = bits.RotateLeft64(h^onionTable[c], 1)
	}
	return h
}

// OnionStep adds the first size of eight bytes of a token to the hash of onion 1.2.
// It is branch-free, because the length of a word is poorly predicted: the other
// bytes become 255, whose number is 0.
func OnionStep(h, eight uint64, size int) uint64 {
	eight |= ^uint64(0) << (8 * size)
	all := bits.RotateLeft64(onionTable[byte(eight)], 8) ^ bits.RotateLeft64(onionTable[byte(eight>>8)], 7) ^
		bits.RotateLeft64(onionTable[byte(eight>>16)], 6) ^ bits.RotateLeft64(onionTable[byte(eight>>24)], 5) ^
		bits.RotateLeft64(onionTable[byte(eight>>32)], 4) ^ bits.RotateLeft64(onionTable[byte(eight>>40)], 3) ^
		bits.RotateLeft64(onionTable[byte(eight>>48)], 2) ^ bits.RotateLeft64(onionTable[byte(eight>>56)], 1)
	return bits.RotateLeft64(h, size) ^ bits.RotateLeft64(all, size-8)
}
