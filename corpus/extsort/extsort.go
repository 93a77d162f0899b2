// Package extsort sorts more records than fit in memory.
//
// A record is bytes, and the order is that of [bytes.Compare]: write numbers big
// end first. [Sorter.Add] adds records, [Sorter.Each] iterates over them in order.
// Records that do not fit into memory are sorted into files and merged.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

const (
	entryBytes = 16      // size of an entry of the sorted list, without the record
	mostRuns   = 128     // limit of runs in one merge
	readBytes  = 1 << 16 // read buffer of each run
)

// A Sorter sorts records. It is not safe for concurrent use.
type Sorter struct {
	path   string // prefix of its files
	memory int    // limit in bytes for records and their list
	data   arena
	list   []entry
	runs   []string // files of sorted records
	made   int      // number of files made so far
}

// New returns a sorter that uses about memory bytes. The names of its files start
// with path.
func New(path string, memory int64) *Sorter {
	return &Sorter{path: path, memory: int(min(max(memory, 1<<20), mostArena))}
}

// Add adds a record, which is copied.
func (s *Sorter) Add(record []byte) error {
	if len(s.list) > 0 && s.data.size+len(record)+entryBytes*(len(s.list)+1) > s.memory {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if len(s.list) == cap(s.list) {
		s.lengthen()
	}
	s.list = append(s.list, entry{head(record), s.data.add(record), uint32(len(record))})
	return nil
}

// lengthen grows the list. As soon as the mean length of records is known, it grows to
// its final length, because old and new list coexist while it is copied.
func (s *Sorter) lengthen() {
	count := max(2*cap(s.list), 1<<10)
	if s.data.size >= 4*pieceBytes {
		each := s.data.size/len(s.list) + entryBytes
		count = max(s.memory/each+s.memory/each/16, cap(s.list)+cap(s.list)/4)
	}
	longer := make([]entry, len(s.list), count)
	copy(longer, s.list)
	s.list = longer
}

func (s *Sorter) record(e entry) []byte { return s.data.record(e) }

func (s *Sorter) flush() error {
	s.data.sort(s.list)
	err := s.write(func(put func([]byte) error) error {
		for _, e := range s.list {
			if err := put(s.record(e)); err != nil {
				return err
			}
		}
		return nil
	})
	s.data.reset()
	s.list = s.list[:0]
	return err
}

func (s *Sorter) write(fill func(put func([]byte) error) error) error {
	path := fmt.Sprintf("%s.%d", s.path, s.made)
	s.made++
	f, err := os.Create(path)
	if err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
	s.runs = append(s.runs, path)
	w := bufio.NewWriterSize(f, 1<<18)
	var size [binary.MaxVarintLen64]byte
	err = fill(func(record []byte) error {
		if _, err := w.Write(size[:binary.PutUvarint(size[:], uint64(len(record)))]); err != nil {
			return err
		}
		_, err := w.Write(record)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	err = cmp.Or(err, f.Close())
	if err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
	return nil
}

// Each calls fn with every record in order, including duplicates. A record is valid
// only during the call. The sorter is empty afterwards.
func (s *Sorter) Each(ctx context.Context, fn func(record []byte) error) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	if len(s.runs) == 0 {
		return s.eachInMemory(ctx, fn)
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.data, s.list = arena{}, nil
	for len(s.runs) > mostRuns {
		if err := s.mergeSome(ctx); err != nil {
			return err
		}
	}
	return merge(ctx, s.runs, fn)
}

func (s *Sorter) eachInMemory(ctx context.Context, fn func([]byte) error) error {
	s.data.sort(s.list)
	for i, e := range s.list {
		if i&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := fn(s.record(e)); err != nil {
			return err
		}
	}
	return nil
}

// mergeSome merges the first files into one, which is appended to the list.
func (s *Sorter) mergeSome(ctx context.Context) error {
	some := s.runs[:mostRuns]
	s.runs = slices.Clone(s.runs[mostRuns:])
	err := s.write(func(put func([]byte) error) error { return merge(ctx, some, put) })
	return errors.Join(err, removeAll(some))
}

// Close removes the remaining files.
func (s *Sorter) Close() error {
	err := removeAll(s.runs)
	s.data, s.list, s.runs = arena{}, nil, nil
	return err
}

func removeAll(paths []string) error {
	var errs error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// merge calls fn with the records of sorted files in order.
func merge(ctx context.Context, paths []string, fn func([]byte) error) (err error) {
	var h runHeap
	defer func() {
		for _, r := range h.all {
			err = errors.Join(err, r.file.Close())
		}
	}()
	if err := lists.Each(paths, h.open); err != nil {
		return err
	}
	heap.Init(&h)
	for count := 0; h.Len() > 0; count++ {
		if count&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r := h.runs[0]
		if err := fn(r.record); err != nil {
			return err
		}
		if err := h.advance(r); err != nil {
			return err
		}
	}
	return nil
}

type run struct {
	file   *os.File
	buf    *bufio.Reader
	record []byte // the next one
}

// next reads the next record. It returns io.EOF after the last one.
func (r *run) next() error {
	size, err := binary.ReadUvarint(r.buf)
	if err != nil {
		return err
	}
	r.record = slices.Grow(r.record[:0], int(size))[:size]
	_, err = io.ReadFull(r.buf, r.record)
	return err
}

// A runHeap is a heap of runs; the run with the lowest record is first.
type runHeap struct{ runs, all []*run }

func (h *runHeap) Len() int           { return len(h.runs) }
func (h *runHeap) Less(i, j int) bool { return bytes.Compare(h.runs[i].record, h.runs[j].record) < 0 }
func (h *runHeap) Swap(i, j int)      { h.runs[i], h.runs[j] = h.runs[j], h.runs[i] }
func (h *runHeap) Push(x any)         { h.runs = append(h.runs, x.(*run)) }
func (h *runHeap) Pop() any {
	last := h.runs[len(h.runs)-1]
	h.runs = h.runs[:len(h.runs)-1]
	return last
}

func (h *runHeap) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return oserror.Cause(err)
	}
	r := &run{file: f, buf: bufio.NewReaderSize(f, readBytes)}
	h.all = append(h.all, r)
	switch err := r.next(); err {
	case nil:
		h.runs = append(h.runs, r)
		return nil
	case io.EOF:
		return nil
	default:
		return phrase.Error("cause.read-file", "read {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
}

// advance reads the next record of r, the first run, and restores the heap.
func (h *runHeap) advance(r *run) error {
	switch err := r.next(); err {
	case nil:
		heap.Fix(h, 0)
		return nil
	case io.EOF:
		heap.Pop(h)
		return nil
	default:
		return phrase.Error("cause.read-file", "read {name}: {cause}", "name", r.file.Name(), "cause", oserror.Cause(err))
	}
}
