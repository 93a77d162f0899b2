package main

import (
	"os"
	"strings"
	"testing"
)

// TestFormats makes a short text into every format that needs no other program,
// and finds each in each.
func TestFormats(t *testing.T) {
	novel, err := os.ReadFile("../../samples/collection/czech/cech-vylet-pana-broucka-do-mesice.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{dir: t.TempDir(), text: newText(string(novel), 2500)}
	if err := m.own(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	all, err := table(t.Context(), &out, m.files, m.text, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.files) != 13 || all.lowest < 99 || all.passages < len(m.files)*len(m.files) || all.astray > 0 {
		t.Errorf("%d files, want 13, 99 %% at the least and no passage astray:\n%s", len(m.files), out.String())
	}
}
