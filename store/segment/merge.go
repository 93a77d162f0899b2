package segment

import (
	"context"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/store"
)

// maxExpanded limits the ordinals of one list that are gathered in memory; the rest of a
// longer list is streamed from file to file.
const maxExpanded = 256

// A merger writes one segment from several segments or runs, without dead n-grams. For each
// chunk of the result it gathers the entries of all inputs and sorts them. So memory does
// not depend on the number and the size of the inputs, and chunks can be written in
// parallel.
type merger struct {
	geometry // of the result
	n        int
	pieces   []piece // of the result
	from     intake
	group    uint // a worker makes 1<<group chunks one after another
}

// An intake supplies the entries of the inputs of a merger.
type intake interface {
	// gather sets c.entries to the entries of chunk i of the result. It is called for the
	// chunks of a group one after another.
	gather(c *chunkMerger, i uint64) error
	// giveBack gives back the memory of inputs before chunk i of the result.
	giveBack(g geometry, i int)
}

// sources are the input segments of a merge.
type sources []*source

// A source is an input segment of a merge.
type source struct {
	*file
	shift   uint64    // added to all ordinals
	moves   []uint64  // by piece, if some are dead: added to its ordinals, or dead
	checked checklist // chunks checked again, so that damage does not get a new checksum
	given   uint64    // bytes whose memory was given back
}

// dead marks a dead piece in moves. No ordinal moves by as much: ordinals are below 1<<32.
const dead = 1 << 63

// newMerger returns a merger for files with the same n. live reports whether a number is
// live.
func newMerger(files []*file, live func(number uint64) (bool, error)) (*merger, error) {
	m := &merger{n: files[0].n}
	var from sources
	grams := uint64(0)
	entries := uint64(0)
	for _, f := range files {
		if err := f.ensureDocuments(); err != nil {
			return nil, err
		}
		entries += f.entries()
		s := &source{file: f, shift: grams, checked: newChecklist(uint64(len(f.chunks)))}
		moves, all := make([]uint64, f.pieces), true
		for i := range f.pieces {
			p := f.piece(i)
			alive, err := live(p.number)
			if err != nil {
				return nil, err
			}
			if !alive {
				moves[i], all = dead, false
				continue
			}
			moves[i] = grams - uint64(p.first) // modulo 1<<64
			m.pieces = append(m.pieces, piece{uint32(grams), p.base, p.number})
			grams += f.pieceEnd(i) - uint64(p.first)
		}
		if !all {
			s.moves = moves
		}
		from = append(from, s)
	}
	m.from = from
	if m.n != pairList {
		entries = grams // without dead n-grams
	}
	m.geometry = geometryFor(m.n, entries, grams)
	return m, nil
}

// move returns the ordinal in the result; ok is false for a dead one. near is the piece of
// the previous ordinal.
func (s *source) move(ordinal uint64, near *int) (to uint64, ok bool) {
	if s.moves == nil {
		return ordinal + s.shift, true
	}
	*near = s.pieceOf(ordinal, *near)
	by := s.moves[*near]
	return ordinal + by, by != dead
}

// A moved is a cursor that yields ordinals of the result.
type moved struct {
	cursor
	source *source
	near   int
}

func (m *moved) next() (uint64, bool, error) {
	for {
		ordinal, ok, err := m.cursor.next()
		if !ok || err != nil {
			return 0, false, err
		}
		if to, live := m.source.move(ordinal, &m.near); live {
			return to, true, nil
		}
	}
}

