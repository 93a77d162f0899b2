// Package occur groups occurrences of hashes by hash when there are more than fit
// into memory.
//
// A [Writer] partitions occurrences by hash into [Parts] files, in the order in which
// they are added:
//
//	7 bytes   the hash without its first byte, which is the number of the part; low byte first
//	varint    the place, less that of the occurrence before it in this part:
//	          7 bits in each byte, low ones first, the high bit set where more follow
//
// n-grams of natural text, with places that count words, take 8.6 bytes each. A
// [Reader] returns them in groups that fit into the processor's caches.
package occur

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
)

// Parts is the number of partitions.
const Parts = 256

const (
	hashBytes  = 7
	longest    = hashBytes + 10
	partBuffer = 1 << 14
)

// An Occurrence is a hash and a place where it occurs. A [Reader] leaves out the
// first byte of the hash, which all occurrences of a part share.
type Occurrence struct{ Hash, Place uint64 }

// A Writer writes occurrences. It is for one goroutine.
type Writer struct {
	files *spill.Files
	parts [Parts]struct {
		buf  []byte
		last uint64 // place
	}
}

// NewWriter returns a writer to files, which must have [Parts] partitions.
func NewWriter(files *spill.Files) *Writer {
	w := &Writer{files: files}
	for i := range w.parts {
		w.parts[i].buf = make([]byte, 0, partBuffer+longest)
	}
	return w
}

// Add adds an occurrence. Places must be in ascending order.
func (w *Writer) Add(hash, place uint64) error {
	number := hash >> 56
	p := &w.parts[number]
	at := len(p.buf)
	buf := p.buf[:at+longest]
	binary.LittleEndian.PutUint64(buf[at:], hash)
	at += hashBytes
	at += putVarint(buf[at:], place-p.last)
	p.last = place
	if p.buf = buf[:at]; len(p.buf) < partBuffer {
		return nil
	}
	err := w.files.Append(int(number), p.buf)
	p.buf = p.buf[:0]
	return err
}

// short is the least number that takes more than four bytes, which is rare. Shorter
// numbers are coded without a branch on their length, which would be mispredicted a
// third of the time.
const short = 1 << 28

// putVarint writes a number to b, which must have room for the longest, and returns
// its length.
func putVarint(b []byte, x uint64) int {
	if x >= short {
		return binary.PutUvarint(b, x)
	}
	size := (bits.Len64(x|1) + 6) / 7
	spread := uint32(x&0x7f | x<<1&0x7f00 | x<<2&0x7f0000 | x<<3&0x7f000000)
	binary.LittleEndian.PutUint32(b, spread|0x80808080&(1<<(8*(size-1))-1))
	return size
}

// Flush writes the buffers.
func (w *Writer) Flush() error {
	for i := range w.parts {
		if err := w.files.Append(i, w.parts[i].buf); err != nil {
			return err
		}
		w.parts[i].buf = w.parts[i].buf[:0]
	}
	return nil
}

// A Reader reads parts. It is for one goroutine.
type Reader struct {
	files  *spill.Files
	memory int64
	in     *bufio.Reader
	all    []Occurrence
	sorted []Occurrence
}

// NewReader returns a reader that uses about this much memory, in bytes.
func NewReader(files *spill.Files, memory int64) *Reader {
	return &Reader{files: files, memory: memory, in: bufio.NewReaderSize(nil, 1<<18)}
}

// takes is the memory for an occurrence: two lists and the receiver's table.
const takes = 16 + 16 + 8

