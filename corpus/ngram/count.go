package ngram

import (
	"context"
	"encoding/binary"
	"maps"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
)

// counts is the stored result of the counting step.
type counts struct {
	Sum   Summary
	Least uint64 // as the options have it
	Top   int
	Block int64  // bytes of the words that a part of foundFile is about
	Floor uint64 // least count of a listed n-gram
}

// The start of each listed n-gram is written to a file for its block of words:
//
//	4 bytes   the place in the block, low byte first
//	varint    the count
const (
	mostBlocks  = 256
	leastBlock  = 4 << 20
	foundBuffer = 1 << 13
)

// blockOf returns the size and number of the blocks of size bytes of words.
func blockOf(size int64) (block int64, count int) {
	block = leastBlock
	if over := (size - 1) / mostBlocks; over >= block {
		block = 1 << bits.Len64(uint64(over))
	}
	return block, int((size + block - 1) / block)
}

// count writes the starts of the listed n-grams, and removes the files of all n-grams.
func (o *Options) count(ctx context.Context, n int, dir *work.Folder, c *counts) (err error) {
	info, err := os.Stat(dir.Path(wordsFile))
	if err != nil {
		return oserror.Cause(err)
	}
	block, blocks := blockOf(info.Size())
	files, err := spill.Open(dir.Path(ofSize(gramsFile, n)), occur.Parts)
	if err != nil {
		return err
	}
	defer closing.Into(&err, files)
	found, err := spill.Create(dir.Path(ofSize(foundFile, n)), blocks)
	if err != nil {
		return err
	}
	defer closing.Into(&err, found)
	t := tally{block: block, found: found, top: o.Top, times: map[uint64]int64{}}
	t.floor.Store(o.Least)
	if err := t.count(ctx, *o, files); err != nil {
		return err
	}
	c.Sum.Distinct, c.Block, c.Floor = t.distinct, block, t.floor.Load()
	if err := dir.Finish(ofSize(countStep, n), c, append(found.Names(), wordsFile)...); err != nil {
		return err
	}
	return files.Remove()
}

type tally struct {
	block int64
	found *spill.Files
	top   int
	floor atomic.Uint64 // least count of a listed n-gram

	mu       sync.Mutex
	distinct int64
	times    map[uint64]int64 // how many n-grams have a count, where the most frequent are listed
}

// A counter counts the n-grams of parts. It is for one goroutine.
type counter struct {
	t        *tally
	in       *occur.Reader
	table    occur.Table
	buffers  [][]byte // of the files
	distinct int64
	times    map[uint64]int64
}

func (t *tally) count(ctx context.Context, o Options, files *spill.Files) error {
	memory := o.Memory / 2 / int64(runtime.GOMAXPROCS(0))
	state := func() *counter {
		return &counter{t: t, in: occur.NewReader(files, memory), buffers: make([][]byte, t.found.Len()), times: map[uint64]int64{}}
	}
	part := func(ctx context.Context, c *counter, i int) error {
		if o.Progress != nil {
			o.Progress("count", int64(i), occur.Parts)
		}
		if err := c.in.Each(ctx, i, c.group); err != nil {
			return err
		}
		t.merge(c)
		return nil
	}
	return ordered.Each(ctx, occur.Parts, state, part, (*counter).flush)
}

func (c *counter) group(group []occur.Occurrence) error {
	c.table.Reset(len(group))
	for _, o := range group {
		s := c.table.Of(o.Hash)
		if s.Count++; s.Count == 1 {
			s.Place = o.Place
			c.distinct++
		}
	}
	floor := c.t.floor.Load()
	return c.table.Each(func(s *occur.Slot) error {
		if s.Count < floor {
			return nil
		}
		return c.add(int64(s.Place), s.Count)
	})
}

func (c *counter) add(place int64, count uint64) error {
	if c.t.top > 0 {
		c.times[count]++
	}
	number := int(place / c.t.block)
	b := c.buffers[number]
	b = binary.LittleEndian.AppendUint32(b, uint32(place%c.t.block))
	b = binary.AppendUvarint(b, count)
	if len(b) >= foundBuffer {
		err := c.t.found.Append(number, b)
		c.buffers[number] = b[:0]
		return err
	}
	c.buffers[number] = b
	return nil
}

func (c *counter) flush() error { return c.t.found.AppendAll(c.buffers) }

// merge adds the counts of a counter, and raises the floor to the least count among the most
// frequent n-grams so far.
func (t *tally) merge(c *counter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.distinct += c.distinct
	c.distinct = 0
	if t.top == 0 {
		return
	}
	for count, n := range c.times {
		t.times[count] += n
	}
	clear(c.times)
	left := int64(t.top)
	for _, count := range slices.Backward(slices.Sorted(maps.Keys(t.times))) {
		if left <= 0 {
			delete(t.times, count)
			continue
		}
		if left -= t.times[count]; left <= 0 {
			t.floor.Store(max(count, t.floor.Load()))
		}
	}
}
