package main

import (
	"slices"
	"testing"

	"github.com/otisk/otisk/language"
)

// TestLanguagesOf: a language counts once, in whatever order and form it is named.
func TestLanguagesOf(t *testing.T) {
	want, err := languagesOf([]string{"cs", "en", language.Unknown})
	if err != nil || len(want) != 3 {
		t.Fatal(want, err)
	}
	got, err := languagesOf([]string{"eng", language.Unknown, "cs", "en", "ces"})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("languagesOf = %q, %v, want %q", got, err, want)
	}
}
