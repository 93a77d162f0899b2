package near

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/internal/closing"
)

// The hashes of all sets are sorted in the same order, rare ones first, so that two
// sets with enough common hashes share one among the first of each. Frequencies are
// approximate: hashes share counters, which stop at 255. Any order is correct if it
// is the same for all sets. If a counter is 1, only one document has the hash, so it
// is in no pair: such hashes are dropped, and only their number is stored.

// classes count the sets that contain a hash.
type classes struct {
	counters []uint8
	shift    int
}

// newClasses returns counters for a number of hashes: up to two for each, since more take
// memory but no less time, and at most as many as there are bytes of memory.
func newClasses(hashes, memory int64) *classes {
	width := max(16, bits.Len64(uint64(min(2*hashes, memory)))-1)
	return &classes{make([]uint8, 1<<width), 64 - width}
}

func (c *classes) add(h uint64) {
	if p := &c.counters[h>>c.shift]; *p < 255 {
		*p++
	}
}

// key returns the sort key of a hash: its class, then its high bits.
func key(class uint8, h uint64) uint64 { return uint64(class)<<56 | h>>8 }

// A rank is a sorted set, without the hashes that no other document has.
type rank struct {
	at   int64 // offset in the file
	size uint32
}

// ranksFile contains the concatenated ordered sets, 8 bytes a key.
const ranksFile = "ranks"

type batch struct {
	docs []int
	data []byte // concatenated sets, or keys
	ends []int  // end of each set in data
}

// batchBytes is the approximate size of a batch.
const batchBytes = 1 << 20

// eachBatch reads the sets of all compared documents and passes them to put.
func (d *Data) eachBatch(put func(*batch) bool) error {
	return d.dir.Read(setsFile, func(r *bufio.Reader) error { return d.batches(r, put) })
}

// batches reads the sets of all compared documents from the start of f.
func (d *Data) batches(f io.Reader, put func(*batch) bool) error {
	r := bufio.NewReaderSize(f, 1<<20)
	empty := func() *batch { return &batch{data: make([]byte, 0, batchBytes+batchBytes/8)} }
	b := empty()
	for i, doc := range d.Docs {
		if doc.Same < 0 {
			start := len(b.data)
			b.data = slices.Grow(b.data, 8*int(doc.Size))[:start+8*int(doc.Size)]
			if _, err := io.ReadFull(r, b.data[start:]); err != nil {
				return err
			}
			b.docs, b.ends = append(b.docs, i), append(b.ends, len(b.data))
		}
		if _, err := io.CopyN(io.Discard, r, 8*int64(doc.Shorts)); err != nil {
			return err
		}
		if len(b.data) >= batchBytes {
			if !put(b) {
				return context.Canceled
			}
			b = empty()
		}
	}
	put(b)
	return nil
}

// each calls fn with each document of the batch and its hashes. The slice is valid
// only during the call.
func (b *batch) each(fn func(doc int, hashes []uint64)) {
	var hashes []uint64
	start := 0
	for i, doc := range b.docs {
		hashes = hashes[:0]
		for ; start < b.ends[i]; start += 8 {
			hashes = append(hashes, binary.LittleEndian.Uint64(b.data[start:]))
		}
		fn(doc, hashes)
	}
}

func (d *Data) count(ctx context.Context) (*classes, error) {
	hashes := int64(0)
	for _, doc := range d.Docs {
		if doc.Same < 0 {
			hashes += int64(doc.Size)
		}
	}
	c := newClasses(hashes, d.o.Memory/4)
	done := 0
	same := func() func(*batch) (*batch, error) { return func(b *batch) (*batch, error) { return b, ctx.Err() } }
	err := ordered.Run(ctx, d.eachBatch, same, func(b *batch) error {
		for i := 0; i < len(b.data); i += 8 {
			c.add(binary.LittleEndian.Uint64(b.data[i:]))
		}
		done += len(b.docs)
		d.o.progress("count", int64(done), int64(len(d.Docs)))
		return nil
	})
	return c, err
}

// rankStep sorts the sets: it writes the keys to ranksFile and the number of keys of
// each document to sizesFile, 4 bytes each, little endian. Unless [Shorts] are needed, the keys
// overwrite the sets, which are no longer needed and take half of the disk space. If
// a run is interrupted during this step, the next run reads the collection again.
const (
	rankStep  = "rank"
	sizesFile = "sizes"
)

