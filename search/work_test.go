package search

import "testing"

func TestWork(t *testing.T) {
	var w *Work
	w.add(true, 3, 2) // nobody asks
	w = new(Work)
	w.add(true, 3, 2)
	w.add(true, 4, 0)
	w.add(false, 5, 1)
	if got := [3]int64{w.Faint.Load(), w.Windows.Load(), w.Aligned.Load()}; got != [3]int64{2, 12, 3} {
		t.Errorf("documents, windows, aligned: %v, want 2, 12 and 3", got)
	}
}
