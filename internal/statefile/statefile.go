// Package statefile opens the files in which commands remember what they have done:
// one file each, which one process has open at a time, and which is changed by whole
// transactions.
package statefile

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/otisk/otisk/internal/oserror"
)

// patience is how long another process is waited for.
const patience = 500 * time.Millisecond

// Open opens the file at path, or makes it, and calls prepare with it. Where another
// process has it, that is the error busy; every other wraps kind.
func Open(path string, kind, busy error, prepare func(*bbolt.Tx) error) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o644, &bbolt.Options{Timeout: patience})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, busy
	case err != nil:
		return nil, fmt.Errorf("%w %s: %w", kind, path, oserror.Cause(err))
	}
	if err := db.Update(prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("%w %s: %w", kind, path, err), db.Close())
	}
	return db, nil
}
