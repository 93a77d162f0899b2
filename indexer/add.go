package indexer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Add adds a document that was read before to a store, under the given path, which is its
// name there. It does not commit. A document with that name is replaced, except for its
// description. Of the options, Add uses N, Pairs, Translated, Prefix, Norms and Read only.
func Add(ctx context.Context, s store.Store, path string, doc *document.Document, opts Options) error {
	return Put(ctx, s, path, doc, store.Description{}, opts)
}

// AddText adds a plain text to a store under the given name, with its n-grams of n words,
// its pairs of words, and its marks: everything that a search uses. It does not commit. norms
// must be the rules with which searches are made.
func AddText(ctx context.Context, s store.Store, name, text string, n int, norms *normalize.Set) error {
	doc := &document.Document{Path: name, Format: "text", Text: text, Bytes: int64(len(text))}
	sum := sha256.Sum256([]byte(text))
	doc.Content = hex.EncodeToString(sum[:])
	return Add(ctx, s, name, doc, Options{N: n, Pairs: true, Norms: norms})
}

// Put is like [Add] for a document with metadata that its file does not state. Metadata given
// by hand before takes precedence over says.
func Put(ctx context.Context, s store.Store, path string, doc *document.Document, says store.Description, opts Options) error {
	if err := opts.follow(ctx, s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r := &run{store: s, opts: opts}
	t := r.documentOf(file{path: doc.Path, name: path, size: doc.Bytes}, doc, opts.Read)
	old, err := store.Entry(ctx, s, store.IDOf(opts.Prefix, path))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if name := opts.Prefix + path; err == nil && old.Name() != name {
		return fmt.Errorf("%w: %w", store.ErrRefused, sameID(name, old.Name()))
	}
	t.entry.Said = old.Said.Over(says)
	t.pairs = t.pairs || old.Paired
	sizes := append(grams.SizesOf(&old), opts.asked()...)
	slices.Sort(sizes)
	_, err = r.add(ctx, t, slices.Compact(sizes), outcome{})
	if ended, ok := errors.AsType[storeError](err); ok {
		return ended.error
	}
	return err
}
