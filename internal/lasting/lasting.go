// Package lasting makes the names of files and folders survive a power cut. To sync a
// file keeps its content, and not its name in the folder that it was made in.
package lasting

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll is [os.MkdirAll], and syncs the parent of each folder that it makes.
func MkdirAll(dir string, mode fs.FileMode) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent, mode); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	} else if errors.Is(err, fs.ErrExist) {
		return os.MkdirAll(dir, mode) // another process made it, or a file has that name
	}
	return SyncDir(parent)
}
