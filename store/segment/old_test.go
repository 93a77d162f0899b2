package segment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// writeOld makes the index of the present format that later versions are to
// read. It is used once a format.
var writeOld = flag.Bool("write-old", false, "write testdata/format-N of the present format")

var oldHashes = []store.Hash{1, 2, 3, 0x123456789abc, 1 << 40, 1<<48 - 1}

// oldIndex makes an index that has something of all: several sizes, a text of
// each kind, replaced and deleted documents, several segments, a base.
func oldIndex(t *testing.T, dir string) {
	s := open(t, dir, Options{Workers: 1})
	addDoc(t, s, "/a.txt", "Příliš žluťoučký kůň", storetest.Grams(7, 1, 2, 3, 2, 1<<48-1), storetest.Grams(5, 3, 1<<40))
	addDoc(t, s, "/gone.txt", "deleted later", storetest.Grams(7, 2, 2, 2))
	commit(t, s)
	if err := s.SetBases(t.Context(), []store.Base{{Key: "1", Name: "theses", Folder: "/srv/theses"}}); err != nil {
		t.Fatal(err)
	}
	named := storetest.Doc("theses/2001/c.txt", "in a base")
	named.Base = "1"
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

// TestOldData reads indexes that were made by the first program of each
// format, and writes to copies of them.
func TestOldData(t *testing.T) {
	if *writeOld {
		dir := filepath.Join("testdata", fmt.Sprintf("format-%d", indexVersion))
		oldIndex(t, dir)
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := os.WriteFile(dir+".txt", []byte(dump(t, r, oldHashes)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for version := 1; version <= indexVersion; version++ {
		dir := filepath.Join("testdata", fmt.Sprintf("format-%d", version))
		want, err := os.ReadFile(dir + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Errorf("format %d: %v", version, err)
			continue
		}
		if got := dump(t, r, oldHashes); got != string(want) {
			t.Errorf("format %d has\n%s\nwant\n%s", version, got, want)
		}
		var pairs []string
		if version >= 2 {
			pairs = []string{"1: /paired.txt@0", "2: /paired.txt@0", "ffffffffff: /paired.txt@0"}
		}
		if got := storetest.LookupPairs(t, r, store.Limits{}, 1, 2, 3, 1<<40-1); !slices.Equal(got, pairs) {
			t.Errorf("format %d has the pairs %q, want %q", version, got, pairs)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		s := open(t, copyIndex(t, dir), Options{})
		wantClean(t, s)
		addDoc(t, s, "/new.txt", "new", storetest.Grams(7, 2))
		if err := s.Optimize(t.Context()); err != nil {
			t.Errorf("format %d: Optimize() = %v", version, err)
		}
		wantClean(t, s)
	}
}
