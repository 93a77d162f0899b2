// Package lasting makes the names of files and folders survive a power failure. Syncing a file
// preserves its content, but not its name in a folder that it was created in.
package lasting

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Step, unless it is nil, is called before each operation that changes files, with the name
// of the operation and the path. The operation fails with the error that it returns. Tests let
// single operations fail by it.
type Step func(op, path string) error

// Before calls s.
func (s Step) Before(op, path string) error {
	if s == nil {
		return nil
	}
	return s(op, path)
}

// Do calls s and then do, unless s returns an error.
func (s Step) Do(op, path string, do func() error) error {
	if err := s.Before(op, path); err != nil {
		return err
	}
	return do()
}

// MkdirAll is [MkdirAll] with the steps mkdir and syncdir.
func (s Step) MkdirAll(dir string, mode fs.FileMode) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := s.MkdirAll(parent, mode); err != nil {
			return err
		}
	}
	err := s.Do("mkdir", dir, func() error { return os.Mkdir(dir, mode) })
	switch {
	case errors.Is(err, fs.ErrExist):
		return os.MkdirAll(dir, mode) // another process made it, or a file has that name
	case err != nil:
		return err
	}
	if err := s.SyncDir(parent); err != nil {
		return errors.Join(err, os.Remove(dir)) // a later call makes it, and syncs its name
	}
	return nil
}

// SyncDir is [SyncDir] with the step syncdir.
func (s Step) SyncDir(dir string) error {
	return s.Do("syncdir", dir, func() error { return SyncDir(dir) })
}

// MkdirAll is [os.MkdirAll], and syncs the parent of each folder that it makes. If a sync
// fails, it removes that folder.
func MkdirAll(dir string, mode fs.FileMode) error { return Step(nil).MkdirAll(dir, mode) }
