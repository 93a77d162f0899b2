package segment

import (
	"fmt"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestCommonPairsLoseTheirPlaces: a merge drops the places of a pair that more
// documents have than may be named, and no look-up shows the difference.
func TestCommonPairsLoseTheirPlaces(t *testing.T) {
	const everywhere, often = 10, 11 // in one document too many, and in as many as may be
	s := open(t, t.TempDir(), Options{Workers: 1})
	for i := range store.CommonPairs + 1 {
		pairs := []store.Hash{everywhere, store.Hash(1000 + i)}
		if i > 0 {
			pairs = append(pairs, often)
		}
		content := fmt.Sprint(i)
		if err := s.Add(t.Context(), storetest.Doc("/"+content, content), content, nil, storetest.Pairs(pairs...)); err != nil {
			t.Fatal(err)
		}
		if i%1500 == 0 {
			commit(t, s)
		}
	}
	commit(t, s)
	before := pairsOf(t, s, everywhere, often)
	want := fmt.Sprintf("common true 0, common false %d", store.CommonPairs)
	if before != want {
		t.Errorf("before merging: %s, want %s", before, want)
	}
	for i := range 2 { // of segments with places, and of one without
		if err := s.Optimize(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := pairsOf(t, s, everywhere, often); got != want {
			t.Errorf("after merging: %s, want %s", got, want)
		}
		if got, want := countOf(t, s, everywhere), uint64(store.CommonPairs+1+i); got != want {
			t.Errorf("after merging the pair is in %d documents, want %d", got, want)
		}
		wantClean(t, s)
		content := "more"
		if err := s.Add(t.Context(), storetest.Doc("/more", content), content, nil, storetest.Pairs(everywhere)); err != nil {
			t.Fatal(err)
		}
		commit(t, s)
	}
	listed := uint64(0)
	for _, v := range s.snap.segments {
		for _, c := range v.chunks {
			listed += uint64(c.listed)
		}
	}
	if want := uint64(store.CommonPairs + 1); listed != want {
		t.Errorf("%d entries are listed, want the %d documents of one pair and the count of the other", listed, want)
	}
}

// countOf returns in how many documents a pair is that has no places, in an
// index of one segment.
func countOf(t *testing.T, s *Store, pair store.Hash) uint64 {
	t.Helper()
	f := s.snap.segments[0].file
	c, posting, ok, err := f.find(uint64(pair))
	if !ok || err != nil {
		t.Fatalf("find(%d) = %v, %v", pair, ok, err)
	}
	p := f.cursor(c, posting)
	count, pruned, err := p.pruned()
	if !pruned || err != nil {
		t.Fatalf("pruned() = %v, %v", pruned, err)
	}
	return count
}

// pairsOf returns the hits of a look-up of two pairs.
func pairsOf(t *testing.T, s *Store, pairs ...store.Hash) string {
	t.Helper()
	out := ""
	err := s.LookupPairs(t.Context(), pairs, store.Limits{}, func(h store.Hit) error {
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf("common %v %d", h.Common, len(h.Postings))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
