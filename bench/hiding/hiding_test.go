package main

import (
	"path/filepath"
	"testing"
)

// TestHiding checks that each disguise in each format hides a copy from a program
// that does nothing about it, and not from Otisk, which says where it is.
func TestHiding(t *testing.T) {
	source := filepath.Join("..", "..", "samples", "collection", "english", "life-of-richard-baxter.txt")
	results, err := measure(t.Context(), source, 1500)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) < 100 {
		t.Errorf("%d plants, want all formats and ways", len(results))
	}
	for _, r := range results {
		// Letters of several words in a row with one space between all of them can
		// be cut in more than one way.
		allowed := 1.0
		if r.trick == "spaced letters" {
			allowed = 12
		}
		if r.without > 60 {
			t.Errorf("%s: a plant that hides nothing", r)
		}
		if r.with < r.clean-allowed || r.place != "" {
			t.Errorf("%s: not found", r)
		}
	}
}
