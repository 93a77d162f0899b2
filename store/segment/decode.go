package segment

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/otisk/otisk/lang/phrase"
)

// fewKeys is how many keys of a sub-bucket are compared one by one. The average is one or
// two.
const fewKeys = 8

// A block locates the keys of one block of a chunk.
type block struct {
	from, to uint64 // numbers of keys in the chunk
	unary    uint64 // offset in bits
	low      uint64 // offset in bits
}

// endBit returns the first bit after the block.
func (b block) endBit(lowBits uint) uint64 { return b.low + (b.to-b.from)*uint64(lowBits) }

// relOf returns the range of bytes of rel for block b of chunk c.
func (s *file) relOf(c *chunk, b uint64) (from, to uint64) {
	if c.wide {
		return c.rel + b*4, c.rel + b*4 + 8
	}
	return c.rel + b*2, c.rel + b*2 + 4
}

// block locates block b of chunk c.
func (s *file) block(c *chunk, b uint64) (block, error) {
	at, _ := s.relOf(c, b)
	if c.wide {
		return s.blockOf(c, b, uint64(le.Uint32(s.data[at:])), uint64(le.Uint32(s.data[at+4:])))
	}
	return s.blockOf(c, b, uint64(le.Uint16(s.data[at:])), uint64(le.Uint16(s.data[at+2:])))
}

// blockOf locates block b of chunk c, which has the keys [from, to).
func (s *file) blockOf(c *chunk, b, from, to uint64) (block, error) {
	if from > to || to > uint64(c.keys) {
		return block{}, s.damagedAt(c, "damage.block-keys", "block {block} has keys {from} to {to} of {all}", "block", b, "from", from, "to", to, "all", c.keys)
	}
	unary := c.blocks*8 + from*uint64(s.lowBits()+1) + b<<blockBits
	return block{from, to, unary, unary + to - from + 1<<blockBits}, nil
}

func (s *file) damagedAt(c *chunk, message, text string, args ...any) error {
	return damaged(s.path, "damage.chunk", "chunk at byte {byte}: {what}", "byte", c.offset, "what", phrase.Error(message, text, args...))
}

// filterAt returns the offset of the filter word of a hash, and the bits that the hash sets
// there.
func (s *file) filterAt(hash uint64) (at, mask uint64) {
	shift := s.chunkShift() & 63
	h := hash & (1<<shift - 1)
	return s.chunks[hash>>shift].filter + h>>(s.wordShift()&63)*8, filterMask(h)
}

// key returns the number of the key of the hash h in its chunk. It checks the pages that it
// reads.
func (s *file) key(h uint64) (c *chunk, key uint64, ok bool, err error) {
	shift := s.chunkShift()
	c = &s.chunks[h>>shift]
	h &= 1<<shift - 1
	low := s.lowBits()
	b := h >> (low + blockBits)
	if from, to := s.relOf(c, b); !s.ensured(from, to) {
		if err := s.ensure(from, to); err != nil {
			return c, 0, false, err
		}
	}
	bl, err := s.block(c, b)
	if err != nil || bl.from == bl.to {
		return c, 0, false, err
	}
	if err := s.ensureBlock(bl); err != nil {
		return c, 0, false, err
	}
	first, count, err := s.bucket(c, bl, int(h>>low&(1<<blockBits-1)))
	if err != nil {
		return c, 0, false, err
	}
	i, ok := s.search(bl.low+first*uint64(low), count, h&(1<<low-1))
	return c, bl.from + first + i, ok, nil
}

// ensureBlock checks the pages of a block.
func (s *file) ensureBlock(bl block) error {
	from, to := bl.unary/8, bl.endBit(s.lowBits())/8+8
	if s.ensured(from, to) {
		return nil
	}
	return s.ensure(from, to)
}

// ensurePosting is posting, and checks the page.
func (s *file) ensurePosting(c *chunk, key uint64) (uint64, error) {
	if at := (c.postings*8 + key*uint64(c.postingBits)) / 8; !s.ensured(at, at+8) {
		if err := s.ensure(at, at+8); err != nil {
			return 0, err
		}
	}
	return s.posting(c, key), nil
}

// bucket returns the number of keys before sub-bucket r of a block, and in it.
func (s *file) bucket(c *chunk, bl block, r int) (before, count uint64, err error) {
	length := bl.low - bl.unary
	start := uint64(0)
	if r > 0 {
		zero, ok := nthZero(s.data, bl.unary, length, r-1)
		if !ok {
			return 0, 0, s.damagedAt(c, "damage.block-buckets", "a block has too few sub-buckets")
		}
		start = zero + 1
	}
	end, ok := nthZero(s.data, bl.unary+start, length-start, 0)
	if before = start - uint64(r); !ok || before+end > bl.to-bl.from {
		return 0, 0, s.damagedAt(c, "damage.block-buckets", "a block has too few sub-buckets")
	}
	return before, end, nil
}

// search finds low among count ascending values of lowBits bits, starting at bit.
func (s *file) search(bit, count, low uint64) (i uint64, ok bool) {
	width := uint64(s.lowBits())
	mask := uint64(1)<<width - 1
	if count > fewKeys {
		i = uint64(sort.Search(int(count), func(i int) bool { return load(s.data, bit+uint64(i)*width)&mask >= low }))
		return i, i < count && load(s.data, bit+i*width)&mask == low
	}
	for i := range count {
		if load(s.data, bit+i*width)&mask == low {
			return i, true
		}
	}
	return 0, false
}

