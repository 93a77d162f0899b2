package main

import (
	"context"
	"slices"

	"github.com/otisk/otisk/store"
)

// leftOut returns the documents that were left out as near-duplicates and are not in the index.
// The entries of those that stay name them, and go on to do so when one has been indexed since.
// Where the index does not know them by itself, or that there are none, that takes one look
// at all entries, and another where any was left out.
func leftOut(ctx context.Context, r store.Reader) (map[store.DocID]bool, error) {
	if l, ok := r.(store.LeftOuter); ok {
		if left, ok, err := l.LeftOut(ctx); ok || err != nil {
			return left, err
		}
	}
	left := map[store.DocID]bool{}
	info, err := r.Info(ctx)
	if err != nil || info.Copies != nil && *info.Copies == 0 {
		return left, err
	}
	err = store.Glance(ctx, r, "", func(d *store.Document) error {
		for _, name := range d.Copies {
			left[store.IDOf("", name)] = true
		}
		return nil
	})
	if err != nil || len(left) == 0 {
		return left, err
	}
	err = store.Glance(ctx, r, "", func(d *store.Document) error {
		delete(left, store.IDOf("", d.Name()))
		return nil
	})
	return left, err
}

// A copyFilter takes the names of copies out of entries that are documents by now.
type copyFilter struct {
	r    store.Reader
	left map[store.DocID]bool // nil before it was asked for
}

// filter takes them out of d.
func (f *copyFilter) filter(ctx context.Context, d *store.Document) (err error) {
	if len(d.Copies) == 0 {
		return nil
	}
	if f.left == nil {
		if f.left, err = leftOut(ctx, f.r); err != nil {
			return err
		}
	}
	d.Copies = slices.DeleteFunc(slices.Clone(d.Copies), func(name string) bool { return !f.left[store.IDOf("", name)] })
	return nil
}
