package segment

import (
	"errors"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestEachStepOfCreatingFails lets each step of creating an index in a new folder fail once.
// The second call creates it, and the names of the new folders are synced by then.
func TestEachStepOfCreatingFails(t *testing.T) {
	seen := map[string]bool{}
	for at := 1; ; at++ {
		dir := filepath.Join(t.TempDir(), "new", "index")
		steps, unsynced := 0, map[string]bool{}
		var mu sync.Mutex // a commit has several goroutines
		step := func(op, path string) error {
			mu.Lock()
			defer mu.Unlock()
			seen[op] = true
			if steps++; steps == at {
				return syscall.ENOSPC
			}
			switch op {
			case "mkdir":
				unsynced[path] = true
			case "syncdir":
				for made := range unsynced {
					if filepath.Dir(made) == path {
						delete(unsynced, made)
					}
				}
			}
			return nil
		}
		opts := Options{Workers: 1, disk: disk{step: step}}
		s, err := Create(dir, settings, opts)
		if steps < at {
			closeStore(t, s)
			break
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
		if len(unsynced) > 0 {
			t.Errorf("step %d: the names of %v are not synced", at, unsynced)
		}
		addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
		commit(t, s)
		closeStore(t, s)
	}
	for _, op := range []string{"mkdir", "lock", "syncdir", "rename"} {
		if !seen[op] {
			t.Errorf("no step %s", op)
		}
	}
}

func closeStore(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
