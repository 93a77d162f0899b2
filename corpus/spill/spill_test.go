package spill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParts appends to the parts in turn; another run finds them.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "part")
	f, err := Create(name, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if err := f.Append(i%3, fmt.Appendf(nil, "%d ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(name, 3); err != nil {
		t.Fatal(err)
	}
	got, err := f.Read(1, nil)
	if want := "1 4 7 10 13 16 19 22 25 28 "; err != nil || string(got) != want || f.Size(1) != int64(len(want)) {
		t.Errorf("part 1 has %q (%v), want %q", got, err, want)
	}
	if want := []string{"part.0", "part.1", "part.2"}; !slices.Equal(Names("part", 3), want) {
		t.Errorf("Names = %v, want %v", Names("part", 3), want)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestNamesFile has an error name the file that it is about.
func TestNamesFile(t *testing.T) {
	_, err := Create(filepath.Join(t.TempDir(), "missing", "part"), 2)
	if err == nil || !strings.Contains(err.Error(), "part.0") {
		t.Errorf("Create in a folder that is not there: %v", err)
	}
}
