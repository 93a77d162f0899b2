package segment

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

const (
	// inTurnBytes limits the bytes of earlier tables that a commit rewrites itself.
	inTurnBytes = 1 << 20
	// mostSegments is the number of segments in one list above which a commit waits for
	// merging.
	mostSegments = 2 * bulkFanOut
	// listsAtOnce is how many lists are merged concurrently: one works while the other
	// waits for the disk.
	listsAtOnce = 2
)

// A job is a merge in progress. It works on the generation that was current when it began,
// while documents are added, committed and looked up. There is one job at a time, which
// bounds the disk space that merging needs to the size of its input, and its memory to some
// chunks.
type job struct {
	plan   plan
	snap   *snapshot
	gone   map[uint64]bool // numbers that died since the job began; changed with the gate closed
	fresh  []fresh         // merged segments
	packs  *packWriter     // writes moved texts
	places map[store.DocID]movedText
	table  tableRecord
}

// A movedText holds the old and the new place of a text.
type movedText struct{ from, to place }

// startMerging starts the merge that is due in the background, unless one is running. The
// gate is closed.
func (s *Store) startMerging() {
	if s.stopped() {
		return
	}
	p := s.due()
	if p.empty() {
		s.noteMerging(nil)
		return
	}
	select {
	case s.merging <- struct{}{}:
	default:
		return // the running job starts it when it ends
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	j := s.begin(p)
	go func() {
		defer s.unlockMerging()
		defer cancel()
		for j != nil {
			j = s.workOn(ctx, j)
		}
	}()
}

// workOn runs a job, and returns the next one if another merge is due then.
func (s *Store) workOn(ctx context.Context, j *job) (next *job) {
	err := s.work(ctx, j)
	if ctx.Err() != nil {
		return nil
	}
	s.noteMerging(err)
	if err != nil {
		return nil
	}
	s.gate.Lock()
	defer s.gate.Unlock()
	if p := s.due(); !p.empty() {
		return s.begin(p)
	}
	return nil
}

// noteMerging records whether merging failed.
func (s *Store) noteMerging(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !s.failed {
		s.failure = phrase.Error("damage.merge", "merge segments of index {name}: {cause}", "name", s.dir, "cause", err)
	}
	s.failed = err != nil
}

// reportFailure reports failed merging to Warn, once until merging succeeds again.
func (s *Store) reportFailure() {
	s.mu.Lock()
	err := s.failure
	s.failure = nil
	s.mu.Unlock()
	if err != nil && s.warn != nil {
		s.warn(err)
	}
}

// behind reports whether too many segments are unmerged.
func (s *Store) behind() bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return false
	}
	return slices.ContainsFunc(s.snap.index.byN(), func(list []segmentRecord) bool { return len(list) > mostSegments })
}

// awaitMerging waits until no merge is running, ctx is done, or Options.Stop is closed.
func (s *Store) awaitMerging(ctx context.Context) {
	select {
	case s.merging <- struct{}{}:
		s.unlockMerging()
	case <-ctx.Done():
	case <-s.stop:
	}
}

// stopped reports whether Options.Stop is closed.
func (s *Store) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// catchUp starts the merging that was postponed while buffers overflowed.
func (s *Store) catchUp() {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.bulk && !s.closed && s.aborted == nil {
		s.bulk = false
		s.startMerging()
	}
}

// stopMerging cancels the merge in the background, and prevents others until unlockMerging is
// called.
func (s *Store) stopMerging(ctx context.Context) error {
	s.cancelMerging()
	return s.lockMerging(ctx)
}

