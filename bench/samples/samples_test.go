package main

import (
	"strings"
	"testing"
)

// TestCommitted checks that the program makes the essay and the table in the repository from
// the novels there.
func TestCommitted(t *testing.T) {
	const root = "../.."
	text, table, err := compose(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(root, essay)
	if err != nil {
		t.Fatal(err)
	}
	if got != text {
		t.Errorf("%s is not what bench/samples makes: run it", essay)
	}
	page, err := read(root, readme)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page, tableStart+table+tableEnd) {
		t.Errorf("%s has another table than bench/samples makes: run it", readme)
	}
}
