// Package watch keeps an index in step with folders: it indexes new files as soon as they are
// complete, replaces changed ones, and removes the documents of removed files.
//
// [Run] does that until its context ends. It scans all folders at the start and at intervals, and
// scans paths in between when the system reports changes. Change notifications only make it
// faster: if there are none, as on network folders, or too many, no change is missed.
//
// A file is complete when its size and times have not changed for a while and, if that can be
// detected, no program has it open for writing. Many files share one commit. All state is in
// memory: after a kill, the next run compares the folders with the index.
//
// If a disk is not mounted, its documents are not removed: see guard.go.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Options are the settings of a watcher.
type Options struct {
	Folders []string
	Open    func(context.Context) (store.Store, error) // opens the index; called for each batch, so that others can write in between
	Index   indexer.Options                            // options for indexing; those of a single run are set by the watcher

	// Metadata is the path of a table of descriptions for [indexer.ReadDescriptions], "" for none. It
	// is read again when it changes.
	Metadata string

	Every  time.Duration // interval between full scans; 0 for 30 s
	Settle time.Duration // how long a file must be unchanged to count as complete; 0 for 2 s
	Gather time.Duration // longest time that complete files wait for others; 0 for 10 s
	Most   int           // number of complete files that are indexed at once; 0 for 1000

	Once       bool // return when the index matches the folders
	KeepGone   bool // keep documents of removed files
	RemoveMany bool // remove documents even if many files are missing; a missing root still keeps its documents
	NoEvents   bool // do not use change notifications

	// OnEvent is called for each event, by one goroutine at a time.
	OnEvent func(Event)
}

// An Event is a message for the user.
type Event struct {
	Summary *ledger.Summary // of a committed batch; nil for other events
	Path    string          // file or folder that the message is about; may be ""
	Note    error           // remark; nil with Err
	Err     error           // problem; nil with Note
}

var errNoFolder error = phrase.Error("said.no-folders", "none of the folders exists")

// ErrIncomplete means that the index does not match the folders at the end of a run with
// Options.Once; the missing files were reported.
var ErrIncomplete error = phrase.Error("cause.not-synchronized", "the index does not match the folders yet: see the files named above")

// Run watches the folders until ctx ends and returns nil. With Options.Once, it returns when the
// index matches the folders; if ctx ends before, that is an error. Finished work is committed in
// any case.
func Run(ctx context.Context, opts Options) error {
	w, err := newWatcher(opts)
	if err != nil {
		return err
	}
	err = w.run(ctx)
	if ctx.Err() != nil && !opts.Once {
		return nil
	}
	return err
}

func (w *watcher) run(ctx context.Context) error {
	if err := w.readTable(ctx); err != nil {
		return err
	}
	if w.events = w.listen(); w.events != nil {
		defer w.events.close()
	}
	if err := w.load(ctx, w.roots...); err != nil {
		return err
	}
	if w.opts.Once {
		return w.once(ctx)
	}
	return w.loop(ctx)
}

type watcher struct {
	opts   Options
	roots  []*root
	events *events // nil if the system has no events
	round  int     // number of scans so far

	table   signature // of Options.Metadata when it was last read
	waiting map[*node]*wait
	links   map[string]map[*node]bool // nodes of linked files by canonical path
	gone    map[string]time.Time      // paths of removed files whose documents are still in the index, and when they were missed
	now     time.Time                 // start of the present scan
	again   time.Time                 // when a failed batch is retried
	told    map[string]string
	locked  bool // it was reported that another program writes to the index
	failed  bool // a file could not be indexed in this run

	mu sync.Mutex // held during Options.OnEvent
}

func newWatcher(opts Options) (*watcher, error) {
	opts.Every = cmp.Or(max(opts.Every, 0), 30*time.Second)
	opts.Settle = cmp.Or(max(opts.Settle, 0), 2*time.Second)
	opts.Gather = cmp.Or(max(opts.Gather, 0), 10*time.Second)
	opts.Most = cmp.Or(max(opts.Most, 0), 1000)
	w := &watcher{opts: opts, waiting: map[*node]*wait{}, gone: map[string]time.Time{}, links: map[string]map[*node]bool{}, told: map[string]string{}}
	there := 0
	for _, folder := range opts.Folders {
		r := &root{path: filepath.Clean(folder)}
		if abs, err := filepath.Abs(folder); err == nil {
			r.path = abs
		}
		info, err := os.Stat(r.path)
		switch {
		case err == nil && !info.IsDir():
			return nil, fmt.Errorf("%s: %w", folder, phrase.Error("said.not-folder", "is not a folder"))
		case err == nil:
			there++
			r.canonical, _ = walk.Canonical(r.path)
		}
		w.roots = append(w.roots, r)
	}
	w.roots = outermost(w.roots)
	if there == 0 {
		return nil, errNoFolder
	}
	return w, nil
}

func outermost(roots []*root) []*root {
	return slices.DeleteFunc(slices.Clone(roots), func(r *root) bool {
		return slices.ContainsFunc(roots, func(other *root) bool {
			if r == other || r.canonical == "" || other.canonical == "" {
				return false
			}
			if r.canonical == other.canonical {
				return slices.Index(roots, other) < slices.Index(roots, r)
			}
			_, is := walk.Within(other.canonical, r.canonical)
			return is
		})
	})
}

func (w *watcher) loop(ctx context.Context) error {
	look := time.NewTicker(w.opts.Every)
	defer look.Stop()
	step := time.NewTicker(max(w.opts.Settle/4, 5*time.Millisecond))
	defer step.Stop()
	w.look(ctx)
	for {
		if w.due() {
			w.batchOrTell(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			w.look(ctx)
		case <-step.C:
			w.hints(ctx)
			w.settle()
		}
	}
}

// tries is how often a run with Options.Once waits for incomplete files.
const tries = 3

// once brings the index in step with the present state of the folders.
func (w *watcher) once(ctx context.Context) error {
	w.look(ctx)
	for range tries {
		if err := fetch.SystemClock.Sleep(ctx, w.opts.Settle); err != nil {
			return err
		}
		if w.settle(); w.ready() == len(w.waiting) {
			break
		}
	}
	w.now = time.Now()
	if err := w.batch(ctx); err != nil {
		return err
	}
	w.unused()
	if w.waitingFor() || w.held() || w.failed {
		return ErrIncomplete
	}
	return nil
}

// waitingFor reports the files that are not indexed because they are incomplete.
func (w *watcher) waitingFor() bool {
	for n := range w.waiting {
		w.report(Event{Path: n.path(), Err: phrase.Error("watch.written", "still being written: left for the next time")})
	}
	return len(w.waiting) > 0
}

func (w *watcher) held() bool {
	return slices.ContainsFunc(w.roots, func(r *root) bool { return r.missing || r.held > 0 })
}

func (w *watcher) report(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opts.OnEvent(e)
}

// reportOnce reports a problem with a path unless it was the last one reported for that path.
func (w *watcher) reportOnce(path string, err error) {
	if text := err.Error(); w.told[path] != text {
		w.told[path] = text
		w.report(Event{Path: path, Err: err})
	}
}

// cause returns the error of the system without the name of the system call.
func cause(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return phrase.Error("cause.no-file-or-folder", "no such file or folder")
	}
	return oserror.Cause(err)
}
