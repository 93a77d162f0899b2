package segment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/store"
)

// exclusive calls fn while no Add or Delete is under way.
func (s *Store) exclusive(what string, fn func() error) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	err := os.ErrClosed
	if !s.closed {
		err = guarded(s.dir, fn)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, s.dir, err)
	}
	return nil
}

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context) error {
	return s.exclusive("commit to index", func() error {
		if err := s.commit(ctx); err != nil {
			return err
		}
		// Everything is committed, so merging that fails, for want of space
		// say, is no reason for an error, and the next commit tries again.
		s.tellOnce(ctx, s.rewrite(ctx, s.due()))
		return nil
	})
}

// tellOnce warns of the first error of merging since it was done last.
func (s *Store) tellOnce(ctx context.Context, err error) {
	if err != nil && !s.warned && ctx.Err() == nil && s.warn != nil {
		s.warn(fmt.Errorf("merge segments of index %s: %w", s.dir, err))
	}
	s.warned = err != nil
}

// commit makes what is pending lasting, or drops it.
func (s *Store) commit(ctx context.Context) error {
	if len(s.pending) == 0 && s.bases == nil {
		s.abandon() // what failed Adds left
		return context.Cause(ctx)
	}
	err := guarded(s.dir, func() error { return s.commitPending(ctx) })
	if err != nil {
		s.abandon()
		return err
	}
	s.packs.reset(s.snap.index.Packs)
	s.settle()
	return nil
}

func (s *Store) commitPending(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.flushAll(); err != nil {
		return err
	}
	if err := s.packs.sync(); err != nil {
		return err
	}
	return s.advance(s.copyCatalogue, s.apply)
}

// settle forgets what was pending after it has been committed.
func (s *Store) settle() {
	for _, f := range s.fresh {
		_ = f.file.release() // the snapshot has it too, or it was all dead
	}
	s.fresh = nil
	clear(s.pending)
	clear(s.dropped)
	s.bases = nil
	s.sweep()
}

// abandon drops what is pending.
func (s *Store) abandon() {
	for range cap(s.buffers) {
		b := <-s.buffers
		b.reset()
		s.buffers <- b
	}
	s.packs.reset(s.snap.index.Packs)
	s.settle()
}

// flushAll writes all runs as segments.
func (s *Store) flushAll() error {
	var group errgroup.Group
	for range cap(s.buffers) {
		b := <-s.buffers
		group.Go(func() error {
			err := guarded(s.dir, func() error { return s.flush(b) })
			s.buffers <- b
			return err
		})
	}
	return group.Wait()
}

// flush writes the runs of b as segments and empties it. After an error it has
// what was not written.
func (s *Store) flush(b *buffer) error {
	for _, n := range slices.Sorted(maps.Keys(b.runs)) {
		run := b.runs[n]
		if run.grams > 0 {
			number := s.newFile()
			path := s.segmentPath(number)
			size, err := b.write(s.disk, path, run)
			if err != nil {
				return err
			}
			if err := s.addFresh(number, path, size); err != nil {
				return err
			}
		}
		b.empty(run)
	}
	return nil
}

// addFresh opens a segment that was written.
func (s *Store) addFresh(number uint64, path string, size int64) error {
	f, err := openFile(path, size)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := segmentRecord{File: number, N: f.n, Bytes: size, Grams: int64(f.grams)}
	s.fresh = append(s.fresh, fresh{r, f})
	return nil
}

func (s *Store) segmentPath(number uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf(segmentName, number))
}

// apply makes the pending changes to a catalogue.
func (s *Store) apply(tx *bolt.Tx, x *index) error {
	x.Changed = time.Now().UTC().Truncate(time.Second)
	x.setPacks(s.packs.records)
	if s.bases != nil {
		x.Bases = *s.bases
	}
	gone := maps.Clone(s.dropped)
	for _, id := range s.pendingByName() {
		r := s.pending[id]
		old, err := getByID(tx, id)
		if err != nil {
			return err
		}
		if old != nil {
			if err := x.remove(tx, old); err != nil {
				return err
			}
			for _, number := range old.numbers() {
				gone[number] = r == nil || !slices.Contains(r.numbers(), number)
			}
		}
		if r != nil {
			if err := x.insert(tx, r); err != nil {
				return err
			}
		}
	}
	for _, f := range s.fresh {
		x.Segments = append(x.Segments, f.record)
	}
	s.bury(x, gone)
	return nil
}

