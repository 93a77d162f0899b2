// Package indexer adds files to a store: it finds and reads them, computes their n-grams, and
// commits at intervals, so that a crash loses little.
//
// [Run] does all of that; [Add] adds a single document. A file that cannot be read is reported,
// and the run continues. Unchanged files are skipped, at the cost of reading them once.
// Several files are processed in parallel; memory is limited by [Options.Memory], however large
// they are.
//
// A document is identified by its name, not by the location of its file; names.go has the
// rules. A document whose text has changed is replaced, unless [Options.Changed] decides
// otherwise.
package indexer

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A Decision is what to do with a document of the index whose file has changed.
type Decision int

const (
	Overwrite Decision = iota // replace the document
	Skip                      // keep the document in the index
)

// Options are the settings of a run.
type Options struct {
	N     int  // words per n-gram
	Pairs bool // also index pairs of words, by which reworded copies are found
	// Translated also indexes keys by which translations are found. It is set for an index that has
	// such keys, so that no document lacks them.
	Translated bool
	Prefix     string // precedes the name of each document
	Base       string // folder that names are relative to; "" for the bases of the index, or else each given folder
	Sync       bool   // remove documents whose files are gone, or rename them if a new file has their content
	Force      bool   // also index unchanged files
	// Dedup leaves out new documents that are near-duplicates of an earlier document, in the
	// index or in the run: it is the least Jaccard similarity, from 0 to 1, of the multisets of
	// their n-grams of N words. 0 leaves out none.
	Dedup float64
	// Languages leaves out new documents in other languages. Its values are codes or
	// [language.Unknown]; empty leaves out none.
	Languages []string
	Norms     *normalize.Set
	Read      document.Options

	// Changes limits the run to some files of the paths, which must be folders; Sync is ignored. nil
	// means a walk over the paths.
	Changes *Changes

	// Descriptions are descriptions of documents, which replace earlier ones; nil for none.
	Descriptions *Descriptions

	Workers int // files processed in parallel; 0 for one a processor

	// Exclude are canonical folders that are not entered, such as that of the index.
	Exclude []string
	// Changed decides about a document that is indexed with N and whose file has changed. It is called
	// by one goroutine at a time. nil means Overwrite.
	Changed func(store.Document) (Decision, error)

	CommitBytes     int64         // commit after this many bytes of text; 0 for 1 GB
	CommitEvery     time.Duration // commit after this time; 0 for 30 s
	CommitDocuments int           // commit after this many documents; 0 for 100,000

	Memory int64 // limit for the total size of files in memory, in bytes; 0 for 256 MB

	// Progress is called for every event, by one goroutine at a time; may be nil.
	Progress func(ledger.Event)
}

// ErrTooShort means that no paragraph of a file has as many words as an n-gram.
var ErrTooShort error = phrase.Error("said.too-short", "too short")

