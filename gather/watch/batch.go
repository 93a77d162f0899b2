package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// due reports whether a batch is due: all changed files are complete, some have waited long, or
// there are many. Removed files wait as long as a file needs to count as complete, so that both
// ends of a renaming are in one batch.
func (w *watcher) due() bool {
	now := time.Now()
	if now.Before(w.again) {
		return false
	}
	ready, oldest := 0, now
	for _, waits := range w.waiting {
		if waits.ready {
			ready++
			oldest = earlier(oldest, waits.since)
		}
	}
	for _, since := range w.gone {
		oldest = earlier(oldest, since)
	}
	age := now.Sub(oldest)
	switch {
	case ready == 0 && len(w.gone) == 0 || age < w.opts.Settle:
		return false
	case ready == len(w.waiting) || ready >= w.opts.Most:
		return true
	}
	return age >= w.opts.Settle+w.opts.Gather
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// batchOrTell indexes a batch. It reports an error, such as a full disk or a dead server, and the
// batch is retried later.
func (w *watcher) batchOrTell(ctx context.Context) {
	w.now = time.Now()
	err := w.batch(ctx)
	if err == nil {
		delete(w.told, "")
		return
	}
	if ctx.Err() == nil {
		w.again = time.Now().Add(w.opts.Every)
		w.reportOnce("", phrase.Error("watch.again", "{cause}: trying again every {time}", "cause", err, "time", w.opts.Every))
	}
}

// batch indexes complete files and removes the documents of removed files, in one commit unless they
// are very many.
func (w *watcher) batch(ctx context.Context) error {
	for _, r := range w.roots {
		w.there(ctx, r) // a missing root keeps its documents
	}
	c := &indexer.Changes{Keep: w.opts.KeepGone}
	nodes := map[string]*node{}
	for n, waits := range w.waiting {
		if waits.ready {
			nodes[n.path()] = n
			w.add(c, n)
		}
	}
	for place, since := range w.gone {
		if w.opts.Once || w.now.Sub(since) >= w.opts.Settle {
			c.Gone = append(c.Gone, place)
		}
	}
	if len(c.Files) == 0 && len(c.Gone) == 0 {
		return nil
	}
	c.Files = w.inOrder(c.Files)
	var sum ledger.Summary
	err := w.withStore(ctx, func(s store.Store) (err error) {
		sum, err = w.index(ctx, s, c)
		return err
	})
	if err == nil {
		w.finish(nodes, c, sum)
	}
	if sum.Files > 0 || sum.Removed > 0 {
		w.report(Event{Summary: &sum})
	}
	return err
}

func (w *watcher) add(c *indexer.Changes, n *node) {
	list := w.ways(n)
	ways := indexer.Ways{Canonical: n.place()}
	for _, way := range list {
		c.Files = append(c.Files, way.path())
		ways.Reached = append(ways.Reached, way.canonical())
	}
	if len(list) > 1 {
		c.Ways = append(c.Ways, ways)
	}
}

// placeOf returns the sort key of a path in the order of a walk.
func (w *watcher) placeOf(path string) string {
	return fmt.Sprintf("%04d%s", slices.Index(w.roots, w.rootOf(path)), strings.ReplaceAll(path, string(os.PathSeparator), "\x00"))
}

func (w *watcher) inOrder(paths []string) []string {
	by := make(map[string]string, len(paths))
	for _, path := range paths {
		by[w.placeOf(path)] = path
	}
	paths = paths[:0]
	paths = append(paths, lists.Map(slices.Sorted(maps.Keys(by)), func(place string) string { return by[place] })...)
	return paths
}

func (w *watcher) index(ctx context.Context, s store.Store, c *indexer.Changes) (ledger.Summary, error) {
	opts := w.opts.Index
	opts.Changes = c
	opts.Progress = func(e ledger.Event) {
		if e.Note != nil {
			w.report(Event{Path: e.Path, Err: e.Note})
		}
	}
	var paths []string
	for _, r := range w.roots {
		if !r.missing {
			paths = append(paths, r.path)
		}
	}
	sum, err := indexer.Run(ctx, s, paths, opts)
	if err == nil {
		err = upkeep.Tidy(ctx, s, sum)
	}
	return sum, err
}

// finish updates the state of the files in a batch. A file that has changed since it was read
// waits again.
func (w *watcher) finish(nodes map[string]*node, c *indexer.Changes, sum ledger.Summary) {
	failures := map[string][]ledger.Failure{}
	for _, f := range sum.Failures {
		path, _, _ := document.CutMember(f.Path)
		failures[path] = append(failures[path], f)
	}
	for path, n := range nodes {
		was := w.waiting[n].sign
		delete(w.waiting, n)
		w.reportFailures(n, failures[path])
		info, err := os.Stat(path)
		if err != nil {
			n.file.sign = signature{} // the next scan decides whether it exists
			continue
		}
		n.file.sign = was
		w.noted(n, signatureOf(info))
	}
	for _, place := range c.Gone {
		delete(w.gone, place)
	}
}

func (w *watcher) reportFailures(n *node, failures []ledger.Failure) {
	told := map[string]string{}
	n.file.retry = false
	for _, f := range failures {
		if errors.Is(f.Err, fs.ErrNotExist) || errors.Is(f.Err, document.ErrChanged) {
			n.file.retry = true
			continue
		}
		if errors.As(f.Err, new(syscall.Errno)) {
			n.file.retry = true
		}
		w.failed = true
		err := cause(f.Err)
		told[f.Path] = err.Error()
		if n.file.told[f.Path] != told[f.Path] {
			w.report(Event{Path: f.Path, Err: err})
		}
	}
	n.file.told = told
}

// lockedEvery is the interval for retrying to open an index that another program writes to.
const lockedEvery = time.Second

func (w *watcher) withStore(ctx context.Context, fn func(store.Store) error) error {
	s, err := w.opts.Open(ctx)
	for errors.Is(err, store.ErrLocked) {
		if !w.locked {
			w.locked = true
			w.report(Event{Note: phrase.Error("said.other-writer", "another program writes to the index: waiting for it to end")})
		}
		if err := fetch.SystemClock.Sleep(ctx, lockedEvery); err != nil {
			return err
		}
		s, err = w.opts.Open(ctx)
	}
	if err != nil {
		return err
	}
	w.locked = false
	err = fn(s)
	return cmp.Or(err, s.Close())
}
