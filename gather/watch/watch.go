// Package watch keeps an index like some folders: what appears there is indexed
// once it is whole, what changes is replaced, what goes is removed.
//
// [Run] does all of it, until its context ends. What a folder has is found out
// by looks at it: of all, when it starts and every so often, and of what the
// system says has changed. So events only make it quicker: where there are none,
// on network folders say, or too many, nothing is missed.
//
// A file is whole when its size and times stay the same for a while and, where
// that can be told, nobody has it open for writing. Many files make one commit.
// All that is known is in memory: a run that was killed is simply started again,
// and compares the folders with the index.
//
// Nothing is removed because a disk is not there: see guard.go.
package watch

import (
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
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/store"
)

// Options say what is watched, and how.
type Options struct {
	Folders []string
	Open    func(context.Context) (store.Store, error) // opens the index for each batch, so that others can write to it between them
	Index   indexer.Options                            // how files are indexed; what concerns a single run is set here

	// Metadata is a table of what is said of documents, as
	// [indexer.ReadDescriptions] has it; "" for none. It is read again when it changes.
	Metadata string

	Every  time.Duration // between looks at everything; 0 for 30 s
	Settle time.Duration // for which a file must stay the same; 0 for 2 s
	Gather time.Duration // longest that whole files wait for others, for one commit; 0 for 10 s
	Most   int           // whole files that are not made to wait; 0 for 1000

	Once       bool // end when the index is like the folders
	KeepGone   bool // what is gone stays in the index
	RemoveMany bool // nothing holds removing back but a folder that is not there
	NoEvents   bool // looks alone

	// Tell is called for what happens, by one goroutine at once.
	Tell func(Event)
}

// An Event is something that a person may want to know.
type Event struct {
	Summary *indexer.Summary // a batch was committed; nil for another event
	Path    string           // what is told of, "" for nothing in particular
	Text    string           // what is told
	Note    bool             // it is no warning
}

// errNoFolder says that none of the folders is there.
var errNoFolder = errors.New("none of the folders is there")

// ErrIncomplete says that the index is not like the folders at the end of a run
// with Options.Once; what is missing was told.
var ErrIncomplete = errors.New("the index is not yet like the folders, for what is named above")

// Run watches until ctx ends, which is no error, or with Options.Once until
// the index is like the folders; then it is one that ctx ended before. What was
// done is committed in any case.
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

// A watcher is one call of Run.
type watcher struct {
	opts   Options
	roots  []*root
	events *events // nil where there are none
	round  int     // counts looks

	table   signature // of Options.Metadata, when it was read last
	waiting map[*node]*wait
	links   map[string]map[*node]bool // files that links lead to, by their canonical paths
	gone    map[string]time.Time      // where files were whose documents are to be removed, and since when
	now     time.Time                 // when the present look began: what it sees, it sees together
	again   time.Time                 // when a batch is tried again, after one that failed
	told    map[string]string
	locked  bool // it was told that another program has the index
	failed  bool // a file could not be used in this run

	mu sync.Mutex // around Options.Tell
}

func newWatcher(opts Options) (*watcher, error) {
	set := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	set(&opts.Every, 30*time.Second)
	set(&opts.Settle, 2*time.Second)
	set(&opts.Gather, 10*time.Second)
	if opts.Most <= 0 {
		opts.Most = 1000
	}
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
			return nil, fmt.Errorf("%s: is not a folder", folder)
		case err == nil:
			there++
			r.canonical, _ = indexer.Canonical(r.path)
		}
		w.roots = append(w.roots, r)
	}
	w.roots = outermost(w.roots)
	if there == 0 {
		return nil, errNoFolder
	}
	return w, nil
}

// outermost drops folders that are in others.
func outermost(roots []*root) []*root {
	return slices.DeleteFunc(slices.Clone(roots), func(r *root) bool {
		return slices.ContainsFunc(roots, func(other *root) bool {
			if r == other || r.canonical == "" || other.canonical == "" {
				return false
			}
			if r.canonical == other.canonical {
				return slices.Index(roots, other) < slices.Index(roots, r)
			}
			_, is := within(other.canonical, r.canonical)
			return is
		})
	})
}

// within returns the path of a file from the folder; ok is false if it is not in there.
func within(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// loop watches until ctx ends.
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

// tries is how often a run with Options.Once waits for files that are not whole.
const tries = 3

// once makes the index like the folders, as they are now.
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

// waitingFor tells which files are not in the index because they are not whole.
func (w *watcher) waitingFor() bool {
	for n := range w.waiting {
		w.tell(Event{Path: n.path(), Text: "still being written: left for the next time"})
	}
	return len(w.waiting) > 0
}

func (w *watcher) held() bool {
	return slices.ContainsFunc(w.roots, func(r *root) bool { return r.missing || r.held > 0 })
}

func (w *watcher) tell(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opts.Tell(e)
}

// tellOnce tells of a path what was not told of it before.
func (w *watcher) tellOnce(path, text string) {
	if w.told[path] != text {
		w.told[path] = text
		w.tell(Event{Path: path, Text: text})
	}
}

// cause is what the system says, without the name of its call.
func cause(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file or folder")
	}
	return oserror.Cause(err)
}
