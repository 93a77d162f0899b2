package segment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// settings are those of most tests.
var settings = storetest.Settings()

// open makes or opens the index in dir and closes it with the test.
func open(t testing.TB, dir string, opts Options) *Store {
	t.Helper()
	s, err := Create(dir, settings, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reopen closes s, and opens its index again.
func reopen(t testing.TB, s *Store, opts Options) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, s.dir, opts)
}

func addDoc(t testing.TB, s store.Store, path, content string, grams ...store.Grams) {
	t.Helper()
	if err := s.Add(context.Background(), storetest.Doc(path, content), content, grams, nil); err != nil {
		t.Fatalf("Add(%s) = %v", path, err)
	}
}

func commit(t testing.TB, s store.Store) {
	t.Helper()
	if err := s.Commit(context.Background()); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// dump returns all that r has: documents with their texts, and every place of
// hashes.
func dump(t testing.TB, r store.Reader, hashes []store.Hash) string {
	t.Helper()
	ctx := context.Background()
	var b strings.Builder
	info, err := r.Info(ctx)
	if err != nil {
		t.Fatalf("Info() = %v", err)
	}
	err = r.Documents(ctx, "", func(d store.Document) error {
		text, err := store.TextOf(ctx, r, d.ID)
		fmt.Fprintf(&b, "%s %s %v %q %v\n", d.Name(), d.Content, d.Sizes, text, err)
		if d.Base != "" {
			fmt.Fprintf(&b, "  file %s\n", store.File(info.Bases, d.Base, d.Path))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Documents() = %v", err)
	}
	for _, n := range []int{5, 7} {
		err := r.Lookup(ctx, n, hashes, store.Limits{}, func(h store.Hit) error {
			fmt.Fprintf(&b, "%d %x %v\n", n, h.Hash, h.Postings)
			return nil
		})
		if err != nil {
			t.Fatalf("Lookup() = %v", err)
		}
	}
	return b.String()
}

// sorted returns hashes as Lookup takes them.
func sorted(hashes []store.Hash) []store.Hash {
	hashes = slices.Clone(hashes)
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// problems returns what Verify finds.
func problems(t testing.TB, r store.Reader) []string {
	t.Helper()
	var list []string
	err := r.Verify(context.Background(), func(err error) {
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("Verify reports %v, which does not wrap ErrDamaged", err)
		}
		list = append(list, err.Error())
	})
	if err != nil {
		t.Fatalf("Verify() = %v", err)
	}
	return list
}

func wantClean(t testing.TB, s *Store) {
	t.Helper()
	s.awaitMerging(context.Background())
	if list := problems(t, s); len(list) > 0 {
		t.Errorf("Verify reports\n  %s", strings.Join(list, "\n  "))
	}
	wantNoOrphans(t, s)
}

// wantNoOrphans fails the test if the folder has files that the catalogue does
// not list.
func wantNoOrphans(t testing.TB, s *Store) {
	t.Helper()
	want := []string{lockName, reserveName, fmt.Sprintf(manifestName, s.snap.generation)}
	for _, r := range s.snap.index.Tables {
		want = append(want, fmt.Sprintf(tableName, r.File))
	}
	for _, r := range s.snap.index.Segments {
		want = append(want, fmt.Sprintf(segmentName, r.File))
	}
	for _, r := range s.snap.index.Packs {
		want = append(want, fmt.Sprintf(packName, r.File))
	}
	slices.Sort(want)
	got := slices.DeleteFunc(fileNames(t, s.dir), func(name string) bool { return name == "filler" })
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}

func fileNames(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// copyIndex copies the files in dir to a new folder.
func copyIndex(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range fileNames(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}
