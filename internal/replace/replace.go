// Package replace writes files that are there whole or not at all, whatever
// happens meanwhile.
//
// Large outputs, which are written for minutes, are those of package corpus/whole: it also keeps two
// programs from writing one.
package replace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/lasting"
)

// File gives the file at path what fill writes, and this mode. What was there stays
// until all of it is written; with sync, until it is on the disk. Nothing is left
// behind by an error; a kill can leave a hidden file beside path.
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