// write writes the result and returns its size. It uses the given number of workers.
func (m *merger) write(ctx context.Context, d disk, path string, workers int) (size int64, err error) {
	w, err := newSegmentWriter(d, path, m.n, m.geometry, len(m.pieces))
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers = min(workers, m.chunks()>>m.group)
	group, ctx := errgroup.WithContext(ctx)
	lines := make([]chan part, workers)
	for i := range lines {
		lines[i] = make(chan part, 4)
		group.Go(func() error {
			c := chunkMerger{m: m, tails: map[uint64]tail{}, counts: map[uint64]uint64{}}
			return guarded(filepath.Dir(path), func() error { return c.run(ctx, lines[i], i, workers) })
		})
	}
	group.Go(func() error { return m.collect(ctx, w, lines) })
	if err := group.Wait(); err != nil {
		return 0, w.abort(err)
	}
	if err := w.writeTables(m.pieces); err != nil {
		return 0, err
	}
	return w.total, w.end()
}

// A part is some bytes of a chunk or, after the last of them, its reference.
type part struct {
	bytes *[]byte
	ref   *chunkRef
}

// partBuffers holds unused buffers of parts.
var partBuffers = sync.Pool{New: func() any { return new([]byte) }}

// newPart returns a part with a copy of b.
func newPart(b []byte) part {
	buf := partBuffers.Get().(*[]byte)
	*buf = append((*buf)[:0], b...)
	return part{bytes: buf}
}

