package segment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// exclusive calls fn with the gate closed.
func (s *Store) exclusive(what phrase.Fixed, fn func() error) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	err := s.usable()
	if err == nil {
		err = guarded(s.dir, fn)
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", what, s.dir, err)
	}
	return nil
}

// Commit implements [store.Store]. Merging that becomes due runs in the background. Commit
// waits for it only if too many segments are unmerged.
func (s *Store) Commit(ctx context.Context) error {
	err := s.exclusive("commit to index", func() error {
		if err := s.commit(ctx); err != nil {
			return err
		}
		s.bulk, s.filled = s.filled, false
		s.startMerging()
		return nil
	})
	if err == nil && (s.inTurn || s.behind()) {
		s.awaitMerging(ctx)
	}
	s.reportFailure()
	return err
}

// commit makes the pending changes durable. On failure it drops them and aborts the store.
func (s *Store) commit(ctx context.Context) error {
	if ctx.Err() == nil && len(s.pending) == 0 && s.bases == nil && len(s.bookmarks) == 0 && s.progress == s.snap.index.Progress {
		s.abandon() // failed Adds may have left n-grams and text
		return nil
	}
	err := guarded(s.dir, func() error { return s.commitPending(ctx) })
	if err != nil {
		s.abandon()
		s.aborted = err
		return err
	}
	s.packs.reset(s.snap.index.Packs)
	s.settle()
	s.createReserve()
	return nil
}

func (s *Store) commitPending(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var group errgroup.Group // one works while the other waits for the disk
	group.Go(func() error { return guarded(s.dir, s.packs.sync) })
	group.Go(func() error { return s.flushAll(ctx) })
	if err := group.Wait(); err != nil {
		return err
	}
	if s.onlyDeletes() {
		return s.withReserve(func() error { return s.publish(ctx) })
	}
	return s.publish(ctx)
}

// onlyDeletes reports whether the pending changes add nothing.
func (s *Store) onlyDeletes() bool {
	for _, r := range s.pending {
		if r != nil {
			return false
		}
	}
	return len(s.fresh) == 0
}

// publish makes the next generation, which includes the pending changes.
func (s *Store) publish(ctx context.Context) error {
	x := s.snap.index.clone()
	x.Changed, x.Progress = time.Now().UTC().Truncate(time.Second), s.progress
	x.setPacks(s.packs.records)
	if s.bases != nil {
		x.Bases = *s.bases
	}
	x.setBookmarks(s.bookmarks)
	c, err := s.apply(x)
	if err != nil {
		return err
	}
	for _, f := range s.fresh {
		x.Segments = append(x.Segments, f.record)
	}
	gone := s.gone(c)
	if err := s.bury(x, gone); err != nil {
		return err
	}
	if err := s.addTable(ctx, x, c); err != nil {
		return err
	}
	if err := s.advance(x, s.open()); err != nil {
		return err
	}
	if s.job != nil {
		maps.Copy(s.job.gone, gone)
	}
	return nil
}

// setBookmarks applies bookmarks that were set since the last commit.
func (x *index) setBookmarks(set map[string]string) {
	for name, value := range set {
		if x.Bookmarks == nil {
			x.Bookmarks = map[string]string{}
		}
		if x.Bookmarks[name] = value; value == "" {
			delete(x.Bookmarks, name)
		}
	}
}

// addTable writes the changes of a commit as a table, merged with the small tables before
// it that cost no more to rewrite than the new one to write.
func (s *Store) addTable(ctx context.Context, x *index, c *changes) error {
	if x.Documents == 0 {
		x.Tables = nil
	}
	if c.empty() || x.Documents == 0 {
		return nil
	}
	kept := len(x.Tables) - dueTables(x.Tables[s.mergingTo(x):], inTurnBytes)
	open := s.snap.opened().tables
	var merged layers
	for _, r := range x.Tables[kept:] {
		merged = append(merged, open[r.File])
	}
	file := s.newFile()
	r, err := writeTable(ctx, s.disk, s.path(tableName, file), merged, c, kept == 0)
	r.File = file
	x.Tables = append(x.Tables[:kept], r)
	return err
}

// settle clears the pending changes, which were committed or dropped.
func (s *Store) settle() {
	for _, f := range s.fresh {
		_ = f.file.release() // either the snapshot uses it too, or all of it was dead
	}
	s.fresh = nil
	clear(s.pending)
	clear(s.dropped)
	clear(s.bookmarks)
	s.bases, s.progress = nil, ""
	s.sweep()
}

