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
	if want := []string{"part.0", "part.1", "part.2"}; !slices.Equal(f.Names(), want) {
		t.Errorf("Names = %v, want %v", f.Names(), want)
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
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestStartsAnew has a second Create find nothing of the first, and an error name
// the file that it is about.
func TestStartsAnew(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "part")
	for range 2 {
		f, err := Create(name, 4)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Read(2, nil); err != nil || len(got) > 0 {
			t.Errorf("part 2 has %q (%v), want nothing", got, err)
		}
		if err := f.Append(2, []byte("x")); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	f, err := Create(filepath.Join(dir, "missing", "part"), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append(0, []byte("x")); err == nil || !strings.Contains(err.Error(), "part.0") {
		t.Errorf("Append in a folder that is not there: %v", err)
	}
}
