package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// errForgotten returns the error for a document of a source that was deleted from the collection.
// Its text needs the messages of lang, which other commands should not read when they start.
var errForgotten = sync.OnceValue(func() error {
	return fmt.Errorf("%w: %w", lang.Say("case.forgotten"), store.ErrRefused)
})

// A withoutForgotten is the writer of a source. It refuses documents that were deleted from the
// collection.
type withoutForgotten struct {
	store.Store
	w *worker
}

// Add returns errForgotten for a document that was deleted.
func (s withoutForgotten) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if s.w.forgotten(doc.Name(), doc.Content) {
		return errForgotten()
	}
	return s.Store.Add(ctx, doc, text, grams, pairs)
}

// forgotten reports whether a document with the name or with the content was deleted from the
// collection of the task.
func (w *worker) forgotten(name, content string) bool {
	return slices.ContainsFunc(work.Marks(w.task.Collections[0].ID, name, content), func(mark string) bool { return w.gone[mark] })
}

// sourceWriter opens the collection for the documents of a source.
func (w *worker) sourceWriter(ctx context.Context) (store.Store, error) {
	index, err := w.writer(ctx)
	if err != nil {
		return nil, err
	}
	return withoutForgotten{index, w}, nil
}
