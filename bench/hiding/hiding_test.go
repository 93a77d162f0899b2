package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestWays checks that no way to hide a copy is silent.
func TestWays(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 140 files")
	}
	if err := ways(t.Context(), t.Output(), filepath.Join("..", "..", "samples", "collection", "english", "gospel-truth.txt")); err != nil {
		t.Error(err)
	}
}

// TestHiding checks that each disguise in each format hides a copy from a program
// that does nothing about it, and not from Otisk, which says where it is.
func TestHiding(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred files one after the other, which takes long with the race detector and shows it nothing")
	}
	source := filepath.Join("..", "..", "samples", "collection", "english", "gospel-truth.txt")
	results, err := measure(t.Context(), append(slices.Clone(formats), markups...), source, 1500)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) < 100 {
		t.Errorf("%d plants, want all formats and ways", len(results))
	}
	for _, r := range results {
		// Letters of several words in a row with one space between all of them can
		// be cut in more than one way. In PDF, lines break at other places, and
		// hyphens at their ends are taken for those of words that are cut.
		allowed := 1.0
		switch {
		case r.trick == "spaced words":
			allowed = 12
		case r.trick == "spaced sentences" && r.format == "pdf":
			allowed = 20 // a line may end within a spaced word as well as between two
		case r.trick == "spaced sentences", r.format == "pdf":
			allowed = 2 // numbers that the text has with spaces
		}
		if r.without > 60 {
			t.Errorf("%s: a plant that hides nothing", r)
		}
		if r.with < r.clean-allowed || r.place != "" {
			t.Errorf("%s: not found", r)
		}
	}
}