// posting returns the posting of a key of c.
func (s *file) posting(c *chunk, key uint64) uint64 {
	return load(s.data, c.postings*8+key*uint64(c.postingBits)) & (1<<c.postingBits - 1)
}

// A cursor yields the ordinals of one key in ascending order.
type cursor struct {
	file   *file
	chunk  *chunk
	single uint64 // the only ordinal, if entry is entrySingle
	entry  uint64 // next entry of lists, or one of the constants below
	sound  uint64 // bytes of the file before this were checked
}

const (
	entrySingle = 1<<64 - 1 - iota
	entryNone
)

// cursor returns a cursor over the ordinals of a posting.
func (s *file) cursor(c *chunk, posting uint64) cursor {
	if posting < s.grams {
		return cursor{file: s, chunk: c, single: posting, entry: entrySingle}
	}
	return cursor{file: s, chunk: c, entry: posting - s.grams}
}

// next returns the next ordinal; ok is false after the last.
func (p *cursor) next() (ordinal uint64, ok bool, err error) {
	switch p.entry {
	case entryNone:
		return 0, false, nil
	case entrySingle:
		p.entry = entryNone
		return p.single, true, nil
	}
	x, err := p.listed()
	if err != nil {
		return 0, false, err
	}
	width := uint64(p.file.listBits())
	if p.entry++; p.entry%stretch == 0 {
		from := p.chunk.offset + (p.entry-stretch)*width/8
		p.file.giveBack(from, from+stretch*width/8)
	}
	if x&1 != 0 {
		p.entry = entryNone
	}
	if x>>1 >= p.file.grams {
		return 0, false, p.file.damagedAt(p.chunk, "damage.list-gram", "a list has n-gram {gram} of {all}", "gram", x>>1, "all", p.file.grams)
	}
	return x >> 1, true, nil
}

// listed returns the next entry of lists.
func (p *cursor) listed() (uint64, error) {
	if p.entry >= uint64(p.chunk.listed) {
		return 0, p.file.damagedAt(p.chunk, "damage.list-end", "a list runs over the end")
	}
	width := uint64(p.file.listBits())
	bit := p.chunk.offset*8 + p.entry*width
	if end := bit/8 + 8; end > p.sound {
		if err := p.file.ensure(bit/8, end); err != nil {
			return 0, err
		}
		p.sound = (end + 1<<pageBits - 1) >> pageBits << pageBits
	}
	return load(p.file.data, bit) & (1<<width - 1), nil
}

// pruned reports whether a key has a number of documents in place of ordinals, and returns
// it. Only pairs can.
func (p *cursor) pruned() (documents uint64, ok bool, err error) {
	if p.file.n != pairList || p.entry == entrySingle {
		return 0, false, nil
	}
	x, err := p.listed()
	return x >> 1, x&1 != 0, err
}

// A batch holds the keys of a block, ascending, with their postings.
type batch struct {
	chunk          *chunk
	keys, postings []uint64
}

// walkBlocks calls visit with the keys of each block in [lo, hi), in ascending order. The
// chunks must be checked before. A batch is valid during the call only.
func (s *file) walkBlocks(lo, hi uint64, visit func(*batch) error) error {
	blockShift := s.lowBits() + blockBits
	perChunk := s.hb - s.cb - blockBits
	var all batch
	for b := lo >> blockShift; b <= (hi-1)>>blockShift; b++ {
		all.chunk = &s.chunks[b>>perChunk]
		bl, err := s.block(all.chunk, b&(1<<perChunk-1))
		if err == nil {
			err = s.readBlock(&all, bl, b<<blockBits)
		}
		if err == nil {
			some := all.between(lo, hi)
			err = visit(&some)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// between returns the part of b with keys in [lo, hi).
func (b *batch) between(lo, hi uint64) batch {
	from, to := 0, len(b.keys)
	for from < to && b.keys[from] < lo {
		from++
	}
	for from < to && b.keys[to-1] >= hi {
		to--
	}
	return batch{b.chunk, b.keys[from:to], b.postings[from:to]}
}

// readBlock reads a block into b. bucket is its first sub-bucket.
func (s *file) readBlock(b *batch, bl block, bucket uint64) error {
	count, last := bl.to-bl.from, bucket+1<<blockBits
	b.keys = slices.Grow(b.keys[:0], int(count))[:count]
	b.postings = slices.Grow(b.postings[:0], int(count))[:count]
	width, bit := uint64(s.lowBits()), bl.low
	mask := uint64(1)<<width - 1
	i := uint64(0)
	for at := bl.unary; at < bl.low; at += 56 {
		word := load(s.data, at) & (1<<min(56, bl.low-at) - 1)
		for ; word != 0; word &= word - 1 {
			of := bucket + at - bl.unary + uint64(bits.TrailingZeros64(word)) - i // each key is preceded by the zeros that end its predecessors' sub-buckets
			if i >= uint64(len(b.keys)) || of >= last {
				return s.damagedAt(b.chunk, "damage.many-keys", "a block has too many keys")
			}
			b.keys[i] = of<<width | load(s.data, bit)&mask
			bit += width
			i++
		}
	}
	if i != count {
		return s.damagedAt(b.chunk, "damage.few-keys", "a block has too few keys")
	}
	s.readPostings(b, bl.from)
	return nil
}

// readPostings reads the postings of the keys of b, starting with key number from.
func (s *file) readPostings(b *batch, from uint64) {
	width := uint64(b.chunk.postingBits)
	mask, bit := uint64(1)<<width-1, b.chunk.postings*8+from*width
	for i := range b.postings {
		b.postings[i] = load(s.data, bit) & mask
		bit += width
	}
}
