package segment

import (
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestCopiesAreCounted: whether any document was left out as a near-duplicate is known
// without reading all entries, unless a program has committed that does not count.
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
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Copies == nil || *info.Copies != count {
			t.Errorf("Info() counts %v copies, want %d", info.Copies, count)
		}
		wantClean(t, s)
	}
	want(0)
	put("/b", "/c")
	want(2)
	before, _ := s.Info(t.Context())
	put("/b")
	want(1)
	if *before.Copies != 2 {
		t.Errorf("what Info() gave before is %d now", *before.Copies)
	}
	if err := s.Delete(t.Context(), store.IDOf("", "/a")); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	want(0)

	x := s.snap.index.clone()
	x.Copies = nil
	if err := s.advance(x, s.open()); err != nil {
		t.Fatal(err)
	}
	put("/b")
	if info, err := s.Info(t.Context()); err != nil || info.Copies != nil {
		t.Errorf("Info() = %v copies, %v, in an index in which they were not counted", info.Copies, err)
	}
	wantClean(t, s)
}
