package search

import "testing"

// Sources are alike if all their passages are at the same places. A source without passages is
// like no other.
func TestMarkAlike(t *testing.T) {
	at := func(source, start int) Passage {
		return Passage{Source: source, Suspect: Span{Start: start, End: start + 100}}
	}
	r := &Result{
		Sources:  make([]Source, 7),
		Passages: []Passage{at(0, 0), at(1, 0), at(2, 0), at(4, 0), at(0, 200), at(1, 200), at(4, 200), at(5, 200), at(2, 300)},
	}
	r.markAlike()
	want := []struct{ like, alike int }{{-1, 2}, {0, 0}, {-1, 0}, {-1, 0}, {0, 0}, {-1, 0}, {-1, 0}}
	for i, s := range r.Sources {
		like := -1
		if s.LikeSource != nil {
			like = *s.LikeSource
		}
		if like != want[i].like || s.Alike != want[i].alike {
			t.Errorf("source %d is like %d and %d are like it, want %d and %d", i, like, s.Alike, want[i].like, want[i].alike)
		}
	}
}
