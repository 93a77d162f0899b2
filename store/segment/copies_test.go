package segment

import (
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestCopiesAreCounted: the manifest counts the names in Copies, so that LeftOut need not
// read the entries of an index without any.
func TestCopiesAreCounted(t *testing.T) {
	s := open(t, t.TempDir(), Options{Workers: 1, inTurn: true})
	put := func(copies ...string) {
		t.Helper()
		doc := storetest.Doc("/a", "text")
		doc.Copies = copies
		if err := s.Add(t.Context(), doc, "text", []store.Grams{storetest.Grams(7, 1, 2)}, nil); err != nil {
			t.Fatal(err)
		}
		commit(t, s)
	}
	want := func(count int64) {
		t.Helper()
		if got := s.snap.index.Copies; got != count {
			t.Errorf("the manifest counts %d copies, want %d", got, count)
		}
		wantClean(t, s)
	}
	want(0)
	put("/b", "/c")
	want(2)
	put("/b")
	want(1)
	if err := s.Delete(t.Context(), store.IDOf("", "/a")); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	want(0)
}
