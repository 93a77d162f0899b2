package segment

import "testing"

// TestDueOf: what is merged after a commit.
func TestDueOf(t *testing.T) {
	same := func(count int, grams int64) (list []segmentRecord) {
		for i := range count {
			list = append(list, segmentRecord{File: uint64(i), Grams: grams})
		}
		return list
	}
	for _, tt := range []struct {
		name string
		list []segmentRecord
		want int
	}{
		{"a few small ones stay", same(fanOut-1, 1000), 0},
		{"enough small ones are merged", same(fanOut, 1000), fanOut},
		{"large ones wait", same(largeFanOut-1, 6<<20), 0},
		{"enough large ones are merged", same(largeFanOut, 6<<20), largeFanOut},
		{"with all smaller ones", append(same(3, 100), same(fanOut, 100_000)...), 3 + fanOut},
		{"small ones that make one more of a class", append(same(fanOut, 60_000), same(fanOut-1, 500_000)...), 2*fanOut - 1},
		{"larger ones stay", append(same(fanOut, 1000), same(2, 1<<30)...), fanOut},
		{"those mostly dead", []segmentRecord{{Grams: 100, Dead: 51}, {Grams: 100, Dead: 49}}, 1},
		{"more than a segment may hold", same(largeFanOut, 1<<31), 0},
	} {
		if got := len(dueOf(tt.list)); got != tt.want {
			t.Errorf("%s: %d of %d are merged, want %d", tt.name, got, len(tt.list), tt.want)
		}
	}
}
