package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A rehearsal is an index that lists changes and makes none, for --dry-run.
type rehearsal struct {
	store.Reader
	mu  sync.Mutex
	out io.Writer
}

// rehearse opens the index for reading. If there is none, it is an empty one in memory.
func (s *session) rehearse(ctx context.Context, out io.Writer) (store.Store, error) {
	r, err := s.openReader(ctx)
	if errors.Is(err, store.ErrNoIndex) {
		r, err = memory.New(s.storeSettings(nil)), nil
	}
	if err != nil {
		return nil, err
	}
	w := &rehearsal{Reader: r, out: out}
	if err := errors.Join(s.check(w), s.checkTexts(w)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return w, nil
}

func (r *rehearsal) print(sign, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := fmt.Fprintln(r.out, sign, printable(name))
	return err
}

// Add prints + and the name of a new document, ~ and that of one that is in the index.
func (r *rehearsal) Add(ctx context.Context, d store.Document, _ string, _ []store.Grams, _ iter.Seq[[]store.Hash]) error {
	_, err := r.Document(ctx, store.IDOf(d.Prefix, d.Path))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return r.print("+", d.Name())
	case err != nil:
		return err
	}
	return r.print("~", d.Name())
}

// Delete prints - and the name of the document.
func (r *rehearsal) Delete(ctx context.Context, id store.DocID) error {
	d, err := r.Document(ctx, id)
	if err != nil {
		return err
	}
	return r.print("-", d.Name())
}

// A rehearsal neither makes nor lists the other changes.

func (*rehearsal) SetBases(context.Context, []store.Base) error     { return nil }
func (*rehearsal) SetProgress(string)                               {}
func (*rehearsal) Progress(context.Context) (string, error)         { return "", nil }
func (*rehearsal) SetBookmark(string, string)                       {}
func (*rehearsal) Bookmark(context.Context, string) (string, error) { return "", nil }
func (*rehearsal) Commit(context.Context) error                     { return nil }
func (*rehearsal) Optimize(context.Context) error                   { return nil }
func (*rehearsal) Recreate(context.Context, store.Settings) error   { return nil }
