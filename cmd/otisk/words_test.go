package main

import (
	"context"
	"strings"
	"testing"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// TestIndexWithOtherWords: an index that was made by another version of the rules for words is
// refused with the command that converts it, and that command converts it.
func TestIndexWithOtherWords(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "All human beings are born free and equal in dignity and rights and should act in a spirit of brotherhood.\n"
	files.Write(t, "suspect.txt", text)
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		t.Fatal(err)
	}
	old := settings.Normalization()
	delete(old, config.WordsSetting)
	w, err := segment.Create("old", store.Settings{Normalization: old, KeepTexts: true}, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := indexer.AddText(ctx, w, "source", text, 7, norms); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"search", "suspect.txt", "--index", "old"}, {"index", "suspect.txt", "--index", "old"}, {"upgrade", "--index", "old"}} {
		if status, _, said := typed(t, args...); status != 2 || !strings.Contains(said, "otisk copy --from old --to NEW") {
			t.Errorf("%q: status %d, %s", args, status, said)
		}
	}
	if status, _, said := typed(t, "copy", "--from", "old", "--to", "new"); status != 0 {
		t.Fatalf("copy: status %d, %s", status, said)
	}
	status, out, said := typed(t, "search", "suspect.txt", "--index", "new", "--format", "text")
	if status != 0 || !strings.Contains(out, "100.0") {
		t.Errorf("search of the copy: status %d, %s, %s", status, out, said)
	}
}
