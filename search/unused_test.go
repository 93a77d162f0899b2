package search

import (
	"testing"

	"github.com/otisk/otisk/search/hint"
)

// TestHintsUseNoWordsOfPassages: a hint that is linked by the words of a passage beside it is dropped, and one that has enough
// other links ends where the passage begins.
func TestHintsUseNoWordsOfPassages(t *testing.T) {
	at := func(from, to, step int) (list []hint.Link) {
		for i := from; i < to; i += step {
			list = append(list, hint.Link{Suspect: hint.Range{From: i, To: i + 1}, Origin: hint.Range{From: i, To: i + 1}})
		}
		return list
	}
	whole := hint.Range{From: 100, To: 240}
	copied := []found{{from: 190, to: 240}}
	for _, tt := range []struct {
		name     string
		passages []found
		links    []hint.Link
		want     hint.Range
		count    int
	}{
		{"no passage", nil, at(190, 240, 2), whole, 25},
		{"linked by copied words", copied, append(at(100, 107, 1), at(190, 240, 2)...), hint.Range{}, 0},
		{"linked by others too", copied, append(at(100, 180, 10), at(190, 240, 2)...), hint.Range{From: 100, To: 190}, 8},
		{"passage at the start", []found{{from: 90, to: 110}}, at(100, 240, 10), hint.Range{From: 110, To: 240}, 13},
		{"covered", []found{{from: 0, to: 300}}, at(100, 240, 1), hint.Range{}, 0},
	} {
		h, ok := unused(tt.passages, hint.Found{Suspect: whole, Origin: whole, Links: tt.links})
		if ok != (tt.count > 0) || (h.Strength == hint.Weak) != (ok && tt.passages != nil) || h.Suspect != tt.want || len(h.Links) != tt.count {
			t.Errorf("%s: %v with %d links (%v), want %v with %d", tt.name, h.Suspect, len(h.Links), ok, tt.want, tt.count)
		}
	}
}
