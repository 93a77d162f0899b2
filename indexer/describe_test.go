package indexer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestDescribe changes the metadata of a document, but not its n-grams and text.
func TestDescribe(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one two three four five six seven eight"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := memory.New(store.Settings{KeepTexts: true})
	if _, err := Run(ctx, s, []string{file}, Options{N: 3, Pairs: true, Norms: norms(t, normalize.Auto)}); err != nil {
		t.Fatal(err)
	}
	before := only(t, s)
	says := store.Description{Title: "T", Labels: map[string]string{"a": "b"}}
	if err := Describe(ctx, s, before, says); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	after := only(t, s)
	if !after.Said.Equal(says) {
		t.Errorf("it says %+v", after.Said)
	}
	if !slices.Equal(after.Sizes, before.Sizes) || after.Paired != before.Paired || after.Pairs != before.Pairs || after.Words != before.Words {
		t.Errorf("the document was %+v and is %+v", before, after)
	}
	marks, err := grams.MarksOf(ctx, s, after.ID)
	if err != nil || marks == nil {
		t.Errorf("the marks of its text are gone: %v", err)
	}
	before.TextSum = "of another text"
	if err := Describe(ctx, s, before, says); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Describe of an entry of another text = %v, want an error wrapping ErrDamaged", err)
	}
}

// only returns the one document of s.
func only(t *testing.T, s store.Store) (d store.Document) {
	t.Helper()
	count := 0
	err := s.Documents(context.Background(), "", func(found store.Document) error {
		d = found
		count++
		return nil
	})
	if err != nil || count != 1 {
		t.Fatalf("%d documents, %v", count, err)
	}
	return d
}
