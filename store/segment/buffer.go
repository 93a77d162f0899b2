package segment

import (
	"slices"

	"github.com/otisk/otisk/store"
)

const (
	// blockLen is the number of entries in a block of a bucket.
	blockLen = 256
	// maxBucket is the number of entries in one bucket that makes the buffer full, since
	// buckets are sorted in memory. Only text that repeats itself reaches it.
	maxBucket = 2 << 20
	// leastBlocks is the minimum number of blocks in a buffer: all pairs of one block must
	// fit into an empty buffer.
	leastBlocks = store.PairBlock
)

type entries [blockLen]uint64

// A buffer collects n-grams of successive Adds, in one run per n. When it is full, its runs
// are written to a spill; a commit makes segments of all runs. Entries are distributed over
// buckets by their top bits: sorting a few buckets at a time stays in the processor's
// cache, and one word holds the remaining bits of the hash and the ordinal.
type buffer struct {
	capacity uint64 // entries
	budget   int    // blocks that may still be allocated
	free     []*entries
	runs     map[int]*run

	spill   *spill // nil until the buffer is full for the first time
	spilled []*run // runs in the spill, in order of time
}

// A run holds the entries of one list, n-grams of n words or pairs, until the buffer is
// full.
type run struct {
	full    geometry // geometry of a run that fills the buffer; its cb determines the buckets
	n       int
	grams   uint64 // ordinals
	entries uint64
	pieces  []piece
	buckets []bucket
	spill   *spill // holds the entries; nil while they are in memory

	bucketShift, entryShift uint // derived from full
}

type bucket struct {
	last   *entries // of blocks; receives the next entry unless it is full
	count  int
	blocks []*entries

	offset int64  // in the spill
	sum    uint32 // crc32c of the entries there
}

// part returns the entries of block j.
func (b *bucket) part(j int) []uint64 { return b.blocks[j][:min(blockLen, b.count-j*blockLen)] }

// newBuffer returns a buffer for this number of bytes of entries, at least leastBlocks blocks.
func newBuffer(memory int64) *buffer {
	blocks := max(leastBlocks, min(memory/(8*blockLen), 1<<30/blockLen))
	return &buffer{capacity: uint64(blocks * blockLen), budget: int(blocks), runs: map[int]*run{}}
}

// add adds hashes of n-grams of n words, which are at position base and the following of
// document number, until the buffer is full. It returns how many it added.
func (b *buffer) add(n int, number uint64, base uint32, hashes []store.Hash) (took int) {
	r := b.run(n)
	buckets, shift, ordinal := r.buckets, r.bucketShift&63, r.grams
	for ; took < len(hashes); took++ { // inlined: a call per hash would cost more than the rest
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

// addPairs adds the pairs of one block of document number. It reports whether all of them
// fit; otherwise it adds none. The segment drops duplicates.
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
			b.lengthen(at) // cannot fail: the room was checked
		}
		at.last[place] = uint64(p)<<(r.entryShift&63) | ordinal
		at.count++
	}
	r.entries += uint64(len(pairs))
	r.note(number, block, 1)
	return true
}

// lengthen adds a block to a bucket. It reports false if the bucket or the buffer is full.
func (b *buffer) lengthen(at *bucket) bool {
	if at.count >= maxBucket {
		return false
	}
	block := b.emptyBlock()
	if block == nil {
		return false
	}
	block[0] = 0 // written first: the system provides memory twice that is read first, as by the nil check in add
	at.last, at.blocks = block, append(at.blocks, block)
	return true
}

// bucket returns the bucket of a hash.
func (r *run) bucket(h store.Hash) *bucket { return &r.buckets[uint64(h)>>(r.bucketShift&63)] }

// run returns the run for n-grams of n words.
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

// emptyBlock returns an empty block, nil if the buffer is full.
func (b *buffer) emptyBlock() *entries {
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

// note assigns the next count ordinals to a document.
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

// lists returns the runs by list, spilled runs first.
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

// empty releases the memory of a run.
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