// Each calls fn with the occurrences of a part in groups. All occurrences of a hash
// are in one group, in the order in which they were added. If a part exceeds memory,
// it is read in several rounds, each for hashes with the same first bits.
func (r *Reader) Each(ctx context.Context, part int, fn func(group []Occurrence) error) error {
	if r.files.Size(part) == 0 {
		return nil
	}
	count, width := r.files.Size(part)/(hashBytes+1), 0
	for count>>width*takes > r.memory && width < 16 {
		width++
	}
	for round := range uint64(1) << width {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.read(r.files.Reader(part), width, round); err != nil {
			return err
		}
		if err := r.groups(fn); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) read(from io.Reader, width int, round uint64) error {
	r.all = r.all[:0]
	place := uint64(0)
	r.in.Reset(from)
	for {
		window, err := r.in.Peek(max(r.in.Buffered(), longest))
		if err != nil && err != io.EOF {
			return err
		}
		if len(window) == 0 {
			return nil
		}
		size := 0
		for size+longest <= len(window) || err == io.EOF && size < len(window) {
			hash, since, n := decode(window[size:])
			size += n
			place += since
			if hash<<8>>1>>(63-width) == round {
				r.all = append(r.all, Occurrence{hash << 8 << width, place})
			}
		}
		if _, err := r.in.Discard(size); err != nil {
			return err
		}
	}
}

// decode decodes the occurrence at the start of b, which must be complete.
func decode(b []byte) (hash, since uint64, size int) {
	if len(b) < longest { // the end of a part
		var last [longest]byte
		copy(last[:], b)
		b = last[:]
	}
	hash = binary.LittleEndian.Uint64(b)
	x := binary.LittleEndian.Uint32(b[hashBytes:])
	last := ^x & 0x80808080
	if last == 0 {
		since, size = binary.Uvarint(b[hashBytes:])
		return hash, since, hashBytes + size
	}
	x &= last ^ (last - 1)
	since = uint64(x&0x7f | x>>1&0x3f80 | x>>2&0x1fc000 | x>>3&0xfe00000)
	return hash, since, hashBytes + bits.TrailingZeros32(last)>>3 + 1
}

const groupBits = 8

func (r *Reader) groups(fn func([]Occurrence) error) error {
	var starts [1<<groupBits + 1]int
	for _, o := range r.all {
		starts[o.Hash>>(64-groupBits)+1]++
	}
	for i := range 1 << groupBits {
		starts[i+1] += starts[i]
	}
	if cap(r.sorted) < len(r.all) {
		r.sorted = make([]Occurrence, len(r.all), len(r.all)+len(r.all)/8)
	}
	r.sorted = r.sorted[:len(r.all)]
	at := starts
	for _, o := range r.all {
		g := o.Hash >> (64 - groupBits)
		r.sorted[at[g]] = o
		at[g]++
	}
	for i := range 1 << groupBits {
		if starts[i] == starts[i+1] {
			continue
		}
		if err := fn(r.sorted[starts[i]:starts[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// A Table has a slot for each hash of a group.
type Table struct {
	slots []Slot
	mask  uint64
}

// A Slot is the entry of a hash in a [Table].
type Slot struct {
	hash  uint64
	Count uint64 // 0 for a slot that is free
	Place uint64
}

// Reset empties the table and makes room for a group of count occurrences.
func (t *Table) Reset(count int) {
	width := bits.Len(uint(count * 3 / 2))
	if len(t.slots) < 1<<width {
		t.slots = make([]Slot, 1<<width)
	}
	t.mask = 1<<width - 1
	clear(t.slots[:1<<width])
}

// Of returns the slot of a hash. A new slot has the count 0, which the caller must
// change.
func (t *Table) Of(hash uint64) *Slot {
	h := (hash ^ hash>>32) * 0x9E3779B97F4A7C15
	at := (h ^ h>>29) & t.mask
	for t.slots[at].Count != 0 && t.slots[at].hash != hash {
		at = (at + 1) & t.mask
	}
	t.slots[at].hash = hash
	return &t.slots[at]
}

// Each calls fn with each slot that is in use.
func (t *Table) Each(fn func(*Slot) error) error {
	for i := range t.slots[:t.mask+1] {
		if s := &t.slots[i]; s.Count != 0 {
			if err := fn(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// Collect reads a collection and calls add with the worker's result for each
// document, in order. add adds the occurrences, which go to files of dir whose names
// begin with grams, and writes other data of the document to the file beside. names
// lists all these files, for [work.Folder.Finish].
func Collect[T any](ctx context.Context, in *corpus.Input, dir *work.Folder, grams, beside string,
	newWorker func() func(*corpus.Doc) (T, error), add func(d *corpus.Doc, made T, to *Writer, w io.Writer) error,
) (sum corpus.Summary, names []string, err error) {
	files, err := spill.Create(dir.Path(grams), Parts)
	if err != nil {
		return sum, nil, err
	}
	defer closing.Into(&err, files)
	to := NewWriter(files)
	err = dir.Write(beside, func(w *bufio.Writer) error {
		sum, err = corpus.Map(ctx, in, newWorker, func(d *corpus.Doc, made T) error { return add(d, made, to, w) })
		return err
	})
	if err == nil {
		err = to.Flush()
	}
	return sum, append(files.Names(), beside), err
}
