package whole

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestWholeOrAbsent looks at the folder before and after each way to end.
func TestWholeOrAbsent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.tsv")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "half")
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before Commit")
	}
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "another otisk is writing it") {
		t.Errorf("a second writer got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != nil {
		t.Errorf("after Close the folder has %v, want nothing", got)
	}
}

// TestTakesOver has a crashed run leave half a file: the next run's is whole, and
// nothing else stays.
func TestTakesOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.tsv")
	if err := os.WriteFile(filepath.Join(dir, ".out.tsv.otisk-part"), []byte("a longer half of a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "whole")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "out.tsv" {
		t.Errorf("the folder has %v, want out.tsv alone", got)
	}
	if got, _ := os.ReadFile(path); string(got) != "whole" {
		t.Errorf("the file has %q", got)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close after Commit: %v", err)
	}
}
