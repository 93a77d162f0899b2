package indexer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// Changes say what of the paths of a run is to be looked at, where that is known
// without a walk: [Options.Changes].
type Changes struct {
	Files []string // that are new or have another content; each begins with one of the paths
	Gone  []string // where files were; their documents are removed, or renamed where one of Files has their content
	Ways  []Ways   // of those Files that several ways lead to
	Keep  bool     // what is gone stays in the index, and what a file held before, too
}

// Ways are those to one file. It is one document, called by the first of them, or by
// where it is.
type Ways struct {
	Canonical string
	Reached   []string // from the canonical paths of what is indexed, in the order of a walk
}

// only walks the files of changes.
func (w *walker) only(paths []string, c *Changes) {
	for _, file := range c.Files {
		for _, top := range paths {
			if _, ok := within(top, file); ok {
				w.top, w.start = top, top
				if canonical, err := Canonical(top); err == nil {
					w.start = canonical
				}
				w.visit(file, nil)
				break
			}
		}
	}
}

// prepareChanges finds the documents of files that are gone.
func (r *run) prepareChanges(ctx context.Context) error {
	if r.opts.Changes.Keep {
		return nil
	}
	r.sync = newSyncer()
	for _, place := range r.opts.Changes.Gone {
		if !IsGone(place) {
			continue
		}
		if err := r.loseFrom(ctx, place); err != nil {
			return err
		}
	}
	for _, w := range r.opts.Changes.Ways {
		if err := r.prepareWays(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// prepareWays takes for gone what the index has of a file by another way than
// the one that it is called by now.
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

// IsGone reports whether the system says that no file is at path, or a folder is: not if its
// folder cannot be read, nor if a link on the way to it leads nowhere, as one to a disk that is
// not there.
func IsGone(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) && !astray(path) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir()
}

// heldFrom returns the documents of the index from the file at place: that in
// it, and those that it holds.
func (r *run) heldFrom(ctx context.Context, place string) (held []store.Document, err error) {
	take := func(d store.Document) error {
		if file, _, _ := document.CutMember(r.names.at(&d)); d.Prefix == r.opts.Prefix && file == place {
			held = append(held, d)
		}
		return nil
	}
	for _, name := range r.names.allOf(place) {
		d, err := r.store.Document(ctx, store.IDOf(r.opts.Prefix, name))
		if err == nil {
			err = take(d)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if err := r.store.DocumentsIn(ctx, r.opts.Prefix+name+document.MemberMark, take); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
	}
	return held, nil
}

// allOf returns all names by which the file at place may be in the index.
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
		if n.bases[i].Key == wholePaths {
			continue
		}
		if name, ok := called(&n.bases[i], place); ok {
			add(name)
		}
	}
	return names
}

// loseFrom takes for gone what the index has from the file at place.
func (r *run) loseFrom(ctx context.Context, place string) error {
	held, err := r.heldFrom(ctx, place)
	for _, d := range held {
		r.sync.lost(d)
	}
	return err
}

// textless reports whether err says that a file has no text that could be in an
// index: its former text is not what is in it. One that was not read, or not to
// its end, may well have it.
func textless(err error) bool {
	if errors.Is(err, document.ErrNoField) {
		return false // it may be called otherwise
	}
	for _, kind := range []error{ErrTooShort, document.ErrEmpty, document.ErrBinary, document.ErrNoLayer, document.ErrEncoding, document.ErrDamaged, document.ErrEncrypted} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
