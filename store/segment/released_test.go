package segment

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// writeReleased writes the index that later versions have to read. It is used once for
// each version of the format.
var writeReleased = flag.Bool("write-released", false, "write testdata/format-N in the present format")

var releasedHashes = []store.Hash{1, 2, 3, 0x123456789abc, 1 << 40, 1<<48 - 1}

// releasedIndex makes an index with several sizes, a text of each kind, replaced and
// deleted documents, several segments, a base, labels, progress and a bookmark.
func releasedIndex(t *testing.T, dir string) {
	s := open(t, dir, Options{Workers: 1})
	addDoc(t, s, "/a.txt", "Příliš žluťoučký kůň", storetest.Grams(7, 1, 2, 3, 2, 1<<48-1), storetest.Grams(5, 3, 1<<40))
	addDoc(t, s, "/gone.txt", "deleted later", storetest.Grams(7, 2, 2, 2))
	commit(t, s)
	if err := s.SetBases(t.Context(), []store.Base{{Key: "1", Name: "theses", Folder: "/srv/theses"}}); err != nil {
		t.Fatal(err)
	}
	named := storetest.Doc("theses/2001/c.txt", "in a base")
	named.Base, named.Author, named.Labels, named.Copies = "1", "J. Novák", map[string]string{"faculty": "law"}, []string{"theses/copy.txt"}
	if err := s.Add(t.Context(), named, named.Content, []store.Grams{storetest.Grams(7, 3)}, nil); err != nil {
		t.Fatal(err)
	}
	addDoc(t, s, "/b.txt", "", storetest.Grams(7, 2, 0x123456789abc))
	addDoc(t, s, "/short.txt", "too short for n-grams", storetest.Grams(7))
	if err := s.Add(t.Context(), storetest.Doc("/paired.txt", "pairs"), "pairs", nil, storetest.Pairs(1, 2, 1, 1<<40-1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), store.IDOf("", "/gone.txt")); err != nil {
		t.Fatal(err)
	}
	s.SetProgress("half")
	s.SetBookmark("crawl", "17")
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{lockName, reserveName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReleasedFormats reads an index of each version of the format, and writes to a copy.
func TestReleasedFormats(t *testing.T) {
	if *writeReleased {
		dir := filepath.Join("testdata", fmt.Sprintf("format-%d", indexVersion))
		releasedIndex(t, dir)
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := os.WriteFile(dir+".txt", []byte(dump(t, r, releasedHashes)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for version := 1; version <= indexVersion; version++ {
		dir := filepath.Join("testdata", fmt.Sprintf("format-%d", version))
		want, err := os.ReadFile(dir + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, copyIndex(t, dir), Options{})
		if got := dump(t, s, releasedHashes); got != string(want) {
			t.Errorf("format %d has\n%s\nwant\n%s", version, got, want)
		}
		pairs := []string{"1: /paired.txt@0", "2: /paired.txt@0", "ffffffffff: /paired.txt@0"}
		if got := storetest.LookupPairs(t, s, store.Limits{}, 1, 2, 3, 1<<40-1); !slices.Equal(got, pairs) {
			t.Errorf("format %d has the pairs %q, want %q", version, got, pairs)
		}
		if progress, err := s.Progress(t.Context()); progress != "half" || err != nil {
			t.Errorf("format %d has the progress %q, %v", version, progress, err)
		}
		if bookmark, err := s.Bookmark(t.Context(), "crawl"); bookmark != "17" || err != nil {
			t.Errorf("format %d has the bookmark %q, %v", version, bookmark, err)
		}
		wantClean(t, s)
		addDoc(t, s, "/new.txt", "new", storetest.Grams(7, 2))
		if err := s.Optimize(t.Context()); err != nil {
			t.Errorf("format %d: Optimize() = %v", version, err)
		}
		wantClean(t, s)
	}
}

// TestOutdatedIsRefused: an index from before the first release is refused by name, and
// its folder stays as it was.
func TestOutdatedIsRefused(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"catalogue-00000003.db": "a database", "segment-00000002": "n-grams", "texts-00000001": "texts"}
	for name, data := range files {
		changeFile(t, filepath.Join(dir, name), []byte(data))
	}
	for name, open := range map[string]func() error{
		"Open":       func() error { _, err := Open(dir); return err },
		"OpenWriter": func() error { _, err := OpenWriter(dir, Options{}); return err },
		"Create":     func() error { _, err := Create(dir, settings, Options{}); return err },
	} {
		err := open()
		if !errors.Is(err, ErrOutdated) || !errors.Is(err, store.ErrFormat) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s = %v, want an error wrapping ErrOutdated with the folder", name, err)
		}
	}
	if !Exists(dir) {
		t.Error("Exists() = false: a command would make another index there")
	}
	for _, name := range fileNames(t, dir) {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != files[name] {
			t.Errorf("%s has %q, %v, want %q", name, data, err, files[name])
		}
	}
	if got := len(fileNames(t, dir)); got != len(files) {
		t.Errorf("the folder has %d files, want %d", got, len(files))
	}
}
