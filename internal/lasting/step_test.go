package lasting_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/testing/files"
)

// TestEachStepFails lets each step of making folders fail once. The second call makes the
// missing folders, and between both calls the name of each folder has been synced after it was
// made.
func TestEachStepFails(t *testing.T) {
	failure := errors.New("no space")
	for at := 1; ; at++ {
		root := t.TempDir()
		deep := filepath.Join(root, "a", "b", "c")
		steps := &files.Steps{At: at, Err: failure}
		step := lasting.Step(steps.Step)
		err := step.MkdirAll(deep, 0o755)
		if steps.Count() < at {
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
		if _, err := os.Stat(deep); err != nil || steps.Unsynced() > 0 {
			t.Errorf("step %d: Stat = %v; the names of %d folders are not synced", at, err, steps.Unsynced())
		}
	}
}
