package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/otisk/otisk/store"
)

// A snapshot is an index as of one commit, open for reading.
type snapshot struct {
	dir        string
	generation uint64
	catalogue  *os.File
	db         *bolt.DB // the same
	index      *index
	segments   []*view
	packs      map[uint64]*os.File

	refs atomic.Int64
}

// A view is a segment as a snapshot sees it: with what it has found out about
// the documents that are live.
type view struct {
	*file
	record segmentRecord
	once   sync.Once
	owners []owner // by piece
}

// An owner is the document of a piece, once it is known.
type owner struct {
	state atomic.Uint32
	id    atomic.Uint64
}

const (
	ownerUnknown = iota
	ownerDead
	ownerLive
)

// openTries is how often opening starts again because a commit has replaced
// what is being opened.
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
		s, err := openSnapshot(dir, generation, nil)
		if !errors.Is(err, fs.ErrNotExist) || try == openTries {
			return s, err
		}
		if again, lerr := list(dir); lerr == nil {
			if newer, nerr := again.newest(dir); nerr == nil && newer == generation {
				return nil, fmt.Errorf("%w: %w", store.ErrDamaged, err) // nobody replaced it: it is missing
			}
		}
	}
}

// openSnapshot opens a generation. Segments that are in open already are taken
// from there.
func openSnapshot(dir string, generation uint64, open map[uint64]*file) (_ *snapshot, err error) {
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

func (s *snapshot) openFiles(open map[uint64]*file) error {
	if err := s.openCatalogue(); err != nil {
		return err
	}
	for _, r := range s.index.Segments {
		if err := s.openSegment(r, open[r.File]); err != nil {
			return err
		}
	}
	for _, r := range s.index.Packs {
		if err := s.openPack(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) openCatalogue() (err error) {
	if s.catalogue, err = os.Open(filepath.Join(s.dir, fmt.Sprintf(catalogueName, s.generation))); err != nil {
		return err
	}
	if err := checkCatalogue(s.catalogue); err != nil {
		return err
	}
	if s.db, err = bolt.Open(s.path(), 0, &bolt.Options{ReadOnly: true, Timeout: time.Second, NoStatistics: true}); err != nil {
		return fmt.Errorf("open %s: %w", s.path(), err)
	}
	if err := s.db.View(func(tx *bolt.Tx) error { s.index, err = getIndex(tx); return err }); err != nil {
		return fmt.Errorf("%s: %w", s.path(), err)
	}
	return nil
}

// view calls fn with a transaction that reads the catalogue.
func (s *snapshot) view(fn func(*bolt.Tx) error) error {
	if err := s.readable(); err != nil {
		return err
	}
	return s.db.View(fn)
}

// readable returns an error if the two pages cannot be read that bbolt reads to
// begin a transaction: it has them mapped, and holds a lock meanwhile that a
// fault would leave locked for good.
func (s *snapshot) readable() error {
	var pages [2 * pageSize]byte
	if _, err := s.catalogue.ReadAt(pages[:], 0); err != nil {
		return fmt.Errorf("read %s: %w: %w", s.path(), store.ErrDamaged, err)
	}
	return nil
}

// path returns that of the catalogue.
func (s *snapshot) path() string { return s.catalogue.Name() }

func (s *snapshot) openSegment(r segmentRecord, f *file) (err error) {
	if f != nil {
		f.retain()
	} else if f, err = openFile(filepath.Join(s.dir, fmt.Sprintf(segmentName, r.File)), r.Bytes); err != nil {
		return err
	}
	s.segments = append(s.segments, &view{file: f, record: r})
	if f.n != r.N || f.grams != uint64(r.Grams) {
		return damaged(f.path, "it has %d %d-grams, the catalogue says %d %d-grams", f.grams, f.n, r.Grams, r.N)
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
		err = damaged(f.Name(), "it has %d bytes, the catalogue says %d", st.Size(), r.Length)
	}
	return err
}

// files returns the segments by file, for the next generation.
func (s *snapshot) files() map[uint64]*file {
	open := map[uint64]*file{}
	for _, v := range s.segments {
		open[v.record.File] = v.file
	}
	return open
}

// release closes the snapshot when its last user is done.
func (s *snapshot) release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.catalogue != nil {
		errs = append(errs, s.catalogue.Close())
	}
	for _, v := range s.segments {
		errs = append(errs, v.release())
	}
	for _, f := range s.packs {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// live returns the document that a piece of v belongs to; ok is false if it is
// no more. tx is begun when it is needed.
func (v *view) live(i int, tx *lazyTx) (id store.DocID, ok bool, err error) {
	v.once.Do(func() { v.owners = make([]owner, v.pieces) })
	o := &v.owners[i]
	switch o.state.Load() {
	case ownerDead:
		return 0, false, nil
	case ownerLive:
		return store.DocID(o.id.Load()), true, nil
	}
	t, err := tx.get()
	if err != nil {
		return 0, false, err
	}
	id, ok = getLive(t, v.piece(i).number)
	if !ok {
		o.state.Store(ownerDead)
		return 0, false, nil
	}
	o.id.Store(uint64(id))
	o.state.Store(ownerLive)
	return id, true, nil
}

// A lazyTx is a read transaction that is begun when it is needed.
type lazyTx struct {
	*snapshot
	tx *bolt.Tx
}

func (l *lazyTx) get() (tx *bolt.Tx, err error) {
	if l.tx == nil {
		if err := l.readable(); err != nil {
			return nil, err
		}
		l.tx, err = l.db.Begin(false)
	}
	return l.tx, err
}

func (l *lazyTx) done() {
	if l.tx != nil {
		_ = l.tx.Rollback() // of a read transaction: cannot fail
	}
}
