package segment_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/otisk/otisk/indexer/indexertest"
	"github.com/otisk/otisk/internal/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// TestFailuresThatPass has single steps on the disk fail, as if that were full for a moment.
func TestFailuresThatPass(t *testing.T) {
	faults := need.Rounds(60)
	if os.Getenv("OTISK_TEST_LONG") != "" {
		faults = 500
	}
	indexertest.FailuresThatPass(t, faults, failing(t), failing(t))
}

// failing returns an index on a disk of which single steps can fail.
func failing(t *testing.T) *indexertest.Index {
	dir := filepath.Join(t.TempDir(), "index")
	var fails atomic.Pointer[func(string) bool]
	step := func(op, path string) error {
		if fn := fails.Load(); fn != nil && *fn != nil && (*fn)(op+" "+filepath.Base(path)) {
			return fmt.Errorf("%s %s: %w", op, path, syscall.ENOSPC)
		}
		return nil
	}
	return &indexertest.Index{
		Open: func() (store.Store, error) {
			return segment.Create(dir, storetest.Settings(), segment.Options{Workers: 1, Memory: 1 << 20}.WithStep(step))
		},
		Fail:   func(fn func(string) bool) { fails.Store(&fn) },
		Caused: func(err error) bool { return errors.Is(err, syscall.ENOSPC) },
	}
}