// collect writes the chunks in order. Those of group i arrive on line i modulo the number
// of lines.
func (m *merger) collect(ctx context.Context, w *segmentWriter, lines []chan part) error {
	for i := range m.chunks() {
		for done := false; !done; {
			var p part
			select {
			case p = <-lines[i>>m.group%len(lines)]:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if p.ref != nil {
				w.chunk(*p.ref)
				done = true
				continue
			}
			err := w.write(*p.bytes)
			partBuffers.Put(p.bytes)
			if err != nil {
				return err
			}
		}
		if i%64 == 63 {
			m.from.giveBack(m.geometry, i+1)
		}
	}
	return nil
}

// giveBack implements [intake].
func (list sources) giveBack(g geometry, i int) {
	for _, s := range list {
		next := uint64(i) << g.chunkShift() >> s.chunkShift()
		if next < uint64(len(s.chunks)) {
			offset := s.chunks[next].offset
			s.file.giveBack(s.given, offset)
			s.given = offset
		}
	}
}

// A chunkMerger makes chunks of the result.
type chunkMerger struct {
	m       *merger
	entries []uint64 // of one chunk
	tmp     []uint64
	tails   map[uint64]tail
	counts  map[uint64]uint64 // pairs in too many documents, by key
	group   grouped
}

// run makes the groups of chunks whose number is first modulo step.
func (c *chunkMerger) run(ctx context.Context, line chan<- part, first, step int) error {
	send := func(p part) error {
		select {
		case line <- p:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	enc := encoder{geometry: c.m.geometry, counts: c.counts, write: func(b []byte) error { return send(newPart(b)) }}
	for i := range c.m.chunks() {
		if i>>c.m.group%step != first {
			continue
		}
		if err := c.m.from.gather(c, uint64(i)); err != nil {
			return err
		}
		c.tmp = sortEntries(c.entries, c.tmp)
		if c.m.n == pairList {
			c.prune()
		}
		ref, err := enc.chunk(c.entries, c.tails)
		if err == nil {
			err = send(part{ref: &ref})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gather implements [intake].
func (list sources) gather(c *chunkMerger, i uint64) error {
	c.entries = c.entries[:0]
	clear(c.tails)
	clear(c.counts)
	shift := c.m.chunkShift()
	for _, s := range list {
		if err := s.checked.ensure(i<<shift>>s.chunkShift(), ((i+1)<<shift-1)>>s.chunkShift(), s.check); err != nil {
			return err
		}
		err := s.walkBlocks(i<<shift, (i+1)<<shift, func(b *batch) error { return c.addBlock(s, b) })
		if err != nil {
			return err
		}
	}
	return nil
}

// addBlock adds the entries of a block of keys. Nearly all keys have one ordinal.
func (c *chunkMerger) addBlock(s *source, b *batch) error {
	if s.moves == nil {
		c.addSingles(b, s.grams, s.shift)
	}
	shift, grams, near := 64-c.m.chunkShift(), s.grams, 0
	for i, posting := range b.postings {
		if posting >= grams {
			p := s.cursor(b.chunk, posting)
			p.sound = b.chunk.end
			if err := c.addList(b.keys[i]<<(shift&63), moved{cursor: p, source: s}); err != nil {
				return err
			}
		} else if s.moves != nil {
			if ordinal, ok := s.move(posting, &near); ok {
				c.entries = append(c.entries, b.keys[i]<<(shift&63)|ordinal)
			}
		}
	}
	return nil
}

// addSingles adds the entries of the keys with one ordinal, to which it adds by. It does
// not branch on which keys these are.
func (c *chunkMerger) addSingles(b *batch, grams, by uint64) {
	shift, size := (64-c.m.chunkShift())&63, len(c.entries)
	c.entries = slices.Grow(c.entries, len(b.keys)+1)
	next := c.entries[size:][:len(b.keys)+1]
	count := 0
	for i, posting := range b.postings[:len(b.keys)] {
		next[count] = b.keys[i]<<shift | (posting + by)
		if posting < grams {
			count++
		}
	}
	c.entries = c.entries[:size+count]
}

// addList adds the entries of one key with a list of ordinals.
func (c *chunkMerger) addList(key uint64, p moved) error {
	if documents, ok, err := p.pruned(); err != nil {
		return err
	} else if ok {
		c.counts[key>>c.m.entryShift()] += documents
		c.entries = append(c.entries, key|c.noOrdinal())
		return nil
	}
	if c.m.n == pairList {
		return c.addPair(key, &p)
	}
	last := uint64(0)
	for range maxExpanded {
		ordinal, ok, err := p.next()
		if !ok || err != nil {
			return err
		}
		c.entries = append(c.entries, key|ordinal)
		last = ordinal
	}
	rest := p // so that p stays off the heap
	c.tails[last] = &rest
	return nil
}

// addPair adds the entries of a pair in one source. Its list need not be streamed: only
// segments that no merge wrote have lists as long as those of n-grams.
func (c *chunkMerger) addPair(key uint64, p *moved) error {
	for {
		ordinal, ok, err := p.next()
		if !ok || err != nil {
			return err
		}
		c.entries = append(c.entries, key|ordinal)
	}
}

// prune drops duplicate entries, and keeps one entry of each pair that is in too many
// documents of all sources together. The entries must be sorted.
func (c *chunkMerger) prune() {
	c.entries = slices.Compact(c.entries)
	shift := c.m.entryShift()
	out := c.entries[:0]
	for i := 0; i < len(c.entries); {
		key, j := c.entries[i]>>shift, i+1
		for j < len(c.entries) && c.entries[j]>>shift == key {
			j++
		}
		group := c.entries[i:j]
		before, pruned := c.counts[key]
		if pruned || len(group) > store.CommonPairs {
			before += c.documents(group)
			pruned = pruned || before > store.CommonPairs
		}
		if pruned {
			c.counts[key] = before
			group = group[:1]
		}
		out = append(out, group...)
		i = j
	}
	c.entries = out
}

// noOrdinal replaces the ordinal of a pair that has a count instead. It is greater than any
// ordinal.
func (c *chunkMerger) noOrdinal() uint64 { return 1<<c.m.entryShift() - 1 }

// documents counts the documents of entries with one key.
func (c *chunkMerger) documents(entries []uint64) uint64 {
	numbers := map[uint64]bool{}
	for _, e := range entries {
		if ordinal := e & c.noOrdinal(); ordinal != c.noOrdinal() {
			numbers[c.m.pieceOf(ordinal).number] = true
		}
	}
	return uint64(len(numbers))
}

// pieceOf returns the piece of the result that contains an ordinal.
func (m *merger) pieceOf(ordinal uint64) piece {
	i := sort.Search(len(m.pieces), func(i int) bool { return uint64(m.pieces[i].first) > ordinal })
	return m.pieces[i-1]
}
