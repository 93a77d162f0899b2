package indexer

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// An interrupted store ends a context during the Add of a given number, counted from 1, which
// succeeds.
type interruptedStore struct {
	store.Store
	left int
	end  context.CancelFunc
}

func (s *interruptedStore) Add(ctx context.Context, d store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if s.left--; s.left == 0 {
		defer s.end()
	}
	return s.Store.Add(ctx, d, text, grams, pairs)
}

// TestInterruptedAddIsCounted interrupts runs while a document is added: of a folder, and of
// the records of a container. The summary counts each document that the index has.
func TestInterruptedAddIsCounted(t *testing.T) {
	dir := files.Folder(t, map[string]string{
		"texts/1.txt": "the first text has words enough for an n-gram", "texts/2.txt": "the second text has words enough for an n-gram",
		"records/a.jsonl": linesOf(20),
	})
	for _, from := range []string{"texts", "records"} {
		for at := 1; at <= 2; at++ {
			ctx, end := context.WithCancel(t.Context())
			s := segments(t, t.TempDir())
			opts := Options{N: 5, Norms: norms(t, normalize.Blank), Workers: 1, CommitEvery: time.Hour}
			sum, err := Run(ctx, &interruptedStore{s, at, end}, []string{filepath.Join(dir, from)}, opts)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, document %d: Run = %v, want the interruption", from, at, err)
			}
			if got := len(documents(t, s)); got != at || sum.Committed != at {
				t.Errorf("%s, document %d: the index has %d documents, and the summary counts %d", from, at, got, sum.Committed)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
