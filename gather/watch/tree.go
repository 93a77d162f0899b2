package watch

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
)

// A root is a folder that is watched.
type root struct {
	path      string // absolute, as it was typed
	canonical string // where that leads to; "" while it never was there
	top       *node
	missing   bool // it is not there now
	vanished  bool // it was not there since its files were read from the index
	held      int  // files that are gone, and whose documents are not removed
	told      int  // how many of them were told
}

// A node is a file or folder in a root, as it was met last.
type node struct {
	name  string // of the top: path of the root
	up    *node
	kids  map[string]*node
	round int // of the look that met it
	root  *root

	file *file // nil for a folder

	seen     int    // of a folder: the look that entered it
	dev, was uint64 // the file system that it is on, and was on at the look before; 0 where that is unknown
	next     uint64 // what the next look is to take for the one before; 0 for dev
	asked    int    // the look at which it was asked whether its disk is the same
	same     bool   // the answer
}

// A file is what is known of one.
type file struct {
	sign  signature         // of what was indexed; zero for nothing
	place string            // its canonical path, where a link leads to it
	dev   uint64            // the file system that it was met on
	retry bool              // it could not be read, and may be at the next look
	told  map[string]string // why it, or what it holds, could not be used
}

// A signature changes when a file does.
type signature struct {
	size          int64
	mtime, change int64 // nanoseconds; change is zero where the system does not tell it
}

func signatureOf(info fs.FileInfo) signature {
	return signature{info.Size(), info.ModTime().UnixNano(), changeTime(info)}
}

func (n *node) path() string {
	if n.up == nil {
		return n.name
	}
	return filepath.Join(n.up.path(), n.name)
}

// place is the canonical path of a file.
func (n *node) place() string {
	if n.file != nil && n.file.place != "" {
		return n.file.place
	}
	return n.canonical()
}

// canonical is the path of a node from the canonical path of its root.
func (n *node) canonical() string {
	if n.up == nil {
		return n.root.canonical
	}
	return filepath.Join(n.up.canonical(), n.name)
}

// at returns the node at a path in the root, making it if make is set; nil where
// there is none.
func (r *root) at(path string, make bool) *node {
	if path == r.path {
		return r.top
	}
	up := filepath.Dir(path)
	if len(up) >= len(path) {
		return nil
	}
	above := r.at(up, make)
	if above == nil {
		return nil
	}
	name := filepath.Base(path)
	n := above.kids[name]
	if n == nil && make {
		n = &node{name: name, up: above, root: r}
		if above.kids == nil {
			above.kids = map[string]*node{}
		}
		above.kids[name] = n
	}
	return n
}

// drop takes a node out of the tree, and folders that are empty then.
func (n *node) drop() {
	for ; n.up != nil && n.file == nil && len(n.kids) == 0; n = n.up {
		delete(n.up.kids, n.name)
	}
}

// there returns n, or the nearest folder above it that is there.
func (n *node) there() *node {
	for n.up != nil && !isFolder(n.path()) {
		n = n.up
	}
	return n
}

// each calls fn for each file at n and below. fn may drop it.
func (n *node) each(fn func(*node)) {
	for _, kid := range n.kids {
		kid.each(fn)
	}
	if n.file != nil {
		fn(n)
	}
}

// count returns how many files are at n and below.
func (n *node) count() (count int) {
	n.each(func(*node) { count++ })
	return count
}

// rootOf returns the root that a path is in; nil for none.
func (w *watcher) rootOf(path string) *root {
	for _, r := range w.roots {
		if path == r.path || strings.HasPrefix(path, strings.TrimSuffix(r.path, string(filepath.Separator))+string(filepath.Separator)) {
			return r
		}
	}
	return nil
}

// load makes the trees of what the index has from some folders, so that what went
// while nobody watched is seen to be gone.
func (w *watcher) load(ctx context.Context, roots ...*root) error {
	for _, r := range roots {
		r.top = &node{name: r.path, root: r}
		for n := range w.waiting {
			if n.root == r {
				delete(w.waiting, n)
			}
		}
	}
	if w.opts.KeepGone {
		return nil
	}
	return w.withStore(ctx, func(s store.Store) error {
		info, err := s.Info(ctx)
		if err != nil {
			return err
		}
		return s.Documents(ctx, func(d store.Document) error {
			if d.Prefix == w.opts.Index.Prefix {
				had(roots, store.File(info.Bases, d.Base, d.Path))
			}
			return ctx.Err()
		})
	})
}

// had notes that the index has a document from path.
func had(roots []*root, path string) {
	path, _, _ = document.CutMember(path)
	if path == "" {
		return
	}
	for _, r := range roots {
		at := r.canonical
		if at == "" {
			at = r.path
		}
		if rel, ok := within(at, path); ok && rel != "." {
			if n := r.at(filepath.Join(r.path, rel), true); n.file == nil {
				n.file = &file{}
			}
			return
		}
	}
}

// A wait is that of a file for being whole.
type wait struct {
	sign  signature
	since time.Time // when it was seen like this first
	first time.Time // when it began
	ready bool
}

// met takes note of a file that a look found.
func (w *watcher) met(r *root, f indexer.Found) {
	n := r.at(f.Path, true)
	n.round = w.round
	if n.file == nil {
		n.file = &file{}
	}
	if n.file.dev == 0 {
		n.file.dev = n.up.dev
	}
	w.link(n, f.Canonical)
	delete(w.gone, n.canonical())
	delete(w.gone, n.place())
	w.noted(n, signatureOf(f.Info))
}

// link notes where the path of a file leads to.
func (w *watcher) link(n *node, canonical string) {
	if n.file.place != "" {
		delete(w.links[n.file.place], n)
	}
	if n.file.place = ""; canonical == n.canonical() {
		return
	}
	n.file.place = canonical
	if w.links[canonical] == nil {
		w.links[canonical] = map[*node]bool{}
	}
	w.links[canonical][n] = true
}

// ways returns all nodes that lead to the file of a node, in the order of a walk:
// what it is called depends on the first.
func (w *watcher) ways(n *node) []*node {
	list := []*node{n}
	add := func(other *node) {
		if !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	for other := range w.links[n.place()] {
		add(other)
	}
	for _, r := range w.roots {
		if r.canonical == "" {
			continue
		}
		if rel, ok := within(r.canonical, n.place()); ok {
			if other := r.at(filepath.Join(r.path, rel), false); other != nil && other.file != nil {
				add(other)
			}
		}
	}
	slices.SortFunc(list, func(a, b *node) int { return strings.Compare(w.placeOf(a.path()), w.placeOf(b.path())) })
	return list
}

// noted compares a file with what is known of it.
func (w *watcher) noted(n *node, sign signature) {
	waits := w.waiting[n]
	switch {
	case waits != nil && waits.sign == sign:
	case waits != nil:
		waits.sign, waits.since, waits.ready = sign, w.now, false
	case n.file.sign != sign || n.file.retry:
		w.waiting[n] = &wait{sign: sign, since: w.now, first: w.now}
	}
}
