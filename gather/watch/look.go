package watch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
)

func (w *watcher) look(ctx context.Context) {
	w.tableAgain(ctx)
	w.hints(ctx) // so that files reported as removed are not merely missing
	for _, r := range w.roots {
		if ctx.Err() == nil {
			w.lookAt(ctx, r)
		}
	}
}

func (w *watcher) lookAt(ctx context.Context, r *root) {
	if !w.there(ctx, r) {
		return
	}
	before := r.top.count()
	s := w.scan(ctx, r, r.path)
	if ctx.Err() != nil {
		return // files that were not found may exist
	}
	w.release(r, s.unmet(r.top), s, before)
}

// there reports whether a root exists, and reports changes of that to the user.
func (w *watcher) there(ctx context.Context, r *root) bool {
	info, err := os.Stat(r.path)
	if err == nil && !info.IsDir() {
		err = phrase.Error("cause.no-longer-folder", "is no longer a folder")
	}
	canonical := ""
	if err == nil {
		canonical, err = walk.Canonical(r.path)
	}
	if err != nil {
		r.missing, r.vanished = true, true
		w.cancelRemovals(r)
		w.reportOnce(r.path, phrase.Error("watch.waiting", "{cause}: waiting for it; its documents stay in the index", "cause", cause(err)))
		return false
	}
	if r.missing {
		r.missing = false
		delete(w.told, r.path)
		w.report(Event{Path: r.path, Note: phrase.Error("said.there-again", "is there again")})
	}
	if r.canonical == canonical && !r.vanished {
		return true
	}
	if r.canonical != "" && r.canonical != canonical {
		w.report(Event{Path: r.path, Err: phrase.Error("watch.moved", "now leads to {name}, before to {other}, whose documents stay in the index", "name", canonical, "other", r.canonical)})
	}
	r.canonical = canonical
	if err := w.load(ctx, r); err != nil {
		w.reportOnce(r.path, err)
		return false
	}
	r.vanished = false
	return true
}

// cancelRemovals cancels all pending removals in a root that is missing: its files may have vanished with it
// rather than been removed one by one.
func (w *watcher) cancelRemovals(r *root) {
	for place := range w.gone {
		if in(r.canonical, place) || in(r.path, place) {
			delete(w.gone, place)
		}
	}
}

func in(folder, path string) bool {
	_, is := walk.Within(folder, path)
	return is && folder != ""
}

type scan struct {
	round   int
	found   int
	blocked []string // paths that could not be read
}

func (w *watcher) scan(ctx context.Context, r *root, path string) *scan {
	w.round++
	w.now = time.Now()
	s := &scan{round: w.round}
	f := walk.Walker{
		Exclude: w.opts.Index.Exclude,
		Folder: func(path string, info fs.FileInfo) {
			w.follow(path) // before it is read, so that no change is missed
			n := r.at(path, true)
			n.seen, n.was, n.dev, n.next = w.round, cmp.Or(n.next, n.dev), deviceOf(info), 0
		},
		File: func(f walk.File) {
			s.found++
			w.met(r, f)
		},
		Fail: func(path string, err error) {
			if _, there := os.Lstat(path); there == nil || !errors.Is(err, fs.ErrNotExist) { // a broken link exists
				s.blocked = append(s.blocked, path)
			}
			w.failed = true
			w.reportOnce(path, cause(err))
		},
	}
	_ = f.At(ctx, r.path, path) // only returns the error of ctx, which the caller checks
	return s
}

// unmet returns the files at n and below that the scan has not found, except in paths that could
// not be read.
func (s *scan) unmet(n *node) (list []*node) {
	n.each(func(n *node) {
		if n.round != s.round && !s.hidden(n.path()) {
			list = append(list, n)
		}
	})
	return list
}

func (s *scan) hidden(path string) bool {
	return slices.ContainsFunc(s.blocked, func(b string) bool { return path == b || strings.HasPrefix(path, b+string(filepath.Separator)) })
}

func (w *watcher) hints(ctx context.Context) {
	if w.events == nil {
		return
	}
	hints, lost := w.events.drain()
	if lost {
		for _, r := range w.roots {
			w.lookAt(ctx, r)
		}
		return
	}
	for path, removed := range hints {
		if ctx.Err() != nil {
			return
		}
		w.hint(ctx, path, removed)
	}
}

// hint scans a path; removed means that an event reported a removal or renaming there.
func (w *watcher) hint(ctx context.Context, path string, removed bool) {
	r := w.rootOf(path)
	switch {
	case r == nil || r.missing || strings.HasPrefix(filepath.Base(path), "."):
		return
	case path == r.path:
		w.lookAt(ctx, r)
		return
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if n := r.at(path, false); n != nil && removed && walk.IsGone(path) {
			w.round, w.now = w.round+1, time.Now()
			var files []*node
			n.each(func(n *node) { files = append(files, n) })
			w.released(w.mounted(files))
		}
		return
	}
	s := w.scan(ctx, r, path)
	if n := r.at(path, false); n != nil && removed && ctx.Err() == nil {
		w.released(w.mounted(s.unmet(n)))
	}
}

func (w *watcher) settle() {
	now := time.Now()
	for n, waits := range w.waiting {
		if waits.ready || now.Sub(waits.since) < w.opts.Settle {
			continue
		}
		info, err := os.Stat(n.path())
		switch {
		case err != nil:
			delete(w.waiting, n) // removed, or found again by the next scan
			n.file.retry = true
		case signatureOf(info) != waits.sign:
			waits.sign, waits.since = signatureOf(info), now
		case info.Mode().IsRegular() && beingWritten(n.path()): // opening a pipe or a device may have side effects
			waits.since = now
			if now.Sub(waits.first) > 10*w.opts.Settle && !w.opts.Once {
				w.reportOnce(n.path(), phrase.Error("watch.open", "a program has it open for writing: it is indexed when it is closed"))
			}
		default:
			waits.ready = true
		}
	}
}

func (w *watcher) ready() (count int) {
	for _, waits := range w.waiting {
		if waits.ready {
			count++
		}
	}
	return count
}
