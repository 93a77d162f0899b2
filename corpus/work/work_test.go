package work

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

func open(t *testing.T, parent, key string) *Folder {
	t.Helper()
	f, err := Open(parent, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestGoesOn has a run stopped after a step: the next one has its result.
func TestGoesOn(t *testing.T) {
	parent := t.TempDir()
	f := open(t, parent, "a")
	files.Write(t, f.Path("data"), "abc")
	if err := f.Finish("read", 42, "data"); err != nil {
		t.Fatal(err)
	}
	f.Close()

	f = open(t, parent, "a")
	got := 0
	if !f.Done("read", &got) || got != 42 {
		t.Errorf("Done(read) has %d, want 42 of the run before", got)
	}
	if f.Done("sort", &got) {
		t.Error("Done(sort) is true, want false: it never ran")
	}
	if err := f.Finish("sort", 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Undo("sort"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f = open(t, parent, "a"); f.Done("sort", &got) {
		t.Error("Done(sort) is true, want false: it was undone")
	}
	files.Write(t, f.Path("data"), "ab")
	if f.Done("read", &got) {
		t.Error("Done(read) is true with its file cut short")
	}
}

// TestLeavesNothing ends runs in each way that leaves nothing to go on with.
func TestLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	open(t, parent, "no step has finished").Close()
	f := open(t, parent, "all is done")
	if err := f.Finish("read", 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("%s is left in the temporary folder", left[0].Name())
	}
}

// TestRemovesLeftovers removes the leftovers of a crashed run of another command, but not the
// folder of one that is running.
func TestRemovesLeftovers(t *testing.T) {
	parent := t.TempDir()
	busy := open(t, parent, "busy")
	crashed := open(t, parent, "crashed")
	files.Write(t, crashed.Path("data"), "abc")
	crashed.lock.Close() // as the system does for a process that ends

	open(t, parent, "next")
	if _, err := os.Stat(crashed.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("what a crashed run left is still there")
	}
	if _, err := os.Stat(filepath.Join(busy.dir, lockName)); err != nil {
		t.Errorf("the folder of a run at work is gone: %v", err)
	}
	if _, err := Open(parent, "busy"); !errors.Is(err, errBusy) {
		t.Errorf("Open of what runs already = %v, want %v", err, errBusy)
	}
}
