package segment

import "slices"

// partBytes is how many bytes of the lists of a chunk are buffered.
const partBytes = 256 << 10

// An encoder encodes chunks one after another. Its input is entries: the hash without the
// top cb bits, shifted to the top of 64 bits, and the ordinal in the low bits.
type encoder struct {
	geometry
	write func([]byte) error // writes bytes in order, and must not keep them

	// counts has the number of documents for each key whose ordinals are replaced by that
	// number. Such a key has one entry.
	counts map[uint64]uint64

	keys     []uint64 // of the chunk, ascending
	postings []uint64 // by key
	starts   []int    // number of keys before each block, and in total
	filters  []uint64 // words of the filter
	lists    bitWriter
	rest     bitWriter // the parts after lists
	listed   uint64
}

// entryShift is how far a key is shifted in an entry. Ordinals are smaller: a segment with
// 1<<(cb+15) n-grams or more would have more chunks.
func (g geometry) entryShift() uint { return 64 - g.chunkShift() }

// A tail yields the ordinals that follow one in its list, so that a list of millions is not
// held in memory.
type tail interface {
	next() (ordinal uint64, ok bool, err error)
}

// chunk writes a chunk of sorted entries and returns its reference, without the offset. If
// tails has the ordinal of an entry, the ordinals of the tail follow it.
func (e *encoder) chunk(entries []uint64, tails map[uint64]tail) (chunkRef, error) {
	e.lists.buf, e.listed = e.lists.buf[:0], 0
	if err := e.collect(entries, tails); err != nil {
		return chunkRef{}, err
	}
	e.lists.pad()
	if err := e.flush(&e.lists); err != nil {
		return chunkRef{}, err
	}
	ref := chunkRef{keys: uint32(len(e.keys)), listed: uint32(e.listed)}
	e.parts(e.layout(ref))
	return ref, e.flush(&e.rest)
}

// collect sets keys and postings, and writes lists.
func (e *encoder) collect(entries []uint64, tails map[uint64]tail) (err error) {
	keys := slices.Grow(e.keys[:0], len(entries))[:len(entries)]
	postings := slices.Grow(e.postings[:0], len(entries))[:len(entries)]
	shift, alone, count := e.entryShift()&63, len(e.counts) == 0, 0
	ordinals := uint64(1)<<shift - 1
	for i := 0; i < len(entries); count++ {
		entry, next := entries[i], i+1
		key := entry >> shift
		keys[count] = key
		if alone && (next == len(entries) || entries[next]>>shift != key) { // nearly all
			postings[count], i = entry&ordinals, next
			continue
		}
		for next < len(entries) && entries[next]>>shift == key {
			next++
		}
		if postings[count], err = e.posting(key, entries[i:next], ordinals, tails); err != nil {
			return err
		}
		i = next
	}
	e.keys, e.postings = keys[:count], postings[:count]
	return nil
}

// posting returns the posting for the entries of one key, and writes their list if there
// are several.
func (e *encoder) posting(key uint64, entries []uint64, ordinals uint64, tails map[uint64]tail) (uint64, error) {
	at := e.grams + e.listed
	if count, ok := e.counts[key]; ok {
		e.lists.put(min(count, 1<<(e.listBits()-1)-1)<<1|1, e.listBits())
		e.listed++
		return at, nil
	}
	if len(entries) == 1 {
		return entries[0] & ordinals, nil
	}
	return at, e.list(entries, ordinals, tails)
}

// list writes the ordinals of the entries of one key.
func (e *encoder) list(entries []uint64, ordinals uint64, tails map[uint64]tail) error {
	width := e.listBits()
	pending := entries[0] & ordinals
	for i, entry := range entries {
		if i > 0 {
			e.lists.put(pending<<1, width)
			pending = entry & ordinals
		}
		if len(tails) == 0 || tails[pending] == nil {
			continue
		}
		for t := tails[pending]; ; {
			next, ok, err := t.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			e.lists.put(pending<<1, width)
			pending = next
			e.listed++
			if len(e.lists.buf) >= partBytes {
				if err := e.flush(&e.lists); err != nil {
					return err
				}
			}
		}
	}
	e.lists.put(pending<<1|1, width)
	e.listed += uint64(len(entries))
	return nil
}

// parts encodes all parts except the lists into e.rest.
func (e *encoder) parts(c chunk) {
	w := &e.rest
	w.buf = w.buf[:0]
	e.findBlocks()
	for _, word := range e.filters {
		w.put(word, 64)
	}
	width := uint(16)
	if c.wide {
		width = 32
	}
	for _, start := range e.starts {
		w.put(uint64(start), width)
	}
	w.pad()
	for b, from := range e.starts[:len(e.starts)-1] {
		e.block(w, e.keys[from:e.starts[b+1]])
	}
	w.pad()
	w.putAll(e.postings, c.postingBits)
	w.pad()
	w.put(0, 64)
}

// findBlocks counts the keys before each block, and makes the filter. The filter uses keys
// instead of hashes, since the top bits are the same throughout a chunk.
func (e *encoder) findBlocks() {
	shift, blocks := (e.lowBits()+blockBits)&63, uint64(e.blocks())
	e.starts = slices.Grow(e.starts[:0], int(blocks)+1)[:blocks+1]
	e.filters = slices.Grow(e.filters[:0], e.words())[:e.words()]
	clear(e.filters)
	b, first, second := uint64(0), uint64(0), uint64(0) // a block and its two words
	e.starts[0] = 0
	for i, key := range e.keys {
		if key>>shift != b {
			e.filters[2*b], e.filters[2*b+1] = first, second
			for first, second = 0, 0; b < key>>shift; b++ {
				e.starts[b+1] = i
			}
		}
		// The words are built in registers: in memory, each key would wait for the one
		// before. upper is all ones for a key of the second half.
		mask, upper := filterMask(key), -(key >> ((shift - 1) & 63) & 1)
		first |= mask &^ upper
		second |= mask & upper
	}
	e.filters[2*b], e.filters[2*b+1] = first, second
	for ; b < blocks; b++ {
		e.starts[b+1] = len(e.keys)
	}
}

// block writes the sub-buckets and the low bits of the keys of a block.
func (e *encoder) block(w *bitWriter, keys []uint64) {
	low := e.lowBits()
	if width := len(keys) + 1<<blockBits; width <= 64 {
		unary := uint64(0)
		for i, key := range keys {
			unary |= 1 << ((key>>(low&63)&(1<<blockBits-1) + uint64(i)) & 63)
		}
		w.put(unary, uint(width))
	} else {
		e.unary(w, keys)
	}
	w.putAll(keys, low)
}

// unary writes the number of keys in each sub-bucket of a crowded block.
func (e *encoder) unary(w *bitWriter, keys []uint64) {
	low := e.lowBits()
	for r := range uint64(1 << blockBits) {
		count := 0
		for count < len(keys) && keys[count]>>low&(1<<blockBits-1) == r {
			count++
		}
		w.ones(count)
		keys = keys[count:]
	}
}

// flush writes the whole words of w.
func (e *encoder) flush(w *bitWriter) error {
	err := e.write(w.buf)
	w.buf = w.buf[:0]
	return err
}
