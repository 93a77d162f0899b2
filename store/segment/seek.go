package segment

import (
	"math/bits"

	"github.com/otisk/otisk/store"
)

// A seeker looks batches of hashes up in a segment. Nearly all of the time of a
// look-up is waiting for memory, so every step is taken by all hashes of a batch
// before the next one is, in a loop as short as can be: then the processor waits
// for a dozen words at once. file.find takes all steps for one hash, and has the
// same result.
type seeker struct {
	gates  []gate
	probes []probe
	found  []found // by rising hash
}

// A gate is the word of the filter that a hash has to pass.
type gate struct {
	word uint64 // where in the data it is, and once that is read, the word
	mask uint64 // of the bits that the hash needs
}

// A probe is the block in which a hash is looked for.
type probe struct {
	chunk *chunk
	hash  uint64 // without the bits of the chunk
	rel   uint64 // where in the data the number of its keys is, and once that is read, it
	block block
	bits  uint64 // of the block, from unary on
	place int32  // in the batch
	odd   bool   // not as most are: file.key decides
	last  byte   // of the block
}

// A found is a hash that the segment has.
type found struct {
	place   int // in the batch
	chunk   *chunk
	posting uint64 // the number of its key, and once that is read, its posting
}

// newSeeker returns one for batches of so many hashes.
func newSeeker(length int) *seeker {
	return &seeker{gates: make([]gate, length), probes: make([]probe, length)}
}

// seek puts into found what s has of the hashes. It ensures the pages that it
// reads.
func (k *seeker) seek(s *file, hashes []store.Hash) error {
	k.found = k.found[:0]
	gates := k.gates[:len(hashes)]
	if !s.aim(hashes, gates) {
		if err := s.ensureGates(gates); err != nil {
			return err
		}
	}
	s.readGates(gates)
	probes := k.probes[:s.pass(hashes, gates, k.probes)]
	if err := s.readRel(probes); err != nil {
		return err
	}
	if err := s.locate(probes); err != nil {
		return err
	}
	s.touch(probes)
	var err error
	if k.found, err = s.resolve(hashes, probes, k.found); err != nil {
		return err
	}
	return s.readFound(k.found)
}

// aim says where the words of the filter are. sound says whether all pages
// that have them were checked before.
func (s *file) aim(hashes []store.Hash, gates []gate) (sound bool) {
	shift, low := s.chunkShift()&63, s.wordShift()&63
	chunks, pages := s.chunks, s.sound // or they are read again after each atomic read
	checked := uint64(1)
	for i, hash := range hashes {
		h := uint64(hash) & (1<<shift - 1)
		at := chunks[hash>>shift].filter + h>>low*8
		gates[i] = gate{at, filterMask(h)}
		checked &= pages[at>>(pageBits+6)].Load() >> (at >> pageBits & 63)
	}
	return checked != 0
}

// ensureGates ensures the pages that have the words.
func (s *file) ensureGates(gates []gate) error {
	for _, g := range gates {
		if err := s.ensure(g.word, g.word+8); err != nil {
			return err
		}
	}
	return nil
}

func (s *file) readGates(gates []gate) {
	data := s.data
	for i := range gates {
		gates[i].word = le.Uint64(data[gates[i].word:])
	}
}

// pass makes probes of the hashes that pass, and returns their count.
func (s *file) pass(hashes []store.Hash, gates []gate, probes []probe) (count int) {
	shift := s.chunkShift() & 63
	for i, g := range gates {
		p := &probes[count]
		p.hash, p.place = uint64(hashes[i])&(1<<shift-1), int32(i)
		if g.word&g.mask == g.mask { // without a branch
			count++
		}
	}
	for i := range count {
		p := &probes[i]
		p.chunk = &s.chunks[hashes[p.place]>>shift]
	}
	return count
}

// readRel reads which keys the blocks have.
func (s *file) readRel(probes []probe) error {
	shift := (s.lowBits() + blockBits) & 63
	for i := range probes {
		p := &probes[i]
		from, to := s.relOf(p.chunk, p.hash>>shift)
		if !s.ensured(from, to) {
			if err := s.ensure(from, to); err != nil {
				return err
			}
		}
		p.rel, p.odd = from, p.chunk.wide
	}
	data := s.data
	for i := range probes {
		probes[i].rel = uint64(le.Uint32(data[probes[i].rel:]))
	}
	return nil
}

// locate finds the blocks.
func (s *file) locate(probes []probe) (err error) {
	shift := (s.lowBits() + blockBits) & 63
	for i := range probes {
		p := &probes[i]
		if p.odd {
			p.block = block{}
			continue
		}
		if p.block, err = s.blockOf(p.chunk, p.hash>>shift, p.rel&0xffff, p.rel>>16); err != nil {
			return err
		}
		if err := s.ensureBlock(p.block); err != nil {
			return err
		}
	}
	return nil
}

// touch reads the first and the last bytes of each block, so that all of it is
// in the cache afterwards.
func (s *file) touch(probes []probe) {
	data, width := s.data, s.lowBits()
	for i := range probes {
		p := &probes[i]
		p.bits, p.last = load(data, p.block.unary), data[p.block.endBit(width)>>3]
	}
}

// resolve finds the keys.
func (s *file) resolve(hashes []store.Hash, probes []probe, list []found) ([]found, error) {
	for i := range probes {
		p := &probes[i]
		key, ok, odd := s.keyIn(p)
		if odd {
			var err error
			if _, key, ok, err = s.key(uint64(hashes[p.place])); err != nil {
				return list, err
			}
		}
		if ok {
			list = append(list, found{int(p.place), p.chunk, key})
		}
	}
	return list, nil
}

// keyIn does what file.key does, but that it has no branch that depends on the
// hash unless it is there. odd means that the block is not as most are.
func (s *file) keyIn(p *probe) (key uint64, ok, odd bool) {
	width, keys := uint64(s.lowBits()), p.block.to-p.block.from
	bucket := p.hash >> (width & 63) & (1<<blockBits - 1)
	start := selectBit(^p.bits<<1|1, bucket) // after the zero that ends the sub-bucket before
	count := uint64(bits.TrailingZeros64(^(p.bits >> (start & 63))))
	before := start - bucket
	if p.odd || keys > 56-1<<blockBits || count > 3 || before+count > keys {
		return 0, false, true
	}
	at, mask := p.block.low+before*width, uint64(1)<<(width&63)-1
	first := (load(s.data, at) ^ p.hash) & mask
	second := (load(s.data, at+width) ^ p.hash) & mask
	third := (load(s.data, at+2*width) ^ p.hash) & mask
	if first != 0 && second != 0 && third != 0 {
		return 0, false, false
	}
	i := uint64(0)
	for i < 3 && [3]uint64{first, second, third}[i] != 0 {
		i++
	}
	return p.block.from + before + i, i < count, false
}

// readFound reads the postings of what was found.
func (s *file) readFound(list []found) (err error) {
	for i := range list {
		if list[i].posting, err = s.ensurePosting(list[i].chunk, list[i].posting); err != nil {
			return err
		}
	}
	return nil
}
