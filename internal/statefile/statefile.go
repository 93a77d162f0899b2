// Package statefile opens the state files of commands: bbolt databases that one
// process opens at a time and changes in transactions.
package statefile

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/otisk/otisk/internal/oserror"
)

// patience is the time to wait for another process to close the file.
const patience = 500 * time.Millisecond

// Open opens or creates the file at path and calls prepare with it. If another
// process has it open, Open returns busy; every other error wraps kind.
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
