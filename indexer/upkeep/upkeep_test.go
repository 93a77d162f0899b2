package upkeep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

func norms(t testing.TB) *normalize.Set {
	t.Helper()
	set, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func newStore() *memory.Store { return memory.New(store.Settings{KeepTexts: true}) }

// index adds the files of folders to a store.
func index(t testing.TB, s store.Store, opts indexer.Options, paths ...string) ledger.Summary {
	t.Helper()
	opts.Norms = norms(t)
	sum, err := indexer.Run(t.Context(), s, paths, opts)
	if err != nil {
		t.Fatalf("Run(%v) = %v", paths, err)
	}
	return sum
}

func documents(t testing.TB, s store.Reader) (list []store.Document) {
	t.Helper()
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		list = append(list, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// counting is a store that counts how often it is optimized.
type counting struct {
	*memory.Store
	optimized int
}

func (c *counting) Optimize(ctx context.Context) error {
	c.optimized++
	return c.Store.Optimize(ctx)
}

func TestTidyAfterMuchOnly(t *testing.T) {
	dir := files.Folder(t, map[string]string{"big.txt": strings.Repeat("one two three four ", 100), "new/small.txt": "one two three four"})
	s := &counting{Store: newStore()}
	for _, step := range []struct {
		path string
		want int
	}{{"big.txt", 1}, {"new", 1}, {"new", 1}} {
		sum := index(t, s, indexer.Options{N: 3}, filepath.Join(dir, step.path))
		if err := Tidy(t.Context(), s, sum); err != nil || s.optimized != step.want {
			t.Errorf("after %s: optimized %d times, %v, want %d", step.path, s.optimized, err, step.want)
		}
	}
}

// silent is a store that has lost one of its texts, or has another in its place.
type silent struct {
	*memory.Store
	lost, other store.DocID
}

func (s *silent) Texts(ctx context.Context, ids []store.DocID, fn func(int, string, error) error) error {
	return store.TextsOf(ids, func(id store.DocID) (string, error) {
		if id == s.lost && s.other == 0 {
			return "", store.ErrDamaged
		}
		if id == s.lost {
			id = s.other
		}
		return store.TextOf(ctx, s.Store, id)
	}, fn)
}

func TestCopy(t *testing.T) {
	texts := map[string]string{}
	for i := range 40 {
		texts[fmt.Sprintf("%02d.txt", i)] = fmt.Sprintf("one two three four %d", i)
	}
	dir := files.Folder(t, texts)
	from, to := &silent{Store: newStore()}, newStore()
	index(t, from.Store, indexer.Options{N: 3}, dir)
	bad := ""
	if err := from.Documents(t.Context(), "", func(d store.Document) error {
		if strings.HasSuffix(d.Path, "17.txt") {
			bad, from.lost = d.Name(), d.ID
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	sum, err := Copy(t.Context(), from, to, norms(t), nil)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), bad) {
		t.Errorf("Copy with a text that is lost = %v, want an error with its name", err)
	}
	before := sum.Committed
	from.lost = 0
	sum, err = Copy(t.Context(), from, to, norms(t), nil)
	if err != nil || sum.Unchanged != before || sum.Committed != 40-before {
		t.Errorf("Copy again = %d copied, %d unchanged, %v, want %d and %d", sum.Committed, sum.Unchanged, err, 40-before, before)
	}
}

// TestCopyOfRefused copies an index to a store that refuses one document.
func TestCopyOfRefused(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four", "b.txt": "two three four five", "c.txt": "three four five six"})
	failed := ""
	from, to := newStore(), &storetest.Refusing{Store: newStore(), Suffix: "c.txt"}
	index(t, from, indexer.Options{N: 3}, dir)
	sum, err := Copy(t.Context(), from, to, norms(t), func(e ledger.Event) {
		if e.Err != nil {
			failed += filepath.Base(e.Path) + " "
		}
	})
	if err != nil || sum.Committed != 2 || sum.Failed != 1 || failed != "c.txt " {
		t.Errorf("Copy = %d committed, %d failed, %v, failed %q, want 2 committed and c.txt failed", sum.Committed, sum.Failed, err, failed)
	}
}
