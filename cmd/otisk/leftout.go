package main

import (
	"context"
	"slices"

	"github.com/otisk/otisk/store"
)

// A copyFilter removes from the Copies of entries the names of documents that have been
// indexed since.
type copyFilter struct {
	r    store.Reader
	left map[store.DocID]bool // nil until it is first needed
}

// filter removes them from d.
func (f *copyFilter) filter(ctx context.Context, d *store.Document) (err error) {
	if len(d.Copies) == 0 {
		return nil
	}
	if f.left == nil {
		if f.left, err = f.r.LeftOut(ctx); err != nil {
			return err
		}
	}
	d.Copies = slices.DeleteFunc(slices.Clone(d.Copies), func(name string) bool { return !f.left[store.IDOf("", name)] })
	return nil
}
