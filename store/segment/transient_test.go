package segment_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/otisk/otisk/gather/gathertest"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// TestFailuresThatPass has single steps on the disk fail, as if that were full for a moment.
func TestFailuresThatPass(t *testing.T) {
	faults := need.Seeds(60)
	if os.Getenv("OTISK_TEST_LONG") != "" {
		faults = 500
	}
	gathertest.FailuresThatPass(t, faults, failing(t, syscall.ENOSPC), failing(t, syscall.ENOSPC))
}

// TestEachStepFails has each step of each commit fail once, on a disk that is full for a
// moment, for which deletions have a reserve, and on one that is broken for a moment.
func TestEachStepFails(t *testing.T) {
	every := 3
	switch {
	case need.All():
		every = 1
	case testing.Short():
		every = 5
	}
	for _, cause := range []syscall.Errno{syscall.ENOSPC, syscall.EIO} {
		t.Run(cause.Error(), func(t *testing.T) {
			storetest.EachStepFails(t, every, func(t *testing.T) *storetest.Flaky {
				f := failing(t, cause)
				if cause == syscall.EIO {
					f.Patience = 1 // and two steps in a row
				}
				return f
			})
		})
	}
}

// TestModel compares an index with a model of it, over random operations and faults.
func TestModel(t *testing.T) {
	operations := need.Seeds(400)
	if need.All() {
		operations = 10_000
	}
	gathertest.Model(t, operations, 1, failing(t, syscall.ENOSPC))
}

// failing returns an index on a disk of which single steps can fail.
func failing(t *testing.T, cause error) *storetest.Flaky {
	dir := filepath.Join(t.TempDir(), "index")
	var fails atomic.Pointer[func(string) bool]
	step := func(op, path string) error {
		if fn := fails.Load(); fn != nil && *fn != nil && (*fn)(op+" "+filepath.Base(path)) {
			return fmt.Errorf("%s %s: %w", op, path, cause)
		}
		return nil
	}
	return &storetest.Flaky{
		Open: func() (store.Store, error) {
			return segment.Create(dir, storetest.Settings(), segment.Options{Workers: 1, Memory: 1 << 20}.WithStep(step))
		},
		Fail:   func(fn func(string) bool) { fails.Store(&fn) },
		Caused: func(err error) bool { return errors.Is(err, cause) },
	}
}