// abandon drops the pending changes.
func (s *Store) abandon() {
	for range cap(s.buffers) {
		b := <-s.buffers
		b.reset()
		s.buffers <- b
	}
	s.packs.reset(s.snap.index.Packs)
	s.settle()
}

// flushAll writes the contents of all buffers as one segment per list, or as one per list
// and buffer if the lists are too long to be merged at once.
func (s *Store) flushAll(ctx context.Context) (err error) {
	var buffers []*buffer
	for range cap(s.buffers) {
		buffers = append(buffers, <-s.buffers)
	}
	defer func() {
		for _, b := range buffers {
			s.buffers <- b
		}
	}()
	lists := map[int][]*run{}
	for _, b := range buffers {
		for n, runs := range b.lists() {
			lists[n] = append(lists[n], runs...)
		}
	}
	if fits(lists, maxTogether) {
		err = s.writeLists(ctx, lists)
	} else {
		for _, b := range buffers {
			err = errors.Join(err, s.writeLists(ctx, b.lists()))
		}
	}
	for _, b := range buffers {
		b.reset()
	}
	return err
}

// makeRoom empties a full buffer into its spill, or into segments if the spill is full.
// After an error the buffer still holds everything that was not written.
func (s *Store) makeRoom(ctx context.Context, b *buffer) (err error) {
	s.mu.Lock()
	s.filled = true
	s.mu.Unlock()
	if !fits(b.lists(), maxBucket) {
		if err = s.writeLists(ctx, b.lists()); err == nil {
			b.reset()
		}
		return err
	}
	if b.spill == nil {
		if b.spill, err = newSpill(s.disk, s.path(spillName, s.newFile())); err != nil {
			return err
		}
	}
	for _, n := range slices.Sorted(maps.Keys(b.runs)) {
		r := b.runs[n]
		if r.grams > 0 {
			if err := b.spill.append(r); err != nil {
				return err
			}
			b.spilled = append(b.spilled, r)
		}
		b.empty(r)
	}
	return nil
}

