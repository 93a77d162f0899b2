package segment

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestEachStepOfCreatingFails lets each step of creating an index in a new folder fail once.
// The second call creates it, and the names of the new folders are synced by then.
func TestEachStepOfCreatingFails(t *testing.T) {
	for at := 1; ; at++ {
		dir := filepath.Join(t.TempDir(), "new", "index")
		steps := &files.Steps{At: at, Err: syscall.ENOSPC}
		opts := Options{Workers: 1, disk: disk{step: steps.Step}}
		s, err := Create(dir, settings, opts)
		if steps.Count() < at {
			closeStore(t, s)
			for _, op := range []string{"mkdir", "lock", "syncdir", "rename"} {
				if !steps.Seen(op) {
					t.Errorf("no step %s", op)
				}
			}
			return
		}
		if err == nil { // a step of the cleaning, which the next writer repeats
			closeStore(t, s)
		} else if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("step %d: Create = %v, want the failure", at, err)
		}
		s, err = Create(dir, settings, opts)
		if err != nil {
			t.Fatalf("step %d: Create again = %v", at, err)
		}
		if n := steps.Unsynced(); n > 0 {
			t.Errorf("step %d: the names of %d folders are not synced", at, n)
		}
		addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
		commit(t, s)
		closeStore(t, s)
	}
}

func closeStore(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