// ranked returns the ranks of all documents. It computes them unless an earlier run did.
func (d *Data) ranked(ctx context.Context) ([]rank, error) {
	var sum corpus.Summary
	if !d.dir.Done(rankStep, &sum) {
		c, err := d.count(ctx)
		if err != nil {
			return nil, err
		}
		if err := d.rank(ctx, c); err != nil {
			return nil, err
		}
		if err := d.dir.Finish(rankStep, d.Summary, ranksFile, sizesFile, docsFile); err != nil {
			return nil, err
		}
	}
	return d.loadRanks()
}

func (d *Data) rank(ctx context.Context, c *classes) (err error) {
	in, out, err := d.rankFiles()
	if err != nil {
		return err
	}
	defer closing.Into(&err, in)
	defer closing.Into(&err, out)
	sizes, done, size := make([]byte, 4*len(d.Docs)), 0, int64(0)
	read := func(put func(*batch) bool) error { return d.batches(in, put) }
	err = ordered.Run(ctx, read, func() func(*batch) (*batch, error) { return c.order }, func(b *batch) error {
		start := 0
		for i, doc := range b.docs {
			binary.LittleEndian.PutUint32(sizes[4*doc:], uint32(b.ends[i]-start)/8)
			start = b.ends[i]
		}
		done += len(b.docs)
		d.o.progress("order", int64(done), int64(len(d.Docs)))
		size += int64(len(b.data))
		_, err := out.Write(b.data)
		return err
	})
	if err == nil {
		err = out.Truncate(size)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(d.dir.Path(sizesFile), sizes, 0o600)
}

// rankFiles opens the file of the sets and that of the ranks. Without [Shorts] both are the
// same file: an ordered set is never longer than the set, so writes stay behind reads.
func (d *Data) rankFiles() (in, out *os.File, err error) {
	sets, ranks := d.dir.Path(setsFile), d.dir.Path(ranksFile)
	how := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if d.o.Short == 0 {
		if err := d.dir.Undo(readStep); err != nil {
			return nil, nil, err
		}
		if err := os.Rename(sets, ranks); err != nil {
			return nil, nil, err
		}
		sets, how = ranks, os.O_WRONLY
	}
	if in, err = os.Open(sets); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile(ranks, how, 0o600); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, out, nil
}

func (d *Data) loadRanks() ([]rank, error) {
	sizes, err := os.ReadFile(d.dir.Path(sizesFile))
	if err != nil {
		return nil, err
	}
	ranks, at := make([]rank, len(sizes)/4), int64(0)
	for i := range ranks {
		ranks[i] = rank{at, binary.LittleEndian.Uint32(sizes[4*i:])}
		at += 8 * int64(ranks[i].size)
	}
	return ranks, nil
}

// order sorts the sets of a batch by key, in place. Sets are in ascending order, so
// their hashes need only be divided by class.
func (c *classes) order(b *batch) (*batch, error) {
	list := make([]uint8, len(b.data)/8) // class of each hash
	for i := range list {
		list[i] = c.counters[binary.LittleEndian.Uint64(b.data[8*i:])>>c.shift]
	}
	var set []byte
	start, end := 0, 0
	for i, stop := range b.ends {
		set = append(set[:0], b.data[start:stop]...)
		end = divide(b.data, end, set, list[start/8:stop/8])
		b.ends[i], start = end, stop
	}
	b.data = b.data[:end]
	return b, nil
}

// divide writes the keys of a set to out, starting at offset end, and returns their end.
// The list has the classes of the hashes.
func divide(out []byte, end int, set []byte, list []uint8) int {
	var at [256]int // offset of the next key of each class
	for _, class := range list {
		at[class]++
	}
	for class := 2; class < len(at); class++ {
		at[class], end = end, end+8*at[class]
	}
	for i, class := range list {
		if class > 1 {
			binary.LittleEndian.PutUint64(out[at[class]:], key(class, binary.LittleEndian.Uint64(set[8*i:])))
			at[class] += 8
		}
	}
	return end
}
