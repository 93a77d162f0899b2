package near

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"slices"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/internal/closing"
)

// The hashes of all sets are put in one order, rare ones first: then two sets
// that have enough in common share one of the first of each. How rare a hash is, is
// counted roughly: counters are shared and end at 255. Any order would do, as
// long as it is the same for all sets. A counter of 1 is surely that of a hash that
// one document alone has, which is in no pair: so these are dropped, and only their
// number counts.

// classes count in how many sets a hash is.
type classes struct {
	counters []uint8
	shift    int
}

func newClasses(memory int64) *classes {
	width := max(16, bits.Len64(uint64(memory))-1)
	return &classes{make([]uint8, 1<<width), 64 - width}
}

func (c *classes) add(h uint64) {
	if p := &c.counters[h>>c.shift]; *p < 255 {
		*p++
	}
}

// key returns what a hash is sorted by: its class, then its bits.
func (c *classes) key(h uint64) uint64 { return uint64(c.counters[h>>c.shift])<<56 | h>>8 }

// A rank is a set in order, without what it alone has.
type rank struct {
	at   int64 // in the file
	size uint32
}

// ranksFile has the ordered sets one after another, 8 bytes a key.
const ranksFile = "ranks"

// A batch is some documents with their sets.
type batch struct {
	docs []int
	data []byte // their sets, or keys
	ends []int  // of each in data
}

// batchBytes is about how much of sets is worked on at a time.
const batchBytes = 1 << 20

// eachBatch reads the sets of all documents that are compared.
func (d *Data) eachBatch(put func(*batch) bool) (err error) {
	f, err := os.Open(d.dir.Path(setsFile))
	if err != nil {
		return err
	}
	defer closing.Into(&err, f)
	r := bufio.NewReaderSize(f, 1<<20)
	b := &batch{}
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
			b = &batch{}
		}
	}
	put(b)
	return nil
}

// each calls fn with each document of the batch and its hashes, in a slice that is
// used again.
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

// count counts the hashes of all sets.
func (d *Data) count(ctx context.Context) (*classes, error) {
	c := newClasses(d.o.Memory / 4)
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

// rankStep has put the sets in order: keys in ranksFile, how many of each document in
// sizesFile, 4 bytes each, low byte first. The sets are of no more use then, and by
// shingles they are removed: they take as much room as all the rest.
const (
	rankStep  = "rank"
	sizesFile = "sizes"
)

// ranked returns the ranks of all documents, which it makes unless an earlier run did.
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
	if d.o.By == Shingles {
		if err := os.Remove(d.dir.Path(setsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return d.loadRanks()
}

// rank writes the ordered sets and their sizes.
func (d *Data) rank(ctx context.Context, c *classes) (err error) {
	f, err := os.Create(d.dir.Path(ranksFile))
	if err != nil {
		return err
	}
	defer closing.Into(&err, f)
	sizes, done := make([]byte, 4*len(d.Docs)), 0
	err = ordered.Run(ctx, d.eachBatch, func() func(*batch) (*batch, error) { return c.order }, func(b *batch) error {
		start := 0
		for i, doc := range b.docs {
			binary.LittleEndian.PutUint32(sizes[4*doc:], uint32(b.ends[i]-start)/8)
			start = b.ends[i]
		}
		done += len(b.docs)
		d.o.progress("order", int64(done), int64(len(d.Docs)))
		_, err := f.Write(b.data)
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(d.dir.Path(sizesFile), sizes, 0o600)
}

// loadRanks reads where the ordered set of each document is.
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

// order orders the sets of a batch.
func (c *classes) order(b *batch) (*batch, error) {
	o := &batch{docs: b.docs, data: make([]byte, 0, len(b.data))}
	var keys []uint64
	b.each(func(_ int, hashes []uint64) {
		keys = keys[:0]
		for _, h := range hashes {
			if k := c.key(h); k >= 2<<56 {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			o.data = binary.LittleEndian.AppendUint64(o.data, k)
		}
		o.ends = append(o.ends, len(o.data))
	})
	return o, nil
}