// Run indexes the files at paths, and all files in the folders among them. Files that cannot be
// indexed are in Summary.Failures. The error is that of the store or of ctx, which stops the run;
// even then, Run commits the work done so far if it can, and the summary counts that.
func Run(ctx context.Context, s store.Store, paths []string, opts Options) (ledger.Summary, error) {
	if err := s.Settings().Check(); err != nil {
		return ledger.Summary{}, err
	}
	if err := opts.follow(ctx, s); err != nil {
		return ledger.Summary{}, err
	}
	r := newRun(s, opts)
	r.whole = remembered(opts.Read.FindsProject(ctx))
	paths = r.resolve(paths)
	err := r.prepareNames(ctx)
	if err == nil {
		err = r.resume.load(ctx)
	}
	if err == nil && opts.Changes != nil {
		err = r.prepareChanges(ctx)
	} else if err == nil && opts.Sync {
		err = r.prepareSync(ctx)
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
	sum, err := r.ledger.End(ctx, err)
	if err == nil && opts.Base != "" {
		err = r.prune(ctx)
	}
	return sum, err
}

// A run is one call of Run.
type run struct {
	store  store.Store
	opts   Options
	memory *semaphore.Weighted

	names *namer
	whole func(folder string) (bool, error) // reports whether a folder is one document
	roots []root                            // the paths of the run; paths in descriptions may be relative to them
	sync  *syncer                           // nil if nothing is to be removed
	dedup *deduper                          // nil without Options.Dedup

	resume *resumer // nil if no progress is kept

	asking sync.Mutex // held while Options.Changed is called

	ledger *ledger.Ledger

	mu    sync.Mutex             // guards the following fields
	seen  map[longID]bool        // files by canonical path
	named map[longID]longID      // place of each document by its name
	ids   map[store.DocID]longID // name of the document with each id
}

// A root is a path that is indexed.
type root struct {
	path, canonical string
	folder          bool
}

// resolve sets r.roots, and returns their paths. All steps of the run share the result, so that an
// error that occurs once cannot leave a path without a base for its names, or outside of what Sync
// compares. A path that cannot be resolved is a failure.
func (r *run) resolve(paths []string) (resolved []string) {
	for _, path := range paths {
		canonical, err := walk.Canonical(path)
		var info fs.FileInfo
		if err == nil {
			info, err = os.Stat(canonical)
		}
		if err != nil {
			r.ledger.Fail(path, oserror.Cause(err))
			continue
		}
		r.roots = append(r.roots, root{path, canonical, info.IsDir()})
		resolved = append(resolved, path)
	}
	return resolved
}

// remembered returns a function that calls whole once for each path, so that all steps of a run have the
// same answer. If whole is nil, all answers are false.
func remembered(whole func(path string) (bool, error)) func(path string) (bool, error) {
	type answer struct {
		whole bool
		err   error
	}
	var mu sync.Mutex
	answers := map[string]answer{}
	return func(path string) (bool, error) {
		if whole == nil {
			return false, nil
		}
		mu.Lock()
		defer mu.Unlock()
		a, known := answers[path]
		if !known {
			a.whole, a.err = whole(path)
			answers[path] = a
		}
		return a.whole, a.err
	}
}

// follow sets Translated if the index has keys for translations.
func (o *Options) follow(ctx context.Context, s store.Summary) error {
	if o.Translated {
		return nil
	}
	info, err := s.Info(ctx)
	o.Translated = info.Keys().Documents > 0
	return err
}

// asked returns the sizes that each document is indexed under.
func (o *Options) asked() []int {
	if o.Translated {
		return []int{o.N, store.TranslationKeys}
	}
	return []int{o.N}
}

func newRun(s store.Store, opts Options) *run {
	if opts.Dedup > 0 {
		opts.Workers = 1 // so that the first of two duplicates in the order of the walk stays
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Memory <= 0 {
		opts.Memory = 256 << 20
	}
	r := &run{
		store: s, opts: opts, dedup: newDeduper(s, opts), resume: newResumer(s, opts), memory: semaphore.NewWeighted(opts.Memory),
		seen: map[longID]bool{}, named: map[longID]longID{}, ids: map[store.DocID]longID{}, names: new(namer),
	}
	r.ledger = ledger.New(ledger.Options{
		CommitBytes: opts.CommitBytes, CommitEvery: opts.CommitEvery, CommitDocuments: opts.CommitDocuments,
		Hold: r.resume.pause, Commit: r.commitStore, Progress: opts.Progress,
	})
	return r
}

// all walks the paths and indexes the files, several in parallel.
func (r *run) all(ctx context.Context, paths []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	files := make(chan file)
	var walkers sync.WaitGroup
	walkers.Go(func() {
		defer close(files)
		w := walk.Walker{Exclude: r.opts.Exclude, Whole: r.whole, Fail: r.ledger.Fail}
		w.File = func(found walk.File) {
			f := fileOf(found)
			r.names.name(&f)
			if r.opts.Changes == nil && r.sync != nil {
				r.sync.counts(found.Root)
			}
			if !r.first(f) { // checked here, since the first path to a file determines its name
				return
			}
			select {
			case files <- f:
			case <-ctx.Done():
			}
		}
		if r.opts.Changes != nil {
			r.opts.Changes.only(ctx, &w, paths)
		} else {
			_ = w.Walk(ctx, paths...) // only returns the error of ctx
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

// expect counts the files that the walk will find, for the estimate of the remaining time.
func (r *run) expect(ctx context.Context, paths []string) {
	var t ledger.Totals
	w := walk.Walker{Exclude: r.opts.Exclude, Whole: r.whole, File: func(f walk.File) {
		t.Files++
		t.Bytes += f.Info.Size()
	}}
	if w.Walk(ctx, paths...) == nil {
		r.ledger.Expect(t)
	}
}

// file indexes one file. An error ends the run.
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
	if fatal, ok := errors.AsType[storeError](err); ok {
		return fatal.error
	}
	if err != nil {
		r.done(f, outcome{}, err)
	}
	return nil
}

// first reports whether f is new in this run, not reached by another path before.
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

// A longID identifies a name or a place. Unlike ids of documents, it is long enough to rule out
// collisions.
type longID [16]byte

func longIDOf(text ...string) (id longID) {
	sum := sha256.Sum256([]byte(strings.Join(text, "\x00")))
	copy(id[:], sum[:])
	return id
}

// claim reserves the name of a document for the file f. It returns an error if another file of
// this run has the name, or if f is a member of an archive and a file with that path exists.
func (r *run) claim(f file) error {
	if f.member != "" {
		if _, err := os.Lstat(f.path); err == nil {
			return nameTaken(f.document(), phrase.Error("index.the-file", "the file {name}", "name", f.path))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name, place := longIDOf(r.opts.Prefix, f.document()), longIDOf(f.place, f.member)
	if other, ok := r.named[name]; ok && other != place {
		return nameTaken(f.document(), phrase.Error("index.other-file", "another file of this run"))
	}
	id := store.IDOf(r.opts.Prefix, f.document())
	if other, ok := r.ids[id]; ok && other != name {
		return sameID(f.document(), phrase.Error("index.other-document", "another document of this run"))
	}
	r.named[name], r.ids[id] = place, name
	return nil
}

// done counts a document and reports it.
func (r *run) done(f file, o outcome, err error) { r.ledger.Done(f.path, f.size, o.Outcome, err) }

// due reports whether a commit is due, to one caller only.
func (r *run) due() bool { return r.ledger.Due(r.dedup != nil && r.dedup.held > mostHeld) }

// commitStore commits, and then records which duplicates were left out because of the committed
// documents.
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