// cancelMerging cancels the merge in the background.
func (s *Store) cancelMerging() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// lockMerging waits until no merge is running, and prevents others until unlockMerging is
// called.
func (s *Store) lockMerging(ctx context.Context) error {
	select {
	case s.merging <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Store) unlockMerging() { <-s.merging }

// Optimize implements [store.Store]. Documents can be added and looked up meanwhile. It
// cancels a running merge, whose result would be merged again.
func (s *Store) Optimize(ctx context.Context) error {
	if err := s.stopMerging(ctx); err != nil {
		return phrase.Error("damage.optimize", "optimize index {name}: {cause}", "name", s.dir, "cause", err)
	}
	defer s.unlockMerging()
	err := s.exclusive("optimize index", func() error { return s.commit(ctx) })
	for range 2 { // moving texts makes another table
		var j *job
		if err == nil {
			err = s.exclusive("optimize index", func() error {
				if p := s.wholePlan(); !p.empty() {
					j = s.begin(p)
				}
				return nil
			})
		}
		if j == nil {
			return err
		}
		if err = s.work(ctx, j); err != nil {
			err = phrase.Error("damage.optimize", "optimize index {name}: {cause}", "name", s.dir, "cause", err)
		}
	}
	return err
}

// begin creates the job for a plan. The gate is closed.
func (s *Store) begin(p plan) *job {
	s.snap.refs.Add(1)
	j := &job{plan: p, snap: s.snap, gone: map[uint64]bool{}, places: map[store.DocID]movedText{}}
	j.packs = newPackWriter(s.dir, s.disk, s.newBusyFile)
	s.packs.shun(p.packs)
	s.job = j
	return j
}

// work runs a job and commits its result. After an error the index is unchanged.
func (s *Store) work(ctx context.Context, j *job) error {
	err := guarded(s.dir, func() error { return s.carryOut(ctx, j) })
	s.gate.Lock()
	defer s.gate.Unlock()
	if err == nil {
		err = guarded(s.dir, func() error { return s.install(ctx, j) })
	}
	s.end(j)
	return err
}

// end closes a job, and removes its files unless the present generation lists them. The
// gate is closed.
func (s *Store) end(j *job) {
	s.job = nil
	s.packs.shun(nil)
	j.packs.reset(nil)
	for _, f := range j.fresh {
		_ = f.file.release() // either the snapshot uses it too, or all of it was dead
	}
	_ = j.snap.release()
	s.mu.Lock()
	made := s.busy
	s.busy = map[uint64]bool{}
	s.mu.Unlock()
	s.removeFiles(made)
}

// newBusyFile returns a number for a file that the merge writes.
func (s *Store) newBusyFile() uint64 {
	file := s.newFile()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy[file] = true
	return file
}

// making reports whether the merge in progress is writing a file.
func (s *Store) making(file uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy[file]
}

// carryOut merges segments and tables and moves texts, without holding the gate.
func (s *Store) carryOut(ctx context.Context, j *job) error {
	open := j.snap.opened()
	if err := s.mergeGroups(ctx, j, open.segments); err != nil {
		return err
	}
	if err := j.moveTexts(ctx); err != nil {
		return err
	}
	if err := j.packs.sync(); err != nil || len(j.plan.tables) == 0 {
		return err
	}
	var tables layers
	for _, r := range j.plan.tables {
		tables = append(tables, open.tables[r.File])
	}
	file := s.newBusyFile()
	r, err := writeTable(ctx, s.disk, s.path(tableName, file), tables, nil, j.plan.oldest)
	j.table = r
	j.table.File = file
	return err
}

// mergeGroups merges each group of segments.
func (s *Store) mergeGroups(ctx context.Context, j *job, open map[uint64]*file) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(listsAtOnce)
	made := make([]fresh, len(j.plan.segments))
	for i, list := range j.plan.segments {
		files := lists.Map(list, func(r segmentRecord) *file { return open[r.File] })
		number := s.newBusyFile()
		group.Go(func() error {
			return guarded(s.dir, func() (err error) {
				made[i], err = s.mergeFiles(ctx, j, files, number)
				return err
			})
		})
	}
	err := group.Wait()
	for _, f := range made {
		if f.file != nil {
			j.fresh = append(j.fresh, f)
		}
	}
	return err
}

// mergeFiles merges segments of one list into one file, or returns no file if none of their
// n-grams is live.
func (s *Store) mergeFiles(ctx context.Context, j *job, files []*file, number uint64) (fresh, error) {
	m, err := newMerger(files, func(number uint64) (bool, error) {
		_, ok, err := j.snap.tables.owner(number)
		return ok, err
	})
	if err != nil || len(m.pieces) == 0 {
		return fresh{}, err
	}
	path := s.path(segmentName, number)
	size, err := m.write(ctx, s.disk, path, s.workers)
	if err != nil {
		return fresh{}, err
	}
	return openFresh(number, path, size)
}

// moveTexts copies the live texts of the planned packs to new packs.
func (j *job) moveTexts(ctx context.Context) error {
	if len(j.plan.packs) == 0 {
		return nil
	}
	from := map[uint64]*os.File{}
	for _, r := range j.plan.packs {
		from[r.File] = j.snap.packs[r.File]
	}
	return j.snap.tables.walk(ctx, "", func(r *record) error {
		if r.Place == nil || r.Place.Stored == 0 || from[r.Place.Pack] == nil {
			return nil
		}
		to, err := j.packs.move(from[r.Place.Pack], *r.Place)
		if err == nil {
			j.places[r.ID] = movedText{*r.Place, *to}
		}
		return err
	})
}

