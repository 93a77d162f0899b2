package indexer

import (
	"context"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// Add puts one document that was read before into a store, under the path that
// stands for it there. It does not commit. It uses no more of the options than
// N, Prefix and Norms.
func Add(ctx context.Context, s store.Store, path string, doc *document.Document, opts Options) error {
	r := &run{store: s, opts: opts}
	entry, grams, err := r.prepare(file{path: doc.Path, canonical: path, size: doc.Bytes}, doc, []int{opts.N})
	if err != nil {
		return err
	}
	return s.Add(ctx, entry, doc.Text, grams.all())
}
