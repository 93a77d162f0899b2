package segment

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/otisk/otisk/store"
)

// A seeker looks up batches of hashes in a segment. Nearly all of the time of a look-up is
// spent waiting for memory. So each step is done for all hashes of a batch before the next
// step, in loops as short as possible: the processor then waits for a dozen words at once.
// Other work in such a loop costs as much as waiting, so addresses are computed in a loop
// before it. file.find does all steps for one hash, with the same result.
type seeker struct {
	words  []uint64 // indices of words of the data, replaced by the words
	places []int32  // indices in the batch of the hashes that pass the filter
	probes []probe
	found  []found // by ascending hash
}

// A probe is a hash with the block that may contain it.
type probe struct {
	chunk *chunk
	hash  uint64 // without the bits that select the chunk
	block block
	place int32 // index in the batch
	odd   bool  // unusual: file.key decides
}

// A found is a hash that the segment contains.
type found struct {
	place   int // index in the batch
	chunk   *chunk
	posting uint64 // number of its key, replaced by its posting
	piece   int    // piece of the posting, if that is an ordinal
}

// newSeeker returns a seeker for batches of up to length hashes.
func newSeeker(length int) *seeker {
	return &seeker{words: make([]uint64, 2*length), places: make([]int32, length+1)}
}

// seek sets k.found to the hashes that s contains. It checks the pages that it reads.
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

// aim computes the words of the filter that the hashes need, as indices of words of the
// data. sound reports whether all their pages were checked before.
func (s *file) aim(hashes []store.Hash, words []uint64) (sound bool) {
	const pageBits = pageBits - 3 // of a page, in words
	shift, low := s.chunkShift()&63, s.wordShift()&63
	filters, pages := s.filters, s.sound // kept in registers: they would be reloaded after each atomic read
	mask, checked := uint64(1)<<shift-1, uint64(1)
	words = words[:len(hashes)]
	for i, hash := range hashes {
		at := filters[hash>>shift] + uint64(hash)&mask>>low
		words[i] = at
		checked &= pages[at>>(pageBits+6)].Load() >> (at >> pageBits & 63)
	}
	return checked != 0
}

// ensureWords checks the pages of the words.
func (s *file) ensureWords(words []uint64) error {
	for _, at := range words {
		if err := s.ensure(at*8, at*8+8); err != nil {
			return err
		}
	}
	return nil
}

// readWords replaces each index of a word by the word.
func (s *file) readWords(words []uint64) {
	data := wordsOf(s.data)
	for i, at := range words {
		words[i] = le.Uint64(data[at][:])
	}
}

// wordsOf returns data as words: slicing it for each word would double the time of
// readWords.
func wordsOf(data []byte) [][8]byte {
	return unsafe.Slice((*[8]byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/8)
}

// pass sets places to the indices of the hashes that pass the filter, and returns their
// count. places must have room for one more.
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

// probe makes probes of the hashes that passed, and computes the indices of the words with
// the key counts of their blocks.
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

// locate finds the blocks, and computes the indices of their first and last words. Reading
// these brings all of the block into the cache.
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

// keyIn does the same as file.key without a branch that depends on the hash, unless it is
// found. odd is true for unusual blocks, which file.key must read.
func (s *file) keyIn(p *probe) (key uint64, ok, odd bool) {
	width, keys := uint64(s.lowBits()), p.block.to-p.block.from
	bucket := p.hash >> (width & 63) & (1<<blockBits - 1)
	unary := load(s.data, p.block.unary)
	start := selectBit(^unary<<1|1, bucket) // after the zero that ends the previous sub-bucket
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

// readFound reads the postings of the found hashes.
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

// findPieces does the same as pieceOf, for all hashes at once. Pages are checked where the
// result is used.
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