// install makes a generation in which the results of the job replace its input. The gate is
// closed.
func (s *Store) install(ctx context.Context, j *job) error {
	x := s.snap.index.clone()
	open := s.open()
	if err := x.replaceSegments(j); err != nil {
		return err
	}
	for _, f := range j.fresh {
		open.segments[f.record.File] = f.file
	}
	x.replaceTables(j)
	c, err := s.replacePlaces(x, j)
	if err != nil {
		return err
	}
	if err := s.addTable(ctx, x, c); err != nil {
		return err
	}
	before := s.snap
	before.refs.Add(1)
	defer before.release()
	if err := s.advance(x, open); err != nil {
		return err
	}
	s.packs.adopt(x.Packs)
	s.removeReplaced(before)
	return nil
}

// replaceSegments replaces merged segments in x by the results of the job.
func (x *index) replaceSegments(j *job) error {
	merged := map[uint64]bool{}
	for _, r := range slices.Concat(j.plan.segments...) {
		merged[r.File] = true
	}
	x.Segments = slices.DeleteFunc(x.Segments, func(r segmentRecord) bool { return merged[r.File] })
	for _, f := range j.fresh {
		dead, err := f.file.deadOf(j.gone)
		if err != nil {
			return err
		}
		if r := f.record; dead < r.Grams {
			r.Dead = dead
			x.Segments = append(x.Segments, r)
		}
	}
	return nil
}

// replaceTables replaces merged tables in x by the result. Tables of later commits stay
// after it.
func (x *index) replaceTables(j *job) {
	if len(j.plan.tables) == 0 {
		return
	}
	at := slices.Index(x.Tables, j.plan.tables[0])
	if at < 0 {
		return // a later commit deleted all documents, and with them all tables
	}
	x.Tables = slices.Replace(x.Tables, at, at+len(j.plan.tables), j.table)
}

// replacePlaces updates the places of moved texts whose documents still exist, and removes
// packs from x that have no other texts.
func (s *Store) replacePlaces(x *index, j *job) (*changes, error) {
	for _, r := range j.packs.records {
		x.Packs = append(x.Packs, packRecord{File: r.File, Length: r.Length})
	}
	c := newChanges()
	for id, m := range j.places {
		r, err := s.snap.tables.get(id)
		if err != nil {
			return nil, err
		}
		if r == nil || r.Place == nil || *r.Place != m.from {
			continue
		}
		old := *r
		r.Place = &m.to
		x.count(&old, -1)
		x.count(r, 1)
		c.put(r, &old)
	}
	x.Packs = slices.DeleteFunc(x.Packs, func(r packRecord) bool {
		planned := func(o packRecord) bool { return o.File == r.File }
		return r.Live == 0 && (slices.ContainsFunc(j.plan.packs, planned) || slices.ContainsFunc(j.packs.records, planned))
	})
	return c, nil
}

// removeReplaced removes the files of an earlier generation that the present one does not
// list. Other files may belong to documents that are being added.
func (s *Store) removeReplaced(before *snapshot) {
	gone := listing{manifests: []uint64{before.generation}}
	for _, r := range before.index.Segments {
		gone.segments = append(gone.segments, r.File)
	}
	for _, r := range before.index.Packs {
		gone.packs = append(gone.packs, r.File)
	}
	for _, r := range before.index.Tables {
		gone.tables = append(gone.tables, r.File)
	}
	s.removeUnlisted(&gone)
}

// removeFiles removes those of the given files that the present generation does not list.
func (s *Store) removeFiles(files map[uint64]bool) {
	if len(files) == 0 || s.decide() != nil {
		return
	}
	l, err := list(s.dir)
	if err != nil {
		return
	}
	other := func(file uint64) bool { return !files[file] }
	s.removeUnlisted(&listing{
		segments: slices.DeleteFunc(l.segments, other), packs: slices.DeleteFunc(l.packs, other), tables: slices.DeleteFunc(l.tables, other),
	})
}

// removeUnlisted removes the files in l that the present generation does not list.
func (s *Store) removeUnlisted(l *listing) {
	for _, name := range l.unlisted(s.snap.index, s.snap.generation, func(uint64) bool { return false }) {
		_ = s.disk.remove(filepath.Join(s.dir, name)) // otherwise the next commit removes it
	}
}

// moving reports whether the job in progress moves texts out of a pack.
func (s *Store) moving(r packRecord) bool {
	return s.job != nil && slices.ContainsFunc(s.job.plan.packs, func(o packRecord) bool { return o.File == r.File })
}

// mergingTo returns how many of the oldest tables must stay unchanged because the job in
// progress merges them.
func (s *Store) mergingTo(x *index) int {
	if s.job == nil || len(s.job.plan.tables) == 0 {
		return 0
	}
	return slices.Index(x.Tables, s.job.plan.tables[len(s.job.plan.tables)-1]) + 1
}
