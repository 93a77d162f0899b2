// Package indexer puts files into a store: it finds them, reads them, turns
// them into n-grams and commits now and then, so that a crash loses little.
//
// [Run] does all of it. A file that cannot be used is reported and the others
// go on; what is unchanged since it was indexed is skipped, which costs one
// reading of the file. Several files are worked on at once; memory stays within
// a budget however large they are.
//
// Documents are known by their names, not by where their files are: names.go has
// the rules. A document that is there already and has another text is replaced,
// unless Options.Changed says otherwise.
package indexer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A Decision says what to do with a document that is in the index already and
// has changed.
type Decision int

const (
	Overwrite Decision = iota // replace it
	Skip                      // leave the one in the index
)

// Options say what to index and how.
type Options struct {
	N      int    // words per n-gram
	Pairs  bool   // index by pairs of words too, so that reworded copies are found
	Prefix string // put before the name of each document
	Base   string // folder that names are relative to; "" for those that the index remembers, else each folder that is given
	Sync   bool   // documents whose files are gone from the paths are removed, or renamed where a new file has their content
	Force  bool   // index unchanged files too
	// Dedup leaves out new documents that are nearly the same as another, in the
	// index or before them in the run: from this share on of the n-grams of N words
	// that either has and both have, each as often as it is there; 0 for none.
	Dedup float64
	Norms *normalize.Set
	Read  document.Options

	// Changes, unless it is nil, says what of the paths is looked at. They are
	// folders then, and Sync does not count.
	Changes *Changes

	// Descriptions have what is to be said of documents; nil for nothing but
	// what their files state, and what was said before.
	Descriptions *Descriptions

	Workers int // files at once; 0 for one a processor

	// Exclude are folders that are not entered: that of the index itself.
	Exclude []string
	// Changed decides about a document that is indexed under N already and
	// whose file has other content now. It is called by one goroutine at once.
	Changed func(store.Document) (Decision, error)

	CommitBytes int64         // commit after this much text; 0 for 1 GB
	CommitEvery time.Duration // and this much time; 0 for 30 s
	Memory      int64         // bytes of files held at once; 0 for 256 MB

	// Progress is called for every step, by one goroutine at once; nil for none.
	Progress func(Event)
}

// An Event is one step of indexing.
type Event struct {
	Totals          // so far
	Path     string // file that was finished, "" for a commit
	Err      error  // why it was not indexed
	Note     string // what is odd about it, although it can be indexed
	Commit   bool   // all documents so far are now lasting
	Gone     bool   // it was removed, as its file is gone
	Expected Totals // Files and Bytes that the walk has found; zero until it is complete
}

// Totals count what was done.
type Totals struct {
	Files     int   // looked at
	Added     int   // indexed, replaced ones included
	Replaced  int   // of them, in place of an older version
	Renamed   int   // of Added, known by another name before
	Removed   int   // whose files are gone
	Unchanged int   // skipped: as they are in the index
	Described int   // of Unchanged, of which something else is said now
	Kept      int   // skipped by decision: changed, but the old version stays
	Copies    int   // left out: nearly the same as another document
	Failed    int   // could not be used
	Committed int   // of Added, lasting
	Bytes     int64 // of files looked at
	Words     int64
	Grams     int64 // of all sizes indexed
}

// A Failure is a file that could not be used, and why.
type Failure struct {
	Path string
	Err  error
}

// ErrTooShort says that no paragraph of a file has as many words as an n-gram.
var ErrTooShort = errors.New("too short")

// ErrSampleTexts says that an index is to be sampled, and to keep no texts.
var ErrSampleTexts = errors.New("an index with a sample of the n-grams needs the original texts: the others are found in them")

func checkSample(s store.Store) error {
	if settings := s.Settings(); settings.Sample() > 0 && !settings.KeepTexts {
		return ErrSampleTexts
	}
	return nil
}

// A Summary is what a run did.
type Summary struct {
	Totals
	Failures []Failure // the first [maxFailures]; Failed counts all
	Elapsed  time.Duration
}

// maxFailures is how many failures a summary has: one container can have any number
// of documents that cannot be used. Each is told as it comes, by Options.Progress.
const maxFailures = 100_000

// failed notes a file that could not be used.
func (s *Summary) failed(path string, err error) {
	s.Failed++
	if len(s.Failures) < maxFailures {
		s.Failures = append(s.Failures, Failure{path, err})
	}
}

