package replace

import (
	"errors"
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

// TestDevice writes to a device, and does not put a file in its place.
func TestDevice(t *testing.T) {
	f, err := Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "lost")
	if err := errors.Join(f.Commit(), f.Close()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now: %v, %v", os.DevNull, info, err)
	}
}

// TestLink replaces the target of a link, and not the link.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Skip(err)
	}
	f, err := Create(link)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "new")
	if err := errors.Join(f.Commit(), f.Close()); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "new" {
		t.Errorf("the file says %q, %v", got, err)
	}
	if target, err := os.Readlink(link); target != "file" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
}
