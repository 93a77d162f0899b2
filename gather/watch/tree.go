package watch

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/store"
)

type root struct {
	path      string // absolute, with links
	canonical string // without links; "" as long as it has never existed
	top       *node
	missing   bool // it does not exist now
	vanished  bool // it was missing at some time since its files were loaded from the index
	held      int  // missing files whose documents are not removed
	told      int  // value of held that was reported
}

type node struct {
	name  string // the top node has the path of the root
	up    *node
	kids  map[string]*node
	round int // scan that found it
	root  *root

	file *file // nil for a folder

	seen     int    // scan that entered the folder
	dev, was uint64 // file system in the last scan and in the one before; 0 if unknown
	next     uint64 // value of was in the next scan; 0 for dev
	asked    int    // scan that checked whether the file system is the same
	same     bool   // result of that check
}

type file struct {
	sign  signature         // of the indexed version; zero if it is not indexed
	place string            // canonical path if a link leads to it
	dev   uint64            // file system where it was found
	retry bool              // it could not be read and is tried again at the next scan
	told  map[string]string // reported errors of the file and its members
}

type signature struct {
	size          int64
	mtime, change int64 // mtime and ctime in nanoseconds; ctime is 0 if unknown
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

// place returns the canonical path of a file.
func (n *node) place() string {
	if n.file != nil && n.file.place != "" {
		return n.file.place
	}
	return n.canonical()
}

// canonical returns the path of a node starting at the canonical path of its root.
func (n *node) canonical() string {
	if n.up == nil {
		return n.root.canonical
	}
	return filepath.Join(n.up.canonical(), n.name)
}

// at returns the node at a path in the root, or nil. If make is true, at creates it.
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
		lists.Put(&above.kids, name, n)
	}
	return n
}

func (n *node) drop() {
	for ; n.up != nil && n.file == nil && len(n.kids) == 0; n = n.up {
		delete(n.up.kids, n.name)
	}
}

// there returns n, or its nearest parent that exists.
func (n *node) there() *node {
	for n.up != nil && !isFolder(n.path()) {
		n = n.up
	}
	return n
}

func (n *node) each(fn func(*node)) {
	for _, kid := range n.kids {
		kid.each(fn)
	}
	if n.file != nil {
		fn(n)
	}
}

func (n *node) count() (count int) {
	n.each(func(*node) { count++ })
	return count
}

func (w *watcher) rootOf(path string) *root {
	for _, r := range w.roots {
		if path == r.path || strings.HasPrefix(path, strings.TrimSuffix(r.path, string(filepath.Separator))+string(filepath.Separator)) {
			return r
		}
	}
	return nil
}

// load builds the trees from the documents of the index, so that files removed while no watcher was
// running are detected.
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
		return s.Documents(ctx, "", func(d store.Document) error {
			if d.Prefix == w.opts.Index.Prefix {
				had(roots, store.File(info.Bases, d.Base, d.Path))
			}
			return ctx.Err()
		})
	})
}

// had records that the index has a document from path.
func had(roots []*root, path string) {
	path, _, _ = document.CutMember(path)
	if path == "" {
		return
	}
	for _, r := range roots {
		if rel, ok := walk.Within(cmp.Or(r.canonical, r.path), path); ok && rel != "." {
			if n := r.at(filepath.Join(r.path, rel), true); n.file == nil {
				n.file = &file{}
			}
			return
		}
	}
}

// A wait is the state of a file that may be incomplete.
type wait struct {
	sign  signature
	since time.Time // when its present signature was seen first
	first time.Time // when the wait began
	ready bool
}

func (w *watcher) met(r *root, f walk.File) {
	n := r.at(f.Path, true)
	n.round = w.round
	if n.file == nil {
		n.file = &file{}
	}
	n.file.dev = cmp.Or(n.file.dev, n.up.dev)
	w.link(n, f.Canonical)
	delete(w.gone, n.canonical())
	delete(w.gone, n.place())
	w.noted(n, signatureOf(f.Info))
}

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

// ways returns all nodes that lead to the file of a node, in the order of a walk: the first one
// determines its name.
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
		if rel, ok := walk.Within(r.canonical, n.place()); ok {
			if other := r.at(filepath.Join(r.path, rel), false); other != nil && other.file != nil {
				add(other)
			}
		}
	}
	slices.SortFunc(list, func(a, b *node) int { return strings.Compare(w.placeOf(a.path()), w.placeOf(b.path())) })
	return list
}

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
