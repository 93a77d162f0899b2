package session

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A rehearsal is an index that lists changes and makes none, for --dry-run.
type rehearsal struct {
	store.Reader
	mu     sync.Mutex
	change func(sign, name string) error
}

// Rehearse opens the index for reading, as a store that changes nothing. If there is none, it is an empty
// one in memory. It calls change with + and the name of a new document, ~ and that of one that is in the
// index, - and that of one to delete; calls do not overlap.
func (s *Session) Rehearse(ctx context.Context, change func(sign, name string) error) (store.Store, error) {
	r, err := s.UncheckedReader(ctx)
	if errors.Is(err, store.ErrNoIndex) {
		r, err = memory.New(s.StoreSettings(nil)), nil
	}
	if err != nil {
		return nil, err
	}
	w := &rehearsal{Reader: r, change: change}
	if err := errors.Join(s.Check(w), s.CheckTexts(w)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return w, nil
}

func (r *rehearsal) report(sign, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.change(sign, name)
}

// Add reports a new or a changed document.
func (r *rehearsal) Add(ctx context.Context, d store.Document, _ string, _ []store.Grams, _ iter.Seq[[]store.Hash]) error {
	_, err := store.Entry(ctx, r, store.IDOf(d.Prefix, d.Path))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return r.report("+", d.Name())
	case err != nil:
		return err
	}
	return r.report("~", d.Name())
}

// Delete reports the document.
func (r *rehearsal) Delete(ctx context.Context, id store.DocID) error {
	d, err := store.Entry(ctx, r, id)
	if err != nil {
		return err
	}
	return r.report("-", d.Name())
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