// writeLists writes a segment for each list. After an error it leaves none.
func (s *Store) writeLists(ctx context.Context, lists map[int][]*run) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(listsAtOnce)
	made := make([]fresh, len(lists))
	for i, n := range slices.Sorted(maps.Keys(lists)) {
		number := s.newFile()
		group.Go(func() error {
			return guarded(s.dir, func() (err error) {
				made[i], err = s.writeRuns(ctx, lists[n], number)
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		for _, f := range made {
			if f.file != nil {
				_ = f.file.release()
				_ = s.disk.remove(f.file.path) // otherwise the next writer removes it
			}
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = append(s.fresh, made...)
	return nil
}

// writeRuns writes the runs of one list as a segment.
func (s *Store) writeRuns(ctx context.Context, list runs, number uint64) (fresh, error) {
	path := s.path(segmentName, number)
	size, err := newRunMerger(list).write(ctx, s.disk, path, s.workers)
	if err != nil {
		return fresh{}, err
	}
	return openFresh(number, path, size)
}

// openFresh opens a segment that was just written.
func openFresh(number uint64, path string, size int64) (fresh, error) {
	f, err := openFile(path, size)
	if err != nil {
		return fresh{}, err
	}
	return fresh{segmentRecord{File: number, N: f.n, Bytes: size, Grams: int64(f.grams), Sum: f.sum}, f}, nil
}

// path returns the path of the index file with this name pattern and number.
func (s *Store) path(form string, number uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf(form, number))
}

// apply updates the counts in x by the pending changes, and returns the changes.
func (s *Store) apply(x *index) (*changes, error) {
	c := newChanges()
	for id, r := range s.pending {
		old, err := s.snap.tables.get(id)
		if err != nil {
			return nil, err
		}
		if old != nil {
			x.count(old, -1)
			c.remove(old, r)
		}
		if r != nil {
			x.count(r, 1)
			c.put(r, old)
		}
	}
	return c, nil
}

// gone returns the numbers that are dead after the commit.
func (s *Store) gone(c *changes) map[uint64]bool {
	gone := maps.Clone(s.dropped)
	for _, number := range c.dead {
		gone[number] = true
	}
	return gone
}

// setPacks records the written lengths of packs in x.
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

// bury adds the n-grams that die with this commit to the counts of their segments, and
// removes segments and packs from x that have nothing live.
func (s *Store) bury(x *index, gone map[uint64]bool) error {
	open := s.open().segments
	for i := range x.Segments {
		r := &x.Segments[i]
		dead, err := open[r.File].deadOf(gone)
		if err != nil {
			return err
		}
		r.Dead += dead
	}
	x.Segments = slices.DeleteFunc(x.Segments, func(r segmentRecord) bool { return r.Dead == r.Grams })
	x.Packs = slices.DeleteFunc(x.Packs, func(r packRecord) bool { return r.Live == 0 && !s.moving(r) })
	return nil
}

// deadOf returns how many n-grams of the segment belong to the numbers in gone.
func (f *file) deadOf(gone map[uint64]bool) (dead int64, err error) {
	if len(gone) == 0 {
		return 0, nil
	}
	if err := f.ensure(f.end, f.end+uint64(len(f.table))); err != nil {
		return 0, err
	}
	least, most := uint64(math.MaxUint64), uint64(0)
	for number := range gone {
		least, most = min(least, number), max(most, number)
	}
	for i := range f.pieces {
		if p := f.piece(i); p.number >= least && p.number <= most && gone[p.number] {
			dead += int64(f.pieceEnd(i) - uint64(p.first))
		}
	}
	return dead, nil
}

// open returns all open files, committed and pending.
func (s *Store) open() opened {
	open := s.snap.opened()
	for _, f := range s.fresh {
		open.segments[f.record.File] = f.file
	}
	return open
}

// advance makes x the next generation. On error the present generation stays, and the error
// says so if a power failure could still bring up the new one.
func (s *Store) advance(x *index, open opened) error {
	s.mu.Lock()
	x.NextNumber, x.NextFile = s.nextNumber, s.nextFile
	s.mu.Unlock()
	s.undecided = true
	next, err := s.make(x, s.snap.generation+1, open)
	if err != nil {
		if rerr := s.decide(); rerr != nil {
			err = phrase.Error("damage.undecided", "{cause}; whether the commit was made is unknown until the index is opened again: {why}", "cause", err, "why", rerr)
		}
		return err
	}
	s.undecided = false
	_ = s.replace(next) // an error only concerns closing files that were read
	return nil
}

// make writes the manifest of a generation and opens the generation.
func (s *Store) make(x *index, generation uint64, open opened) (*snapshot, error) {
	path := s.path(manifestName, generation)
	if err := writeManifest(s.disk, path, x); err != nil {
		return nil, err
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return nil, err
	}
	if err := s.disk.step.Before("open", path); err != nil {
		return nil, err
	}
	return openSnapshot(s.dir, generation, open)
}

// decide makes sure that no manifest newer than the present generation exists, nor can
// reappear after a power failure. Until that is certain, no file may be removed or
// truncated, since the newer generation needs it.
func (s *Store) decide() error {
	if !s.undecided {
		return nil
	}
	l, err := list(s.dir)
	if err != nil {
		return err
	}
	for _, generation := range l.manifests {
		if generation > s.snap.generation {
			if err := s.disk.remove(s.path(manifestName, generation)); err != nil {
				return err
			}
		}
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		return err
	}
	s.undecided = false
	return nil
}

// sweep removes index files that neither the present generation lists nor a merge is
// writing, and truncates packs to their committed lengths. Files that cannot be removed,
// such as open ones on some systems, are left for the next sweep.
func (s *Store) sweep() {
	if s.decide() != nil {
		return
	}
	s.packs.cut()
	l, err := list(s.dir)
	if err != nil {
		return
	}
	for _, name := range l.unlisted(s.snap.index, s.snap.generation, s.making) {
		_ = s.disk.remove(filepath.Join(s.dir, name))
	}
}

// Recreate implements [store.Store].
func (s *Store) Recreate(ctx context.Context, settings store.Settings) error {
	err := s.stopMerging(ctx)
	if err == nil {
		defer s.unlockMerging()
		err = context.Cause(ctx)
	}
	return s.exclusive("empty index", func() error {
		s.abandon()
		empty := func() error { return s.advance(&index{Settings: settings}, opened{}) }
		if err == nil {
			err = s.withReserve(empty)
		}
		if err != nil {
			s.aborted = err
			return err
		}
		s.packs.reset(nil)
		s.sweep()
		s.createReserve()
		return nil
	})
}