// Run indexes the files at paths, folders with all that is in them. Files that
// cannot be used are in the summary's Failures. The error is for what stops the
// run: the store, or ctx. Even then, what was done before is committed where
// that is possible, and the summary counts it.
func Run(ctx context.Context, s store.Store, paths []string, opts Options) (Summary, error) {
	if err := checkSample(s); err != nil {
		return Summary{}, err
	}
	r := newRun(s, opts)
	start := time.Now()
	err := r.prepareNames(ctx, paths)
	if err == nil {
		err = r.resume.load(ctx)
	}
	if err == nil && opts.Descriptions != nil {
		r.prepareRoots(paths)
	}
	if err == nil && opts.Changes != nil {
		err = r.prepareChanges(ctx)
	} else if err == nil && opts.Sync {
		err = r.prepareSync(ctx, paths)
	}
	if err == nil {
		err = r.all(ctx, paths)
	}
	if err == nil && r.sync != nil {
		err = r.removeGone(ctx)
	}
	if err == nil {
		r.resume.over()
	}
	err = r.end(ctx, err)
	if err == nil && opts.Base != "" {
		err = r.prune(ctx)
	}
	r.summary.Elapsed = time.Since(start)
	return r.summary, err
}

// end commits what was done and returns err, which ended the run, or the error of that
// commit. If a commit failed before, everything else failed because of it: that is the error.
func (r *run) end(ctx context.Context, err error) error {
	r.mu.Lock()
	failure := r.failure
	r.mu.Unlock()
	if failure != nil {
		return failure
	}
	if cerr := r.commit(ctx); err == nil {
		err = cerr
	}
	return err
}

// A run is one call of Run.
type run struct {
	store  store.Store
	opts   Options
	memory *semaphore.Weighted

	names *namer
	roots []string // canonical paths of what is indexed, where descriptions are looked up by these
	sync  *syncer  // nil where nothing is removed
	dedup *deduper // nil without Options.Dedup

	resume *resumer // nil where nothing is kept of how far the run is

	asking sync.Mutex // Options.Changed is under way

	mu         sync.Mutex // guards what follows
	summary    Summary
	expected   Totals
	seen       map[longID]bool        // files, by canonical path
	named      map[longID]longID      // the place of each document, by its name
	ids        map[store.DocID]longID // the name that has each id
	pending    int                    // added since the last commit
	pendingB   int64                  // bytes of text added since
	lastCommit time.Time
	failure    error // of a commit, after which the store takes nothing
}

