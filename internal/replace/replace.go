// Package replace replaces files atomically: after a crash, a file has its old
// content or its new one. [File] writes small files in one call; an [Output] is
// written in steps and locked.
package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/lasting"
)

// File atomically replaces the file at path with what fill writes, and sets its
// mode. With sync, it returns after the file and its name are on the disk. An
// error removes the temporary file; a killed process can leave it, as a hidden
// file in the same folder.
func File(path string, mode fs.FileMode, sync bool, fill func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".otisk-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	err = fill(file)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil && sync {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err == nil && sync {
		err = lasting.SyncDir(filepath.Dir(path))
	}
	return err
}
