// Package statefile opens the state files of commands: bbolt databases that one
// process opens at a time and changes in transactions.
package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/oserror"
)

// patience is the time to wait for another process to close the file.
const patience = 500 * time.Millisecond

// A DB is an open state file.
type DB struct {
	*bbolt.DB
	step lasting.Step
}

// Update is [bbolt.DB.Update] with the steps update and updated. If updated fails, the changes
// are in the file, as after a failed sync.
func (db *DB) Update(fn func(*bbolt.Tx) error) error {
	if err := db.step.Do("update", db.Path(), func() error { return db.DB.Update(fn) }); err != nil {
		return err
	}
	return db.step.Before("updated", db.Path())
}

// Put stores v in JSON under a key.
func Put(b *bbolt.Bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, data)
}

// Open opens or creates the file at path and calls prepare with it. If another
// process has it open, Open returns busy; every other error wraps kind.
func Open(path string, step lasting.Step, kind, busy error, prepare func(*bbolt.Tx) error) (*DB, error) {
	_, err := os.Stat(path)
	created := err != nil
	if err := step.Before("open", path); err != nil {
		return nil, fmt.Errorf("%w %s: %w", kind, path, oserror.Cause(err))
	}
	file, err := bbolt.Open(path, 0o644, &bbolt.Options{Timeout: patience})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, busy
	case err != nil:
		return nil, fmt.Errorf("%w %s: %w", kind, path, oserror.Cause(err))
	}
	db := &DB{file, step}
	err = db.Update(prepare)
	if err == nil && created {
		err = step.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w %s: %w", kind, path, err), db.Close())
	}
	return db, nil
}
