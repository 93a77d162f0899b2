package segment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Options configure a writer.
type Options struct {
	Workers int   // concurrent Adds; 0 for one per processor
	Memory  int64 // bytes of n-grams buffered before they are written to a file; 0 for 96 MB

	// Warn, unless it is nil, is called once when merging after a commit fails, and again
	// only after merging has succeeded meanwhile. Committed data is safe, but look-ups get
	// slower. The call is made by the next Commit or Close.
	Warn func(error)

	// Closing Stop keeps Commit and Close from starting merging in the background and from
	// waiting for it, and makes Close cancel it. The next writer merges instead.
	Stop <-chan struct{}

	disk   disk
	inTurn bool // Commit waits for the merging that it starts; for tests
}

const defaultMemory = 96 << 20

// A Store is an index open for writing. [Create] and [OpenWriter] return one. Its reads
// answer from its last commit.
//
// Three locks guard it, and are taken in this order: merging, gate, mu. See the package
// comment.
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

	// gate is held for reading by Add, Delete and SetBases, and for writing ("closed") by a
	// commit. A merge closes it only to start and to install its result.
	gate sync.RWMutex

	merging chan struct{} // holds a token while a merge runs or is prohibited; taken before gate
	job     *job          // the merge in progress; changed with the gate closed
	bulk    bool          // buffers overflowed before the last commit, so more will come; changed with the gate closed
	aborted error         // why a commit failed; no more writes are possible then; changed with the gate closed

	undecided bool // the manifest of a failed generation may still exist; changed with the gate closed

	mu         sync.Mutex // guards the fields below
	closed     bool
	nextNumber uint64
	nextFile   uint64
	pending    map[store.DocID]*record // changes since the last commit; nil for a deleted document
	dropped    map[uint64]bool         // numbers assigned since then, whose n-grams are dead already
	bases      *[]store.Base           // set since then; nil for none
	progress   string                  // for the next commit
	bookmarks  map[string]string       // set since the last commit
	fresh      []fresh
	cancel     context.CancelFunc // cancels the merge in the background
	busy       map[uint64]bool    // files that the merge in progress is writing
	failure    error              // of merging, not yet reported to Warn
	failed     bool               // the last merge failed
	filled     bool               // a buffer overflowed since the last commit
}

// A fresh is a segment written since the last commit.
type fresh struct {
	record segmentRecord
	file   *file
}

var _ store.Store = (*Store)(nil)

// Create opens the index in dir for writing. If there is none, it creates the folder and an
// index with these settings. An existing index keeps its settings: compare the result of
// Settings.
func Create(dir string, settings store.Settings, opts Options) (*Store, error) {
	s, err := create(dir, settings, opts)
	if err != nil {
		return nil, phrase.Error("said.open-index", "open index: {cause}", "cause", err)
	}
	return s, nil
}

func create(dir string, settings store.Settings, opts Options) (*Store, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, notFolder(dir)
	}
	if err := opts.disk.step.MkdirAll(dir, 0o777); err != nil {
		return nil, refused(err)
	}
	switch _, err := newestOf(dir); {
	case err == nil:
		return openWriter(dir, opts)
	case !errors.Is(err, store.ErrNoIndex):
		return nil, err
	}
	l, err := acquire(dir, opts.disk.step)
	if err != nil {
		return nil, err
	}
	if _, err = newestOf(dir); errors.Is(err, store.ErrNoIndex) { // no other process created one meanwhile
		err = writeFirst(dir, settings, opts.disk)
	}
	err = cmp.Or(err, l.Unlock())
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

// writeFirst creates an empty index.
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

// OpenWriter opens the index in dir for writing, and removes files that a crash left
// behind.
func OpenWriter(dir string, opts Options) (*Store, error) {
	s, err := openWriter(dir, opts)
	if err != nil {
		return nil, phrase.Error("said.open-index", "open index: {cause}", "cause", err)
	}
	return s, nil
}

func openWriter(dir string, opts Options) (_ *Store, err error) {
	if _, err := newestOf(dir); err != nil {
		return nil, err
	}
	l, err := acquire(dir, opts.disk.step)
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
	// The manifest that was opened must survive a power failure before files that an
	// earlier generation needs are removed.
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
	s.createReserve()
	return s
}

// Close implements [store.Reader]. It drops pending changes. Unless [Options.Stop] is
// closed, it waits for merging in progress: otherwise a program that adds one document per
// run would never finish a merge.
func (s *Store) Close() error {
	defer s.reportFailure()
	s.catchUp()
	s.awaitMerging(context.Background())
	s.cancelMerging()
	s.merging <- struct{}{}
	defer s.unlockMerging()
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.abandon()
	s.closed = true
	return errors.Join(s.Reader.Close(), s.lock.Unlock())
}
