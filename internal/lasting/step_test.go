package lasting_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/lasting"
)

// TestEachStepFails lets each step of making folders fail once. The second call makes what is
// missing, and between both calls the name of each folder has been synced after it was made.
func TestEachStepFails(t *testing.T) {
	failure := errors.New("no space")
	for at := 1; ; at++ {
		root := t.TempDir()
		deep := filepath.Join(root, "a", "b", "c")
		steps, unsynced := 0, map[string]bool{}
		var step lasting.Step = func(op, path string) error {
			if steps++; steps == at {
				return failure
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
		err := step.MkdirAll(deep, 0o755)
		if steps < at {
			if err != nil || at != 7 {
				t.Errorf("MkdirAll = %v after %d steps, want 6 steps", err, at-1)
			}
			return
		}
		if !errors.Is(err, failure) {
			t.Errorf("step %d: MkdirAll = %v, want the failure", at, err)
		}
		if err := step.MkdirAll(deep, 0o755); err != nil {
			t.Errorf("step %d: MkdirAll again = %v", at, err)
		}
		if _, err := os.Stat(deep); err != nil || len(unsynced) > 0 {
			t.Errorf("step %d: Stat = %v; unsynced are %v", at, err, unsynced)
		}
	}
}
