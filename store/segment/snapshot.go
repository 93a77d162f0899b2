package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// A snapshot is an index as of one commit, open for reading.
type snapshot struct {
	dir        string
	generation uint64
	manifest   *os.File
	index      *index
	tables     layers
	segments   []*view
	packs      map[uint64]*os.File
	recent     recent

	refs atomic.Int64
}

// A view is a segment in a snapshot, with a cache of the documents that its pieces belong
// to.
type view struct {
	*file
	record segmentRecord
	once   sync.Once
	owners []owner // by piece
}

// An owner caches the document of a piece.
type owner struct {
	state atomic.Uint32
	id    atomic.Uint64
}

const (
	ownerUnknown = iota
	ownerDead
	ownerLive
)

// openTries limits how often opening restarts because a commit replaced the files.
const openTries = 20

// openNewest opens the newest generation in dir.
func openNewest(dir string) (*snapshot, error) {
	for try := 1; ; try++ {
		l, err := list(dir)
		if err != nil {
			return nil, err
		}
		generation, err := l.newest(dir)
		if err != nil {
			return nil, err
		}
		s, err := openSnapshot(dir, generation, opened{})
		if !errors.Is(err, fs.ErrNotExist) || try == openTries {
			return s, err
		}
		if again, lerr := list(dir); lerr == nil {
			if newer, nerr := again.newest(dir); nerr == nil && newer == generation {
				return nil, fmt.Errorf("%w: %w", store.ErrDamaged, err) // no commit replaced it: the file is missing
			}
		}
	}
}

// opened are files that are already open, by number.
type opened struct {
	segments map[uint64]*file
	tables   map[uint64]*table
}

// openSnapshot opens a generation. It reuses the files in open.
func openSnapshot(dir string, generation uint64, open opened) (_ *snapshot, err error) {
	s := &snapshot{dir: dir, generation: generation, packs: map[uint64]*os.File{}}
	s.refs.Store(1)
	defer func() {
		if err != nil {
			_ = s.release()
		}
	}()
	if err := guarded(dir, func() error { return s.openFiles(open) }); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *snapshot) openFiles(open opened) error {
	if err := s.openTables(open.tables); err != nil {
		return err
	}
	for _, r := range s.index.Segments {
		if err := s.openSegment(r, open.segments[r.File]); err != nil {
			return err
		}
	}
	return lists.Each(s.index.Packs, s.openPack)
}

func (s *snapshot) openTables(open map[uint64]*table) (err error) {
	if s.manifest, err = os.Open(filepath.Join(s.dir, fmt.Sprintf(manifestName, s.generation))); err != nil {
		return err
	}
	if s.index, err = readManifest(s.manifest); err != nil {
		return err
	}
	for _, r := range s.index.Tables {
		t := open[r.File]
		if t != nil {
			t.retain()
		} else if t, err = openTable(s.dir, r); err != nil {
			return err
		}
		s.tables = append(s.tables, t)
	}
	return nil
}

// path returns the path of the manifest.
func (s *snapshot) path() string { return s.manifest.Name() }

func (s *snapshot) openSegment(r segmentRecord, f *file) (err error) {
	if f != nil {
		f.retain()
	} else if f, err = openFile(filepath.Join(s.dir, fmt.Sprintf(segmentName, r.File)), r.Bytes); err != nil {
		return err
	}
	s.segments = append(s.segments, &view{file: f, record: r})
	if f.sum != r.Sum {
		return damaged(f.path, "damage.other-file", "it is not the file that the manifest lists")
	}
	if f.n != r.N || f.grams != uint64(r.Grams) {
		return damaged(f.path, "damage.grams", "it has {count} {size}-grams, the manifest says {listed} {of}-grams", "count", f.grams, "size", f.n, "listed", r.Grams, "of", r.N)
	}
	return nil
}

func (s *snapshot) openPack(r packRecord) error {
	f, err := os.Open(filepath.Join(s.dir, fmt.Sprintf(packName, r.File)))
	if err != nil {
		return err
	}
	s.packs[r.File] = f
	st, err := f.Stat()
	if err == nil && st.Size() < r.Length {
		err = damaged(f.Name(), "damage.bytes", "it has {bytes} bytes, the manifest says {listed}", "bytes", st.Size(), "listed", r.Length)
	}
	return err
}

// opened returns the open files of the snapshot, for the next generation.
func (s *snapshot) opened() opened {
	open := opened{map[uint64]*file{}, map[uint64]*table{}}
	for _, v := range s.segments {
		open.segments[v.record.File] = v.file
	}
	for i, t := range s.tables {
		open.tables[s.index.Tables[i].File] = t
	}
	return open
}

// release drops a reference, and closes the snapshot with the last one.
func (s *snapshot) release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	var errs []error
	errs = append(errs, s.tables.close())
	if s.manifest != nil {
		errs = append(errs, s.manifest.Close())
	}
	errs = append(errs, s.releaseSegments())
	for _, f := range s.packs {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// releaseSegments releases the segments in parallel: unmapping a merged one takes 20 ms.
func (s *snapshot) releaseSegments() error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, v := range s.segments {
		group.Go(v.release)
	}
	return group.Wait()
}

// live returns the document that a piece of v belongs to; ok is false if it was deleted.
func (v *view) live(i int, tables layers) (id store.DocID, ok bool, err error) {
	v.once.Do(func() { v.owners = make([]owner, v.pieces) })
	o := &v.owners[i]
	switch o.state.Load() {
	case ownerDead:
		return 0, false, nil
	case ownerLive:
		return store.DocID(o.id.Load()), true, nil
	}
	id, ok, err = tables.owner(v.piece(i).number)
	if err != nil {
		return 0, false, err
	}
	if !ok {
		o.state.Store(ownerDead)
		return 0, false, nil
	}
	o.id.Store(uint64(id))
	o.state.Store(ownerLive)
	return id, true, nil
}
