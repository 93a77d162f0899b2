package segment

import "testing"

// TestDueOf checks which segments are merged after a commit.
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
		bulk bool
		want int
	}{
		{"a few small ones stay", same(fanOut-1, 1000), false, 0},
		{"enough small ones are merged", same(fanOut, 1000), false, fanOut},
		{"large ones wait", same(largeFanOut-1, 6<<20), false, 0},
		{"enough large ones are merged", same(largeFanOut, 6<<20), false, largeFanOut},
		{"with all smaller ones", append(same(3, 100), same(fanOut, 100_000)...), false, 3 + fanOut},
		{"small ones that make one more of a class", append(same(fanOut, 60_000), same(fanOut-1, 500_000)...), false, 2*fanOut - 1},
		{"larger ones stay", append(same(fanOut, 1000), same(2, 1<<30)...), false, fanOut},
		{"those mostly dead", []segmentRecord{{Grams: 100, Dead: 51}, {Grams: 100, Dead: 49}}, false, 1},
		{"more than a segment may hold", same(largeFanOut, 1<<31), false, 0},
		{"while much is added, all wait", same(largeFanOut, 1000), true, 0},
		{"while much is added, too many", same(bulkFanOut, 1000), true, bulkFanOut},
	} {
		if got := len(dueOf(tt.list, tt.bulk)); got != tt.want {
			t.Errorf("%s: %d of %d are merged, want %d", tt.name, got, len(tt.list), tt.want)
		}
	}
}
