package store

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortedSites: sites are sorted alike whether they fit into one number each or not.
func TestSortedSites(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	for _, tt := range []struct {
		name  string
		bits  int   // of a pair
		words int32 // between the first and the last
		from  int32
	}{
		{"keys", 48, 1000, 5}, {"pairs", 40, 1 << 16, 1 << 20}, {"too many words", 48, 1<<16 + 1, 0}, {"too large hashes", 60, 100, 7}, {"few different ones", 3, 50, 9},
	} {
		var list []PairSite
		for i := range int32(500) {
			list = append(list, PairSite{Hash(r.Uint64() >> (64 - tt.bits)), tt.from + i*(tt.words-1)/499})
		}
		got := SortedSites(list)
		want := slices.SortedFunc(slices.Values(list), func(a, b PairSite) int {
			return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Word, b.Word))
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: not sorted by pair and word", tt.name)
		}
		slices.Reverse(list)
		if !slices.Equal(SortedSites(list), want) {
			t.Errorf("%s: sites in falling order are sorted differently", tt.name)
		}
	}
	if got := SortedSites(nil); len(got) > 0 {
		t.Errorf("no sites: %v", got)
	}
}
