package segment

import (
	"testing"

	"github.com/otisk/otisk/store"
)

// TestRecentIsBounded: of more documents than are kept the last one is known, and the others
// are reported as unknown.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	if _, ok := r.get(1); ok {
		t.Error("a document is known that nobody asked for")
	}
	for i := range store.DocID(2*mostRecent + 1) {
		d := &record{Document: store.Document{ID: i, Path: "a"}, Place: &place{Offset: int64(i)}}
		r.put(d)
		if got, ok := r.get(i); !ok || got.name != "a" || got.place != d.Place {
			t.Fatalf("document %d: %+v, known %v; want what was put", i, got, ok)
		}
		if len(r.texts) > mostRecent {
			t.Fatalf("%d documents are kept, want %d at most", len(r.texts), mostRecent)
		}
	}
}
