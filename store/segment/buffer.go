package segment

import (
	"slices"

	"github.com/otisk/otisk/store"
)

const (
	// blockLen is how many entries a buffer hands to a bucket at once.
	blockLen = 256
	// maxBucket is how many entries of a bucket make the buffer full: some of them
	// are sorted in memory. Text does not fill one so, unless it repeats itself.
	maxBucket = 2 << 20
	// leastBlocks is how many blocks a buffer has at least: all pairs that
	// share a place must fit into an empty one.
	leastBlocks = store.PairBlock
)

type entries [blockLen]uint64

// A buffer collects the n-grams that one Add after another brings, a run for
// each n. Where it is full, its runs go to a spill; a commit makes segments of
// all of them. Entries go at once to the bucket of their top bits: sorting some
// buckets at a time stays in the processor's cache, and one word holds the rest
// of the hash and the ordinal.
type buffer struct {
	capacity uint64 // entries
	budget   int    // blocks that may still be made
	free     []*entries
	runs     map[int]*run

	spill   *spill // nil until the buffer is full
	spilled []*run // what it has, in the order of time
}

// A run is what a buffer has of one list until it is full: n-grams of n words, or
// pairs.
type run struct {
	full    geometry // of a run that fills the buffer; its cb is that of the buckets
	n       int
	grams   uint64 // ordinals
	entries uint64
	pieces  []piece
	buckets []bucket
	spill   *spill // that has the entries; nil while they are in memory

	bucketShift, entryShift uint // those of full
}

type bucket struct {
	last   *entries // of blocks, where the next entry goes unless it is full
	count  int
	blocks []*entries

	offset int64  // in the spill
	sum    uint32 // crc32c of what is there
}

// part returns block j, without the room after the last entry.
func (b *bucket) part(j int) []uint64 { return b.blocks[j][:min(blockLen, b.count-j*blockLen)] }

// newBuffer returns a buffer that holds at most so many bytes of entries, but
// not less than a few blocks.
func newBuffer(memory int64) *buffer {
	blocks := max(leastBlocks, min(memory/(8*blockLen), 1<<30/blockLen))
	return &buffer{capacity: uint64(blocks * blockLen), budget: int(blocks), runs: map[int]*run{}}
}

// add takes hashes of n words, which are those of document number from position
// base on, until the buffer is full. It returns how many it took.
func (b *buffer) add(n int, number uint64, base uint32, hashes []store.Hash) (took int) {
	r := b.run(n)
	buckets, shift, ordinal := r.buckets, r.bucketShift&63, r.grams
	for ; took < len(hashes); took++ { // without a call for each
		h := hashes[took]
		at := &buckets[h>>shift]
		place := at.count % blockLen
		if place == 0 && !b.lengthen(at) {
			break
		}
		at.last[place] = uint64(h)<<(r.entryShift&63) | ordinal
		at.count++
		ordinal++
	}
	r.entries += uint64(took)
	r.note(number, base, took)
	return took
}

// addPairs takes the pairs of one block of document number. It reports whether
// there was room for all of them; if not, it takes none. Of equal ones the
// segment will have one.
func (b *buffer) addPairs(number uint64, block uint32, pairs []store.Hash) bool {
	r := b.run(pairList)
	crowded := func(p store.Hash) bool { return r.bucket(p).count > maxBucket-len(pairs) }
	if b.budget+len(b.free) < len(pairs) || r.entries >= uint64(maxBucket-len(pairs)) && slices.ContainsFunc(pairs, crowded) {
		return false
	}
	buckets, shift, ordinal := r.buckets, r.bucketShift&63, r.grams
	for _, p := range pairs {
		at := &buckets[p>>shift]
		place := at.count % blockLen
		if place == 0 {
			b.lengthen(at) // there is room
		}
		at.last[place] = uint64(p)<<(r.entryShift&63) | ordinal
		at.count++
	}
	r.entries += uint64(len(pairs))
	r.note(number, block, 1)
	return true
}

// lengthen gives a bucket another block, unless it has too many or there is
// none.
func (b *buffer) lengthen(at *bucket) bool {
	if at.count >= maxBucket {
		return false
	}
	block := b.take()
	if block == nil {
		return false
	}
	at.last, at.blocks = block, append(at.blocks, block)
	return true
}

// bucket returns the bucket of a hash.
func (r *run) bucket(h store.Hash) *bucket { return &r.buckets[uint64(h)>>(r.bucketShift&63)] }

// run returns the run of n.
func (b *buffer) run(n int) *run {
	r := b.runs[n]
	if r == nil {
		r = &run{full: geometryFor(n, b.capacity, b.capacity), n: n}
		r.bucketShift, r.entryShift = r.full.chunkShift(), r.full.entryShift()
		r.buckets = make([]bucket, r.full.chunks())
		b.runs[n] = r
	}
	return r
}

// take returns an empty block, nil if there is none.
func (b *buffer) take() *entries {
	if last := len(b.free) - 1; last >= 0 {
		block := b.free[last]
		b.free = b.free[:last]
		return block
	}
	if b.budget == 0 {
		return nil
	}
	b.budget--
	return new(entries)
}

// note says whose the next count ordinals are.
func (r *run) note(number uint64, base uint32, count int) {
	if count == 0 {
		return
	}
	last := len(r.pieces) - 1
	if last < 0 || r.pieces[last].number != number {
		r.pieces = append(r.pieces, piece{uint32(r.grams), base, number})
	}
	r.grams += uint64(count)
}

// lists returns the runs of each list, those that were spilled first.
func (b *buffer) lists() map[int][]*run {
	lists := map[int][]*run{}
	for _, r := range b.spilled {
		lists[r.n] = append(lists[r.n], r)
	}
	for n, r := range b.runs {
		if r.grams > 0 {
			lists[n] = append(lists[n], r)
		}
	}
	return lists
}

// empty takes a run out of memory.
func (b *buffer) empty(r *run) {
	for i := range r.buckets {
		b.free = append(b.free, r.buckets[i].blocks...)
		r.buckets[i].blocks, r.buckets[i].last = nil, nil
	}
	delete(b.runs, r.n)
}

// reset drops all runs.
func (b *buffer) reset() {
	for _, r := range b.runs {
		b.empty(r)
	}
	if b.spill != nil {
		b.spill.drop()
	}
	b.spill, b.spilled = nil, nil
}