// pendingByName returns the ids of the pending entries, deleted ones first,
// then by name: B+trees like sorted keys.
func (s *Store) pendingByName() []store.DocID {
	name := func(id store.DocID) string {
		if r := s.pending[id]; r != nil {
			return r.Name()
		}
		return ""
	}
	return slices.SortedFunc(maps.Keys(s.pending), func(a, b store.DocID) int { return strings.Compare(name(a), name(b)) })
}

// setPacks takes over how far packs have been written.
func (x *index) setPacks(records []packRecord) {
	for _, r := range records {
		i := slices.IndexFunc(x.Packs, func(o packRecord) bool { return o.File == r.File })
		if i < 0 {
			x.Packs = append(x.Packs, packRecord{File: r.File})
			i = len(x.Packs) - 1
		}
		x.Packs[i].Length = r.Length
	}
}

// bury counts the n-grams that are dead from now on, and takes out segments
// that have no others.
func (s *Store) bury(x *index, gone map[uint64]bool) {
	open := s.open()
	for i := range x.Segments {
		r := &x.Segments[i]
		if f := open[r.File]; len(gone) > 0 {
			for k := range f.pieces {
				if p := f.piece(k); gone[p.number] {
					r.Dead += int64(f.pieceEnd(k) - uint64(p.first))
				}
			}
		}
	}
	x.Segments = slices.DeleteFunc(x.Segments, func(r segmentRecord) bool { return r.Dead == r.Grams })
}

// open returns all segments, committed and not.
func (s *Store) open() map[uint64]*file {
	open := s.snap.files()
	for _, f := range s.fresh {
		open[f.record.File] = f.file
	}
	return open
}

// advance makes the next generation: what prepare makes at a path, changed by
// change. After an error the present one stays.
func (s *Store) advance(prepare func(path string) error, change func(*bolt.Tx, *index) error) error {
	x := s.snap.index.clone()
	generation := s.snap.generation + 1
	path := filepath.Join(s.dir, fmt.Sprintf(catalogueName, generation))
	err := writeCatalogue(s.disk, s.dir, path, prepare, func(tx *bolt.Tx) error {
		if err := change(tx, x); err != nil {
			return err
		}
		x.NextNumber, x.NextFile = s.nextNumber, s.nextFile
		return putIndex(tx, x)
	})
	if err != nil {
		return err
	}
	err = s.disk.syncDir(s.dir)
	var next *snapshot
	if err == nil {
		next, err = openSnapshot(s.dir, generation, s.open())
	}
	if err != nil {
		return errors.Join(err, s.disk.remove(path))
	}
	return s.replace(next)
}

// copyCatalogue copies the present catalogue.
func (s *Store) copyCatalogue(path string) error { return s.disk.copyDatabase(s.snap.path(), path) }

// sweep removes the files of ours that the present catalogue does not list.
// What cannot be removed, as an open file in some systems, is left for the next
// time.
func (s *Store) sweep() {
	l, err := list(s.dir)
	if err != nil {
		return
	}
	for _, name := range l.unlisted(s.snap.index, s.snap.generation) {
		_ = s.disk.remove(filepath.Join(s.dir, name))
	}
}

// Recreate implements [store.Store].
func (s *Store) Recreate(ctx context.Context, settings store.Settings) error {
	return s.exclusive("empty index", func() error {
		s.abandon()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := s.advance(s.disk.empty, func(tx *bolt.Tx, x *index) error {
			*x = index{Settings: settings}
			return createBuckets(tx)
		})
		if err != nil {
			return err
		}
		s.packs.reset(nil)
		s.sweep()
		return nil
	})
}
