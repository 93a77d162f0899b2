package align

import "testing"

// TestGradeOf: at the borders of each grade.
func TestGradeOf(t *testing.T) {
	runs := func(lengths ...int) (list []Run) {
		at := 0
		for _, n := range lengths {
			list = append(list, Run{at, at, n})
			at += n + 1
		}
		return list
	}
	for _, tt := range []struct {
		words, source int
		equal         []Run
		want          Grade
	}{
		{100, 100, runs(90, 5), Verbatim},  // 95 %, in runs of five at least
		{100, 100, runs(90, 4, 1), Edited}, // 90 %
		{100, 100, runs(91, 4), Edited},    // 95 %, but not in runs of five
		{100, 101, runs(90, 5), Edited},    // less than 95 %
		{100, 100, runs(57, 3), Edited},    // 60 %, in runs of three at least
		{100, 100, runs(57, 2, 1), Reworded},
		{100, 101, runs(57, 3), Reworded},
		{100, 100, nil, Reworded},
	} {
		if got := gradeOf(&Passage{Words: tt.words, SourceWords: tt.source, Equal: tt.equal}); got != tt.want {
			t.Errorf("%d and %d words with the runs %v: %v, want %v", tt.words, tt.source, tt.equal, got, tt.want)
		}
	}
}
