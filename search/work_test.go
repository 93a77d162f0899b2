package search

import "testing"

func TestWork(t *testing.T) {
	var w *Work
	w.add(3, 2) // nobody asks
	w = new(Work)
	w.add(3, 2)
	w.add(4, 0)
	if got := [3]int64{w.Faint.Load(), w.Windows.Load(), w.Aligned.Load()}; got != [3]int64{2, 7, 2} {
		t.Errorf("documents, windows, aligned: %v, want 2, 7 and 2", got)
	}
}
