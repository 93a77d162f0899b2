//go:build unix

package segment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/store"
)

// TestHardLinkedCopy: a copy of an index of which the files are the same files
// stays as it is, whichever of the two is written to.
func TestHardLinkedCopy(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "first text")
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range fileNames(t, dir) {
		if err := os.Link(filepath.Join(dir, name), filepath.Join(other, name)); err != nil {
			t.Skip("no hard links here:", err)
		}
	}
	add := func(dir string, paths ...string) {
		for _, path := range paths { // each by a program of its own
			s := open(t, dir, Options{})
			addDoc(t, s, path, "text of "+path+" in "+dir)
			commit(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(dir, "/b", "/c")
	add(other, "/b")
	add(dir, "/d")
	for folder, paths := range map[string][]string{dir: {"/b", "/c", "/d"}, other: {"/b"}} {
		s := open(t, folder, Options{})
		wantClean(t, s)
		if text, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); text != "first text" || err != nil {
			t.Errorf("Text(/a) = %q, %v", text, err)
		}
		for _, path := range paths {
			if text, err := store.TextOf(t.Context(), s, store.IDOf("", path)); text != "text of "+path+" in "+folder || err != nil {
				t.Errorf("Text(%s) = %q, %v, want the one that was added to %s", path, text, err, folder)
			}
		}
		if err := s.Close(); err != nil { // the lock is one file, too
			t.Fatal(err)
		}
	}
}

// TestLongerPackOfACopy: bytes of a pack past the committed part are cut off only if no other
// index shares the pack.
func TestLongerPackOfACopy(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "first text")
	commit(t, s)
	early := filepath.Join(other, filepath.Base(s.path(manifestName, s.snap.generation)))
	manifest, err := os.ReadFile(s.path(manifestName, s.snap.generation))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.snap.index.Tables {
		if err := os.Link(s.path(tableName, r.File), filepath.Join(other, filepath.Base(s.path(tableName, r.File)))); err != nil {
			t.Skip("no hard links here:", err)
		}
	}
	addDoc(t, s, "/b", "second text, and longer")
	commit(t, s)
	pack := s.path(packName, s.snap.index.Packs[0].File)
	if err := os.Link(pack, filepath.Join(other, filepath.Base(pack))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(early, manifest, 0o666); err != nil {
		t.Fatal(err)
	}
	addDoc(t, open(t, other, Options{}), "/c", "third")
	if text, err := store.TextOf(t.Context(), s, store.IDOf("", "/b")); text != "second text, and longer" || err != nil {
		t.Errorf("after the copy was opened for writing, Text(/b) = %q, %v", text, err)
	}
}
