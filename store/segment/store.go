package segment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/store"
)

// Options say how an index is written.
type Options struct {
	Workers int   // Adds that work at once; 0 for one a processor
	Memory  int64 // bytes of n-grams held before they are written; 0 for 96 MB

	// Warn, unless it is nil, is called once for merging that fails after a
	// commit, until it is done again: everything is committed, but look-ups
	// get slower. Whoever calls Commit or Close next calls it.
	Warn func(error)

	// Stop, once it is closed, keeps Commit and Close from waiting for merging in the
	// background and from beginning any, and Close ends it: the next writer merges
	// what is due.
	Stop <-chan struct{}

	disk   disk
	inTurn bool // Commit waits for the merging that it makes due
}

const defaultMemory = 96 << 20

// A Store is an index open for writing. [Create] and [OpenWriter] make one.
// Its reads answer from its last commit.
type Store struct {
	*Reader
	disk    disk
	workers int
	lock    *flock.Flock
	buffers chan *buffer
	packs   *packWriter
	warn    func(error)
	stop    <-chan struct{} // Options.Stop
	inTurn  bool

	// gate lets Adds and Deletes in together, and a commit alone. Merging passes
	// it only where it begins and where its result takes the place of what was
	// merged.
	gate sync.RWMutex

	merging chan struct{} // holds one thing while there is merging; taken before the gate
	job     *job          // of merging; changed with the gate closed
	bulk    bool          // buffers were full before the last commit: more will come; changed with the gate closed
	aborted error         // why a commit failed, after which nothing can be written; changed with the gate closed

	undecided bool // the manifest of a generation that failed may still be there; changed with the gate closed

	mu         sync.Mutex // guards what follows
	closed     bool
	nextNumber uint64
	nextFile   uint64
	pending    map[store.DocID]*record // since the last commit; nil for a deleted one
	dropped    map[uint64]bool         // numbers given since, whose n-grams are dead already
	bases      *[]store.Base           // given since; nil for none
	progress   string                  // that the next commit keeps
	bookmarks  map[string]string       // set since the last commit
	fresh      []fresh
	cancel     context.CancelFunc // of the merging in the background
	busy       map[uint64]bool    // files that merging makes
	failure    error              // of merging, that nobody has been told of
	failed     bool               // merging failed when it was tried last
	filled     bool               // a buffer was full since the last commit
}

// A fresh is a segment written since the last commit.
type fresh struct {
	record segmentRecord
	file   *file
}

var _ store.Store = (*Store)(nil)

// Create opens the index in dir for writing. Where there is none, it makes the
// folder and the index with these settings. An index that is there keeps its
// own: compare what Settings returns.
func Create(dir string, settings store.Settings, opts Options) (*Store, error) {
	s, err := create(dir, settings, opts)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return s, nil
}

func create(dir string, settings store.Settings, opts Options) (*Store, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, notFolder(dir)
	}
	if err := lasting.MkdirAll(dir, 0o777); err != nil {
		return nil, refused(err)
	}
	if _, err := newestOf(dir); !errors.Is(err, store.ErrNoIndex) {
		return openWriter(dir, opts)
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	if _, err = newestOf(dir); errors.Is(err, store.ErrNoIndex) { // nobody made one meanwhile
		err = writeFirst(dir, settings, opts.disk)
	}
	if uerr := l.Unlock(); err == nil {
		err = uerr
	}
	if err != nil {
		return nil, err
	}
	return openWriter(dir, opts)
}

func newestOf(dir string) (uint64, error) {
	l, err := list(dir)
	if err != nil {
		return 0, err
	}
	return l.newest(dir)
}

// writeFirst makes an empty index.
func writeFirst(dir string, settings store.Settings, d disk) error {
	x := &index{Settings: settings, NextNumber: 1, NextFile: 1, Sizes: map[int]total{}}
	path := filepath.Join(dir, fmt.Sprintf(manifestName, 1))
	err := writeManifest(d, path, x)
	if err != nil {
		return err
	}
	if err = d.syncDir(dir); err == nil {
		err = d.syncDir(filepath.Dir(dir))
	}
	if err != nil {
		return errors.Join(err, d.remove(path))
	}
	return nil
}

// OpenWriter opens the index in dir for writing, and removes what a crash may
// have left behind there.
func OpenWriter(dir string, opts Options) (*Store, error) {
	s, err := openWriter(dir, opts)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return s, nil
}

func openWriter(dir string, opts Options) (_ *Store, err error) {
	if _, err := newestOf(dir); err != nil {
		return nil, err
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = l.Unlock()
		}
	}()
	opts.disk.lock = l
	if err := opts.disk.probe(dir); err != nil {
		return nil, err
	}
	snap, err := openNewest(dir)
	if err != nil {
		return nil, err
	}
	// What was found must be on the disk before files are removed that an earlier
	// generation needs.
	if err := opts.disk.syncDir(dir); err != nil {
		return nil, errors.Join(err, snap.release())
	}
	return newStore(snap, l, opts), nil
}

func newStore(snap *snapshot, l *flock.Flock, opts Options) *Store {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Memory <= 0 {
		opts.Memory = defaultMemory
	}
	s := &Store{
		Reader: &Reader{dir: snap.dir, snap: snap}, disk: opts.disk, workers: opts.Workers, lock: l, warn: opts.Warn, stop: opts.Stop, inTurn: opts.inTurn,
		merging: make(chan struct{}, 1), busy: map[uint64]bool{},
		buffers:    make(chan *buffer, opts.Workers),
		nextNumber: snap.index.NextNumber, nextFile: snap.index.NextFile,
		pending: map[store.DocID]*record{}, dropped: map[uint64]bool{}, bookmarks: map[string]string{},
	}
	for range opts.Workers {
		s.buffers <- newBuffer(opts.Memory / int64(opts.Workers))
	}
	s.packs = newPackWriter(snap.dir, s.disk, s.newFile)
	s.packs.reset(snap.index.Packs)
	s.sweep()
	s.keepReserve()
	return s
}

// Close implements [store.Reader]. It drops pending changes. It waits for merging
// that is under way, unless [Options.Stop] is closed: a program that adds one
// document each time would otherwise never finish any.
func (s *Store) Close() error {
	defer s.tell()
	s.catchUp()
	s.awaitMerging(context.Background())
	s.cancelMerging()
	s.merging <- struct{}{}
	defer s.mayMerge()
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.abandon()
	s.closed = true
	return errors.Join(s.Reader.Close(), s.lock.Unlock())
}
