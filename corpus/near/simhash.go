package near

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/lang/phrase"
)

// A simhash has 384 bits: each is 1 if it is set in the SHA-384 of at least half of the
// words of a document. The order of the words does not matter.
const (
	simWords    = 6
	simBits     = 64 * simWords
	mostDistant = simWords - 1
)

// A simhasher computes the simhashes of documents. It stores the counters as bit
// planes: plane i has bit i of all 384 counters, so that a word is added to all of
// them at once.
type simhasher struct {
	known  map[string]*[simWords]uint64 // SHA-384 of words
	planes [32][simWords]uint64
}

const mostKnown = 1 << 18

func newSimhasher() *simhasher { return &simhasher{known: map[string]*[simWords]uint64{}} }

// document returns the simhash of a document, or an empty signature if it has no words.
func (s *simhasher) document(d *corpus.Doc) (signature, error) {
	s.planes = [32][simWords]uint64{}
	sig := signature{}
	d.Words(func(word []byte, _ int) {
		s.add(s.hash(word))
		sig.words++
	})
	if sig.words > 0 {
		sig.set = s.majority(sig.words)
	}
	return sig, nil
}

func (s *simhasher) hash(word []byte) *[simWords]uint64 {
	if h, ok := s.known[string(word)]; ok {
		return h
	}
	if len(s.known) == mostKnown {
		clear(s.known)
	}
	sum := sha512.Sum384(word)
	h := new([simWords]uint64)
	for i := range h {
		h[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	s.known[string(word)] = h
	return h
}

// add increments the counters of the bits set in h.
func (s *simhasher) add(h *[simWords]uint64) {
	carry := *h
	for i := range s.planes {
		p, left := &s.planes[i], uint64(0)
		for j := range carry {
			p[j], carry[j] = p[j]^carry[j], p[j]&carry[j]
			left |= carry[j]
		}
		if left == 0 {
			return
		}
	}
}

// majority returns the bits that are set in at least half of the words.
func (s *simhasher) majority(words uint32) []uint64 {
	sum := make([]uint64, simWords)
	for bit := range simBits {
		count := uint32(0)
		for i := range s.planes {
			count |= uint32(s.planes[i][bit/64]>>(bit%64)&1) << i
		}
		if 2*uint64(count) >= uint64(words) {
			sum[bit/64] |= 1 << (bit % 64)
		}
	}
	return sum
}

// simhashPairs finds the pairs of documents whose simhashes differ in few bits. If at
// most five bits differ, one of the six 64-bit words is equal, so only documents that
// share such a word are compared.
func (d *Data) simhashPairs(ctx context.Context) (pairs []Pair, err error) {
	if d.o.Distance > mostDistant || d.o.Distance < 0 {
		return nil, phrase.Error("corpus.distance", "simhash distance of {bits} bits is out of range; want 0 to {most}", "bits", d.o.Distance, "most", mostDistant)
	}
	var docs []uint32
	sums := make([][simWords]uint64, len(d.Docs))
	err = d.eachBatch(func(b *batch) bool {
		b.each(func(doc int, hashes []uint64) {
			if len(hashes) == simWords {
				docs = append(docs, uint32(doc))
				copy(sums[doc][:], hashes)
			}
		})
		return ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	for word := range simWords {
		slices.SortFunc(docs, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(sums[a][word], sums[b][word]), cmp.Compare(a, b))
		})
		for start := 0; start < len(docs); {
			end := start + 1
			for end < len(docs) && sums[docs[end]][word] == sums[docs[start]][word] {
				end++
			}
			if pairs = d.comparePairs(pairs, sums, docs[start:end], word); len(pairs) > d.o.mostPairs() {
				return nil, tooManyPairs(d.o.mostPairs())
			}
			start = end
		}
		d.o.progress("compare", int64(word+1), simWords)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	slices.SortFunc(pairs, byNumbers)
	return pairs, nil
}

// comparePairs compares documents whose simhashes share a word, and skips pairs that
// share an earlier word.
func (d *Data) comparePairs(pairs []Pair, sums [][simWords]uint64, docs []uint32, word int) []Pair {
	for i, a := range docs {
		for _, b := range docs[i+1:] {
			before, distance := false, 0
			for w := range simWords {
				before = before || w < word && sums[a][w] == sums[b][w]
				distance += bits.OnesCount64(sums[a][w] ^ sums[b][w])
			}
			if !before && distance <= d.o.Distance {
				pairs = append(pairs, Pair{a, b, uint32(distance)})
			}
		}
	}
	return pairs
}
