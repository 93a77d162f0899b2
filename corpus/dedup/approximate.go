package dedup

import (
	"context"
	"math"
	"math/bits"

	"github.com/otisk/otisk/corpus/roll"
)

// A filter is a blocked Bloom filter of n-grams: it has false positives, but no
// false negatives.
//
// All bits of an n-gram are in one block of 512, so that a query reads one cache
// line.
type filter struct {
	words []uint64
	mask  uint64
}

const (
	filterBlock = 8 // words
	filterBits  = 8 // that an n-gram sets
)

func newFilter(memory int64) *filter {
	size := uint64(filterBlock)
	for size*16 <= uint64(memory) {
		size *= 2
	}
	return &filter{make([]uint64, size), size/filterBlock - 1}
}

// each calls fn with each word and the bit that stands for hash there, until it
// returns false.
func (f *filter) each(hash uint64, fn func(word *uint64, bit uint64) bool) {
	block := f.words[(roll.Mix(hash)&f.mask)*filterBlock:][:filterBlock]
	for more := roll.Mix(hash ^ 0xC2B2AE3D27D4EB4F); ; more = roll.Mix(more) {
		for shift := 0; shift < 54; shift += 9 {
			place := more >> shift & 511
			if !fn(&block[place>>6], 1<<(place&63)) {
				return
			}
		}
	}
}

func (f *filter) contains(hash uint64) bool {
	count, all := 0, true
	f.each(hash, func(word *uint64, bit uint64) bool {
		all = *word&bit != 0
		count++
		return all && count < filterBits
	})
	return all
}

func (f *filter) add(hash uint64) {
	count := 0
	f.each(hash, func(word *uint64, bit uint64) bool {
		*word |= bit
		count++
		return count < filterBits
	})
}

// falseRate estimates the rate of false positives from the number of bits set in
// the blocks.
func (f *filter) falseRate() float64 {
	sum, blocks := 0.0, 0
	step := max(1, len(f.words)/filterBlock/10_000)
	for b := 0; b < len(f.words)/filterBlock; b += step {
		full := 0
		for _, w := range f.words[b*filterBlock:][:filterBlock] {
			full += bits.OnesCount64(w)
		}
		sum += math.Pow(float64(full)/(64*filterBlock), filterBits)
		blocks++
	}
	return sum / float64(blocks)
}

func (r *run) approximate(ctx context.Context) error {
	s := &sieve{run: r, kept: newFilter(r.o.Memory / 2), local: map[uint64]struct{}{}}
	done := int64(0)
	p := pass{
		run: r, hash: true,
		turn: func(b *block) error {
			if r.report(b); !b.Over {
				s.block(b)
			}
			done += int64(len(b.Data))
			r.progress(1, done)
			return nil
		},
		finish: func(b *block) { r.format(b) },
		write:  func(b *block) error { return r.write(b.file, b.out) },
	}
	err := p.walk(ctx)
	r.sum.FalseRate = s.kept.falseRate()
	return err
}

type sieve struct {
	run   *run
	kept  *filter
	local map[uint64]struct{} // n-grams of the document
	seen  []uint32
}

// mostLocal is how many n-grams a document may have for their table to be used again: to
// clear a large one for each small document after it would take longer than all else.
const mostLocal = 1 << 16

func (s *sieve) block(b *block) {
	grams := b.grams
	for i := range b.docs {
		_, end := b.end(i)
		count := 0
		for count < len(grams) && grams[count].token < end {
			count++
		}
		s.document(b, i, grams[:count])
		grams = grams[count:]
	}
}

// document decides what to drop from document i of a block, whose n-grams are grams.
func (s *sieve) document(b *block, i int, grams []gram) {
	if len(s.local) > mostLocal {
		s.local = map[uint64]struct{}{}
	}
	clear(s.local)
	s.seen = s.seen[:0]
	for _, g := range grams {
		_, here := s.local[g.hash]
		if here || s.kept.contains(g.hash) {
			s.seen = append(s.seen, g.token-b.docs[i].token)
		}
		s.local[g.hash] = struct{}{}
	}
	s.run.judge(b, i, s.seen)
	b.addKept(i, grams, s.kept)
}

func (b *block) addKept(i int, grams []gram, f *filter) {
	end, _ := b.end(i)
	for p := b.docs[i].par; p < end; p++ {
		last := b.pars[p].token + b.tokens(p)
		for len(grams) > 0 && grams[0].token < last {
			if !b.pars[p].bad {
				f.add(grams[0].hash)
			}
			grams = grams[1:]
		}
	}
}
