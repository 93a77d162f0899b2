package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestMergeAtBounds: a block of a small segment spans several chunks of the result, and
// keys at their bounds go into one of them.
func TestMergeAtBounds(t *testing.T) {
	const many = 300_000 // 16 chunks
	var bounds, all []store.Hash
	for i := range store.Hash(1 << 6) {
		bounds = append(bounds, i<<42, i<<42+1<<42-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range many {
		all = append(all, store.Hash(rng.Uint64()>>16))
	}
	s := open(t, t.TempDir(), Options{Workers: 1})
	addDoc(t, s, "/many", "many", storetest.Grams(7, all...))
	commit(t, s)
	addDoc(t, s, "/bounds", "bounds", storetest.Grams(7, bounds...))
	commit(t, s)
	if got := len(s.snap.segments); got != 2 {
		t.Fatalf("%d segments, want 2", got)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := s.snap.segments[0]; len(s.snap.segments) != 1 || f.cb < 4 {
		t.Fatalf("%d segments, the first of %d chunks, want one of 16", len(s.snap.segments), 1<<f.cb)
	}
	want := map[store.Hash]string{}
	for i, h := range bounds {
		want[h] = fmt.Sprintf("[{%v %d}]", store.IDOf("", "/bounds"), i)
	}
	err := s.Lookup(t.Context(), 7, sorted(bounds), store.Limits{}, func(h store.Hit) error {
		if got := fmt.Sprint(h.Postings); got != want[h.Hash] {
			t.Errorf("hash %x is at %s, want %s", h.Hash, got, want[h.Hash])
		}
		delete(want, h.Hash)
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("Lookup() = %v, without %d hashes", err, len(want))
	}
	wantClean(t, s)
}

// TestOptimizeLeavesNothingDead: one segment with one dead n-gram is rewritten.
func TestOptimizeLeavesNothingDead(t *testing.T) {
	s := open(t, t.TempDir(), Options{Workers: 1})
	addDoc(t, s, "/gone", "gone", storetest.Grams(7, 1))
	addDoc(t, s, "/stays", "stays", storetest.Grams(7, 2, 3))
	commit(t, s)
	if err := s.Delete(t.Context(), store.IDOf("", "/gone")); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	s.awaitMerging(context.Background())
	if r := s.snap.index.Segments; len(r) != 1 || r[0].Dead != 1 {
		t.Fatalf("before: segments %+v, want one with a dead n-gram", r)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.snap.index.Segments; len(r) != 1 || r[0].Dead != 0 || r[0].Grams != 2 {
		t.Errorf("after: segments %+v, want one of 2 n-grams", r)
	}
	wantClean(t, s)
}
