package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/store"
)

// Changes lists what has changed in the paths of a run, if that is known without a walk. See
// [Options.Changes].
type Changes struct {
	Files []string // new and changed files; each begins with one of the paths
	Gone  []string // paths of removed files; their documents are removed, or renamed if one of Files has their content
	Ways  []Ways   // for those Files that can be reached by several paths
	Keep  bool     // documents of removed files, and former members of changed files, stay in the index
}

// Ways are the paths by which a file can be reached. The file is one document, named after the
// first of them, or after its canonical path.
type Ways struct {
	Canonical string
	Reached   []string // relative to the canonical paths that are indexed, in the order of a walk
}

// only visits the files of c instead of walking paths.
func (c *Changes) only(ctx context.Context, w *walk.Walker, paths []string) {
	for _, file := range c.Files {
		for _, top := range paths {
			if _, ok := walk.Within(top, file); ok {
				_ = w.At(ctx, top, file) // only returns the error of ctx
				break
			}
		}
	}
}

// prepareChanges finds the documents of removed files.
func (r *run) prepareChanges(ctx context.Context) error {
	if r.opts.Changes.Keep {
		return nil
	}
	r.sync = newSyncer()
	for _, place := range r.opts.Changes.Gone {
		if !walk.IsGone(place) {
			continue
		}
		if err := r.loseFrom(ctx, place); err != nil {
			return err
		}
	}
	return lists.Each(r.opts.Changes.Ways, func(w Ways) error { return r.prepareWays(ctx, w) })
}

// prepareWays marks documents of a file as gone if their names come from a path other than the
// one that names the file now.
func (r *run) prepareWays(ctx context.Context, w Ways) error {
	f := file{canonical: w.Canonical, reached: w.Reached[0]}
	r.names.name(&f)
	for _, place := range w.Reached {
		if place == f.place {
			continue
		}
		if err := r.loseFrom(ctx, place); err != nil {
			return err
		}
	}
	return nil
}

// heldFrom returns the documents of the index that come from the file at place: the file itself
// and its members.
func (r *run) heldFrom(ctx context.Context, place string) (held []store.Document, err error) {
	take := func(d store.Document) error {
		if file, _, _ := document.CutMember(r.names.at(&d)); d.Prefix == r.opts.Prefix && file == place {
			held = append(held, d)
		}
		return nil
	}
	for _, name := range r.names.allOf(place) {
		d, err := store.Entry(ctx, r.store, store.IDOf(r.opts.Prefix, name))
		if err == nil {
			err = take(d)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if err := r.store.Documents(ctx, r.opts.Prefix+name+document.MemberMark, take); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
	}
	return held, nil
}

// allOf returns all names that the file at place may have in the index.
func (n *namer) allOf(place string) (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name], names = true, append(names, name)
		}
	}
	if n.whole {
		add(place)
	}
	for i := range n.bases {
		if n.bases[i].Key == store.WholePaths {
			continue
		}
		if name, ok := called(&n.bases[i], place); ok {
			add(name)
		}
	}
	return names
}

// loseFrom marks as gone the documents that come from the file at place.
func (r *run) loseFrom(ctx context.Context, place string) error {
	held, err := r.heldFrom(ctx, place)
	for _, d := range held {
		r.sync.lost(d)
	}
	return err
}

// textless reports whether err means that a file has no text to index, so that its former text
// is gone. A file that was not read, or not read to its end, may still have that text.
func textless(err error) bool {
	if errors.Is(err, document.ErrNoField) {
		return false // it may have another name
	}
	return document.Textless(err) || errors.Is(err, ErrTooShort)
}
