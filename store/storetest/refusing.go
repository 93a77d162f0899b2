package storetest

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/otisk/otisk/store"
)

// Refusing is a store that refuses the documents whose path has a suffix.
type Refusing struct {
	store.Store
	Suffix string
}

// Add returns an error that wraps [store.ErrRefused] for a path with the suffix.
func (r *Refusing) Add(ctx context.Context, d store.Document, text string, g []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if strings.HasSuffix(d.Path, r.Suffix) {
		return fmt.Errorf("add %s: %w", d.Path, store.ErrRefused)
	}
	return r.Store.Add(ctx, d, text, g, pairs)
}
