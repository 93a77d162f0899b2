package indexer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
)

// TestFirstWayNames: a file behind several links is called by the first of them
// that a walk comes to, whichever of several workers gets to it first.
func TestFirstWayNames(t *testing.T) {
	outside := files.Folder(t, map[string]string{"far.txt": "a text that is somewhere else, with some more words in it"})
	for range 40 {
		dir := files.Folder(t, map[string]string{"own.txt": "a text of the folder itself, with some more words in it"})
		for i := range 8 {
			if err := os.Symlink(outside, filepath.Join(dir, fmt.Sprint("link", i))); err != nil {
				t.Skip(err)
			}
		}
		s := newStore()
		index(t, s, Options{N: 3, Prefix: "p:", Workers: 8}, dir)
		name := filepath.Base(dir) + "/link0/far.txt"
		if _, err := store.Entry(t.Context(), s, store.IDOf("p:", name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
