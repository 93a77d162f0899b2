package segment

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/otisk/otisk/store"
)

// A seeker looks batches of hashes up in a segment. Nearly all of the time of a
// look-up is waiting for memory, so every step is taken by all hashes of a batch
// before the next one is, in a loop as short as can be: then the processor waits
// for a dozen words at once. What such a loop does besides is paid for as if it
// waited, too: so what to read is worked out in another loop before. file.find
// takes all steps for one hash, and has the same result.
type seeker struct {
	words  []uint64 // of the data: their numbers, and once they are read, what they have
	places []int32  // in the batch, of the hashes that pass the filter
	probes []probe
	found  []found // by rising hash
}

// A probe is the block in which a hash is looked for.
type probe struct {
	chunk *chunk
	hash  uint64 // without the bits of the chunk
	block block
	place int32 // in the batch
	odd   bool  // not as most are: file.key decides
}

// A found is a hash that the segment has.
type found struct {
	place   int // in the batch
	chunk   *chunk
	posting uint64 // the number of its key, and once that is read, its posting
	piece   int    // that the posting is of, if it is an ordinal
}

// newSeeker returns one for batches of so many hashes.
func newSeeker(length int) *seeker {
	return &seeker{words: make([]uint64, 2*length), places: make([]int32, length+1)}
}

// seek puts into found what s has of the hashes. It ensures the pages that it
// reads.
func (k *seeker) seek(s *file, hashes []store.Hash) error {
	k.found = k.found[:0]
	words := k.words[:len(hashes)]
	if !s.aim(hashes, words) {
		if err := s.ensureWords(words); err != nil {
			return err
		}
	}
	s.readWords(words)
	places := k.places[:s.pass(hashes, words, k.places)]
	k.probes = slices.Grow(k.probes[:0], len(places))[:len(places)]
	if err := s.probe(hashes, places, k.probes, k.words); err != nil {
		return err
	}
	s.readWords(k.words[:len(k.probes)])
	if err := s.locate(k.probes, k.words); err != nil {
		return err
	}
	s.readWords(k.words[:2*len(k.probes)])
	var err error
	if k.found, err = s.resolve(hashes, k.probes, k.found); err != nil {
		return err
	}
	if err := s.readFound(k.found, k.words); err != nil {
		return err
	}
	s.findPieces(k.found)
	return nil
}

// aim says which words of the filter the hashes need, as numbers of words of the
// data. sound says whether all pages that have them were checked before.
func (s *file) aim(hashes []store.Hash, words []uint64) (sound bool) {
	const pageBits = pageBits - 3 // of a page, in words
	shift, low := s.chunkShift()&63, s.wordShift()&63
	filters, pages := s.filters, s.sound // or they are read again after each atomic read
	mask, checked := uint64(1)<<shift-1, uint64(1)
	words = words[:len(hashes)]
	for i, hash := range hashes {
		at := filters[hash>>shift] + uint64(hash)&mask>>low
		words[i] = at
		checked &= pages[at>>(pageBits+6)].Load() >> (at >> pageBits & 63)
	}
	return checked != 0
}

// ensureWords ensures the pages that have the words.
func (s *file) ensureWords(words []uint64) error {
	for _, at := range words {
		if err := s.ensure(at*8, at*8+8); err != nil {
			return err
		}
	}
	return nil
}

// readWords reads the words of those numbers.
func (s *file) readWords(words []uint64) {
	data := wordsOf(s.data)
	for i, at := range words {
		words[i] = le.Uint64(data[at][:])
	}
}

// wordsOf returns data as words: to slice it for each would double the time that
// readWords takes.
func wordsOf(data []byte) [][8]byte {
	return unsafe.Slice((*[8]byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/8)
}

// pass puts into places those of the hashes that pass the filter, and returns
// their count. places has room for one more.
func (s *file) pass(hashes []store.Hash, words []uint64, places []int32) (count int) {
	mask := uint64(1)<<(s.chunkShift()&63) - 1
	hashes = hashes[:len(words)]
	for i, word := range words {
		need := filterMask(uint64(hashes[i]) & mask)
		places[count] = int32(i)
		if word&need == need { // without a branch
			count++
		}
	}
	return count
}

// probe makes probes of the hashes that pass, and says which words have the
// numbers of keys of their blocks.
func (s *file) probe(hashes []store.Hash, places []int32, probes []probe, words []uint64) error {
	chunkShift, shift := s.chunkShift()&63, (s.lowBits()+blockBits)&63
	for i, place := range places {
		p, h := &probes[i], uint64(hashes[place])
		p.chunk, p.hash, p.place = &s.chunks[h>>chunkShift], h&(1<<chunkShift-1), place
		from, to := s.relOf(p.chunk, p.hash>>shift)
		if !s.ensured(from, to) {
			if err := s.ensure(from, to); err != nil {
				return err
			}
		}
		words[i] = from / 8
	}
	return nil
}

// locate finds the blocks, and says which words are their first and last ones:
// with those, all of a block is in the cache.
func (s *file) locate(probes []probe, words []uint64) (err error) {
	shift, width := (s.lowBits()+blockBits)&63, s.lowBits()
	for i := range probes {
		p := &probes[i]
		if p.odd = p.chunk.wide; p.odd {
			p.block = block{}
		} else if p.block, err = s.block(p.chunk, p.hash>>shift); err != nil {
			return err
		} else if err := s.ensureBlock(p.block); err != nil {
			return err
		}
		words[2*i], words[2*i+1] = p.block.unary/64, p.block.endBit(width)/64
	}
	return nil
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
			list = append(list, found{place: int(p.place), chunk: p.chunk, posting: key})
		}
	}
	return list, nil
}

// keyIn does what file.key does, but that it has no branch that depends on the
// hash unless it is there. odd means that the block is not as most are.
func (s *file) keyIn(p *probe) (key uint64, ok, odd bool) {
	width, keys := uint64(s.lowBits()), p.block.to-p.block.from
	bucket := p.hash >> (width & 63) & (1<<blockBits - 1)
	unary := load(s.data, p.block.unary)
	start := selectBit(^unary<<1|1, bucket) // after the zero that ends the sub-bucket before
	count := uint64(bits.TrailingZeros64(^(unary >> (start & 63))))
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
func (s *file) readFound(list []found, words []uint64) (err error) {
	for i, f := range list {
		words[i] = (f.chunk.postings*8 + f.posting*uint64(f.chunk.postingBits)) / 64
	}
	s.readWords(words[:len(list)])
	for i := range list {
		if list[i].posting, err = s.ensurePosting(list[i].chunk, list[i].posting); err != nil {
			return err
		}
	}
	return nil
}

// findPieces does what pieceOf does, for all at once. What it reads is checked
// where it is used.
func (s *file) findPieces(list []found) {
	table := s.table
	for left := s.pieces; left > 1; {
		half := left / 2
		for i := range list {
			f := &list[i]
			next := f.piece + half
			if uint64(le.Uint32(table[next*pieceSize:])) <= f.posting { // without a branch
				f.piece = next
			}
		}
		left -= half
	}
}
