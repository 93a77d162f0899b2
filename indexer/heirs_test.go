package indexer

import (
	"testing"

	"github.com/otisk/otisk/store"
)

// TestDivide: the metadata of several documents with the same content goes to one heir each.
func TestDivide(t *testing.T) {
	doc := func(id store.DocID, path, content string) store.Document {
		return store.Document{ID: id, Path: path, Content: content}
	}
	said := map[store.DocID]store.Document{
		1: doc(1, "old/a.txt", "x"), 2: doc(2, "old/b.txt", "x"),
		3: doc(3, "old/c.tsv!/r1", "y"),
		4: doc(4, "old/d.txt", "z"), 5: doc(5, "old/e.txt", "z"),
	}
	same := map[string][]store.Document{
		"x": {doc(11, "new/b.txt", "x"), doc(12, "new/a.txt", "x"), doc(13, "new/copy.txt", "x")},
		"y": {doc(14, "new/c.tsv!/r1", "y"), doc(15, "other/f.tsv!/r9", "y")},
		"z": {doc(16, "new/e.txt", "z")},
	}
	heirs, taken := divide(said, same)
	want := map[store.DocID][]store.DocID{1: {12}, 2: {11}, 3: {14, 15}, 4: nil, 5: {16}}
	for id, list := range want {
		if len(heirs[id]) != len(list) {
			t.Errorf("%s has %d heirs, want %d", said[id].Path, len(heirs[id]), len(list))
			continue
		}
		for i, heir := range list {
			if heirs[id][i].ID != heir {
				t.Errorf("heir %d of %s is %s, want document %d", i, said[id].Path, heirs[id][i].Path, heir)
			}
		}
	}
	if len(taken) != 5 || taken[13] {
		t.Errorf("documents %v inherit, want all but 13", taken)
	}
}
