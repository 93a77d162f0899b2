package indexer

import (
	"context"
	"errors"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// Add puts one document that was read before into a store, under the path that
// stands for it there. It does not commit. It uses no more of the options than
// N, Prefix and Norms.
func Add(ctx context.Context, s store.Store, path string, doc *document.Document, opts Options) error {
	r := &run{store: s, opts: opts}
	t := r.take(file{path: doc.Path, name: path, size: doc.Bytes}, doc, opts.Read)
	_, err := r.add(ctx, t, []int{opts.N}, outcome{})
	var ended storeError
	if errors.As(err, &ended) {
		return ended.error
	}
	return err
}