func newRun(s store.Store, opts Options) *run {
	if opts.Dedup > 0 {
		opts.Workers = 1 // of two that are nearly the same, the first of the walk stays, each time
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.CommitBytes <= 0 {
		opts.CommitBytes = 1 << 30
	}
	if opts.CommitEvery <= 0 {
		opts.CommitEvery = 30 * time.Second
	}
	if opts.Memory <= 0 {
		opts.Memory = 256 << 20
	}
	return &run{
		store: s, opts: opts, dedup: newDeduper(s, opts), resume: newResumer(s, opts), memory: semaphore.NewWeighted(opts.Memory),
		seen: map[longID]bool{}, named: map[longID]longID{}, ids: map[store.DocID]longID{}, names: new(namer), lastCommit: time.Now(),
	}
}

// all walks the paths and works on the files, several at once.
func (r *run) all(ctx context.Context, paths []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	files := make(chan file)
	var walkers sync.WaitGroup
	walkers.Go(func() {
		defer close(files)
		w := walker{ctx: ctx, exclude: r.opts.Exclude, fail: r.fail}
		w.found = func(f file) {
			r.names.name(&f)
			if r.opts.Changes == nil && r.sync != nil {
				r.sync.counts(w.start)
			}
			if !r.first(f) { // asked here, since what it is called depends on the first way to it
				return
			}
			select {
			case files <- f:
			case <-ctx.Done():
			}
		}
		if r.opts.Changes != nil {
			w.only(paths, r.opts.Changes)
		} else {
			w.walk(paths)
		}
	})
	if r.opts.Progress != nil && r.opts.Changes == nil {
		walkers.Go(func() { r.expect(ctx, paths) })
	}
	var wg sync.WaitGroup
	for range r.opts.Workers {
		wg.Go(func() {
			for f := range files {
				if err := r.file(ctx, f); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	err := context.Cause(ctx)
	cancel(nil)
	walkers.Wait() // so that nothing is reported after the end
	return err
}

// expect counts what the walk will find, for the time that is left.
func (r *run) expect(ctx context.Context, paths []string) {
	var t Totals
	w := walker{ctx: ctx, exclude: r.opts.Exclude, fail: func(string, error) {}, found: func(f file) {
		t.Files++
		t.Bytes += f.size
	}}
	w.walk(paths)
	if ctx.Err() == nil {
		r.mu.Lock()
		r.expected = t
		r.mu.Unlock()
	}
}

// file works on one file. An error ends the run.
func (r *run) file(ctx context.Context, f file) error {
	weight := min(max(document.Footprint(f.path, f.size), 1), r.opts.Memory)
	if err := r.memory.Acquire(ctx, weight); err != nil {
		return context.Cause(ctx)
	}
	err := r.index(ctx, f)
	r.memory.Release(weight)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var fatal storeError
	if errors.As(err, &fatal) {
		return fatal.error
	}
	if err != nil {
		r.done(f, outcome{}, err)
	}
	return nil
}

// first reports whether f has not been met in this run, by another way.
func (r *run) first(f file) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := longIDOf(f.canonical)
	if r.seen[id] {
		return false
	}
	r.seen[id] = true
	return true
}

// A longID stands for a name or a place: long enough that no two have one, unlike the ids
// of documents.
type longID [16]byte

func longIDOf(text ...string) (id longID) {
	sum := sha256.Sum256([]byte(strings.Join(text, "\x00")))
	copy(id[:], sum[:])
	return id
}

// claim takes the name of a document for the file at f, unless another file of
// this run has it, or a file is there that has the name of f in an archive.
func (r *run) claim(f file) error {
	if f.member != "" {
		if _, err := os.Lstat(f.path); err == nil {
			return takenError{f.document(), "the file " + f.path}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name, place := longIDOf(r.opts.Prefix, f.document()), longIDOf(f.place, f.member)
	if other, ok := r.named[name]; ok && other != place {
		return takenError{f.document(), "another file of this run"}
	}
	id := store.IDOf(r.opts.Prefix, f.document())
	if other, ok := r.ids[id]; ok && other != name {
		return sameIDError{f.document(), "another document of this run"}
	}
	r.named[name], r.ids[id] = place, name
	return nil
}

// done counts a file.
func (r *run) done(f file, o outcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.summary.Totals
	t.Files++
	t.Bytes += f.size
	switch {
	case err != nil:
		r.summary.failed(f.path, err)
	case o.unchanged:
		t.Unchanged++
		if o.described {
			t.Described++
		}
	case o.kept:
		t.Kept++
	case o.twin != nil:
		t.Copies++
	default:
		t.Added++
		if o.replaced {
			t.Replaced++
		}
		if o.renamed {
			t.Renamed++
		}
		t.Words += o.words
		t.Grams += o.grams
		r.pending++
	}
	r.pendingB += o.text
	r.report(Event{Path: f.path, Err: err})
}

// fail notes a path that could not even be walked.
func (r *run) fail(path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Files++
	r.summary.failed(path, err)
	r.report(Event{Path: path, Err: err})
}

// note reports what is odd about a file.
func (r *run) note(path string, notes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, note := range notes {
		r.report(Event{Path: path, Note: note})
	}
}

// report reports a step. The caller holds r.mu.
func (r *run) report(e Event) {
	if r.opts.Progress == nil {
		return
	}
	e.Totals, e.Expected = r.summary.Totals, r.expected
	r.opts.Progress(e)
}

// mostPending is after how many documents a commit is made, however short they
// are: until then a store holds the entry of each, nearly 1 KB.
var mostPending = 100_000 // a test makes it smaller

// due reports whether it is time for a commit, to one caller.
func (r *run) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	full := r.pending >= mostPending || r.dedup != nil && r.dedup.full()
	if r.pendingB == 0 || !full && r.pendingB < r.opts.CommitBytes && time.Since(r.lastCommit) < r.opts.CommitEvery {
		return false
	}
	r.lastCommit, r.pendingB = time.Now(), 0
	return true
}

// commit makes what was added lasting. Documents that other workers add
// meanwhile may be in it or in the next. An interruption waits for it: cut off, it would
// lose what was added since the last.
func (r *run) commit(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	defer r.resume.pause()()
	r.mu.Lock()
	count := r.pending
	r.pending, r.pendingB = 0, 0
	r.mu.Unlock()
	err := r.commitStore(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if err = fmt.Errorf("commit %d documents: %w", count, err); r.failure == nil {
			r.failure = err
		}
		return err
	}
	r.lastCommit = time.Now()
	r.summary.Committed += count
	if count > 0 {
		r.report(Event{Commit: true})
	}
	return nil
}

// commitStore commits, and notes what was left out for the documents that are in the
// index then.
func (r *run) commitStore(ctx context.Context) error {
	r.resume.save()
	if r.dedup == nil {
		return r.store.Commit(ctx)
	}
	if err := r.store.Commit(ctx); err != nil {
		return err
	}
	any, err := r.noteCopies(ctx, r.dedup.committed())
	if err != nil || !any {
		return err
	}
	return r.store.Commit(ctx)
}
