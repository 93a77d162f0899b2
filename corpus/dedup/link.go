package dedup

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/corpus/spill"
)

// linkStep finds for each n-gram that was there before where it was last.
//
// The links are divided into ranges of 1<<Bits tokens. One is 8 bytes, low byte
// first: the token that ends the n-gram, counted from the start of its range, above
// the token that ended it last, counted from the start of the collection. They
// are in no order.
const linkStep = "link"

// links describe the links on disk.
type links struct {
	Tokens int64 // of the collection
	Bits   int   // a range has 1<<Bits tokens
	Ranges int
	Count  int64
}

const (
	leastRange = 22  // bits: 4 M tokens, of which all links fit in memory twice
	mostRanges = 256 // files that are open at once
	mostTokens = 1 << 36
)

// rangesFor returns how the links of so many tokens are divided.
func rangesFor(tokens int64) (links, error) {
	if tokens >= mostTokens {
		return links{}, fmt.Errorf("%d tokens are more than the %d that can be compared at once", tokens, int64(mostTokens))
	}
	l := links{Tokens: tokens, Bits: leastRange}
	for tokens>>l.Bits >= mostRanges {
		l.Bits++
	}
	l.Ranges = int(tokens>>l.Bits) + 1
	return l, nil
}

// link makes the links from the n-grams on disk.
func (r *run) link(ctx context.Context, tokens int64) (links, error) {
	l, err := rangesFor(tokens)
	if err != nil {
		return l, err
	}
	grams, err := spill.Open(r.dir.Path(scatterStep), scatterParts)
	if err != nil {
		return l, err
	}
	defer grams.Close()
	out, err := spill.Create(r.dir.Path(linkStep), l.Ranges)
	if err != nil {
		return l, err
	}
	defer out.Close()
	if l.Count, err = r.linkParts(ctx, l, grams, out); err != nil {
		return l, err
	}
	if err := r.dir.Finish(linkStep, l, out.Names()...); err != nil {
		return l, err
	}
	return l, grams.Remove()
}

// linkParts works on the parts, several at once.
func (r *run) linkParts(ctx context.Context, l links, grams, out *spill.Files) (int64, error) {
	workers := runtime.GOMAXPROCS(0)
	memory := r.o.Memory / 2 / int64(workers)
	g, ctx := errgroup.WithContext(ctx)
	var next, count atomic.Int64
	for range workers {
		g.Go(func() error {
			k := linker{in: bufio.NewReaderSize(nil, 1<<18), bits: l.Bits, out: out, buffers: make([][]byte, l.Ranges)}
			for {
				i := int(next.Add(1)) - 1
				if i >= scatterParts {
					count.Add(k.count)
					return k.flush()
				}
				if err := k.part(ctx, grams, i, memory); err != nil {
					return err
				}
				r.progress(2, int64(i))
			}
		})
	}
	return count.Load(), g.Wait()
}

// A linker links the n-grams of parts.
type linker struct {
	bits    int
	out     *spill.Files
	buffers [][]byte // of links, one for each range
	count   int64

	in          *bufio.Reader
	all, sorted []occurrence
	table       []occurrence
}

// An occurrence of an n-gram: its hash, and the token that ends it, counted from 1.
type occurrence struct{ hash, token uint64 }

// occurrenceBytes is what one takes in memory: twice in a list, and in a table.
const occurrenceBytes = 16 + 16 + 3

// part links the n-grams of a part, those whose hashes begin alike at a time, so
// that they fit into memory.
func (k *linker) part(ctx context.Context, grams *spill.Files, part int, memory int64) error {
	if grams.Size(part) == 0 {
		return nil
	}
	count := grams.Size(part) / (hashBytesOn + 1)
	rounds := 1
	for count/int64(rounds)*occurrenceBytes > memory && rounds < 1<<16 {
		rounds *= 2
	}
	for round := range rounds {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := k.read(grams.Reader(part), bits.Len(uint(rounds))-1, uint64(round)); err != nil {
			return err
		}
		if err := k.link(); err != nil {
			return err
		}
	}
	return nil
}

// read reads the n-grams of a part whose next width bits are round.
func (k *linker) read(from io.Reader, width int, round uint64) error {
	k.all = k.all[:0]
	token := uint64(1)
	k.in.Reset(from)
	for {
		window, err := k.in.Peek(max(k.in.Buffered(), longestGram))
		if err != nil && err != io.EOF {
			return err
		}
		if len(window) == 0 {
			return nil
		}
		size := 0
		for size+longestGram <= len(window) || err == io.EOF && size < len(window) {
			hash, since, n := decodeGram(window[size:])
			size += n
			token += since
			if hash<<8>>1>>(63-width) == round {
				k.all = append(k.all, occurrence{hash << 8 << width, token})
			}
		}
		if _, err := k.in.Discard(size); err != nil {
			return err
		}
	}
}

// decodeGram takes an n-gram off the start of b, which has a whole one.
func decodeGram(b []byte) (hash, since uint64, size int) {
	if len(b) >= 8 {
		hash = binary.LittleEndian.Uint64(b)
	} else {
		var some [8]byte
		copy(some[:], b)
		hash = binary.LittleEndian.Uint64(some[:])
	}
	size = hashBytesOn
	for shift := 0; ; shift += 7 {
		c := b[size]
		size++
		since |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return hash, since, size
		}
	}
}

// groupBits: n-grams are gathered in so many groups, whose tables fit into the
// caches of a processor.
const groupBits = 8

// link links the n-grams in k.all. Of their hashes the top bits that all have in
// common are shifted out.
func (k *linker) link() error {
	var starts [1<<groupBits + 1]int
	for _, o := range k.all {
		starts[o.hash>>(64-groupBits)+1]++
	}
	for i := range 1 << groupBits {
		starts[i+1] += starts[i]
	}
	if cap(k.sorted) < len(k.all) {
		k.sorted = make([]occurrence, len(k.all), len(k.all)+len(k.all)/8)
	}
	k.sorted = k.sorted[:len(k.all)]
	at := starts
	for _, o := range k.all {
		g := o.hash >> (64 - groupBits)
		k.sorted[at[g]] = o
		at[g]++
	}
	for i := range 1 << groupBits {
		if err := k.group(k.sorted[starts[i]:starts[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// group links the n-grams of a group, which are in the order of the collection.
func (k *linker) group(group []occurrence) error {
	width := bits.Len(uint(len(group) * 3 / 2))
	if len(k.table) < 1<<width {
		k.table = make([]occurrence, 1<<width)
	}
	table, mask := k.table[:1<<width], uint64(1)<<width-1
	clear(table)
	for _, o := range group {
		at := mix(o.hash) & mask
		for table[at].token != 0 && table[at].hash != o.hash {
			at = (at + 1) & mask
		}
		if before := table[at].token; before != 0 {
			if err := k.add(o.token-1, before-1); err != nil {
				return err
			}
		}
		table[at] = o
	}
	return nil
}

// add writes a link.
func (k *linker) add(token, before uint64) error {
	k.count++
	i := token >> k.bits
	k.buffers[i] = binary.LittleEndian.AppendUint64(k.buffers[i], token<<(64-k.bits)|before)
	if len(k.buffers[i]) < partBuffer {
		return nil
	}
	err := k.out.Append(int(i), k.buffers[i])
	k.buffers[i] = k.buffers[i][:0]
	return err
}

func (k *linker) flush() error {
	for i, b := range k.buffers {
		if err := k.out.Append(i, b); err != nil {
			return err
		}
	}
	return nil
}
