package storetest

import (
	"maps"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
)

func leftOut(t *testing.T, r store.Reader, want ...string) {
	t.Helper()
	got, err := r.LeftOut(t.Context())
	if err != nil {
		t.Fatalf("LeftOut() = %v", err)
	}
	ids := map[store.DocID]bool{}
	for _, name := range want {
		ids[store.IDOf("", name)] = true
	}
	if !maps.Equal(got, ids) {
		t.Errorf("LeftOut() = %v, want %q: %v", slices.Collect(maps.Keys(got)), want, slices.Collect(maps.Keys(ids)))
	}
}

func testLeftOut(t *testing.T, s store.Store) {
	leftOut(t, s)
	one, two := Doc("/one", "1"), Doc("/two", "2")
	one.Copies, two.Copies, two.Prefix = []string{"/a", "/b", "p:/two"}, []string{"/b", "p:/c"}, "p:"
	add(t, s, one, Grams(7, 1))
	leftOut(t, s)
	add(t, s, two, Grams(7, 2))
	commit(t, s)
	leftOut(t, s, "/a", "/b", "p:/c")
	copied := Doc("/c", "3")
	copied.Prefix = "p:"
	add(t, s, copied, Grams(7, 3))
	commit(t, s)
	leftOut(t, s, "/a", "/b")
	remove(t, s, "/one")
	commit(t, s)
	leftOut(t, s, "/b")
	two.Copies = nil
	add(t, s, two, Grams(7, 2))
	commit(t, s)
	leftOut(t, s)
}

// testMeasure: Measure adds figures to Info, and changes none.
func testMeasure(t *testing.T, s store.Store) {
	for i := range 20 {
		add(t, s, Doc(string(rune('a'+i)), "text"), Grams(7, store.Hash(i)), Grams(5, store.Hash(i)))
	}
	commit(t, s)
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	measured := info
	measured.Sizes, measured.Details = slices.Clone(info.Sizes), maps.Clone(info.Details)
	if err := s.Measure(t.Context(), &measured); err != nil {
		t.Fatalf("Measure() = %v", err)
	}
	for i := range measured.Sizes {
		if measured.Sizes[i].Bytes < info.Sizes[i].Bytes {
			t.Errorf("Measure() leaves %d bytes of %d-grams, Info has %d", measured.Sizes[i].Bytes, info.Sizes[i].N, info.Sizes[i].Bytes)
		}
		measured.Sizes[i].Bytes = info.Sizes[i].Bytes
	}
	for name, value := range info.Details {
		if measured.Details[name] != value {
			t.Errorf("Measure() changes detail %q from %q to %q", name, value, measured.Details[name])
		}
	}
	if !slices.Equal(measured.Sizes, info.Sizes) || measured.Documents != info.Documents || measured.TextBytes != info.TextBytes {
		t.Errorf("Measure() changes %+v to %+v", info, measured)
	}
}
