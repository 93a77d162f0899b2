package storage

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
)

// A reserve is a file without a meaning. It is removed when the disk is full, so that sign-ins,
// decisions and deletions have space until somebody has made more.
const (
	reserveName = "reserve"
	reserveSize = 16 << 20
)

// Reserve makes the reserve of a folder with its own database, unless it exists or the disk has less
// than twice its size left; free is 0 if that is unknown.
func (f *Folder) Reserve(free int64) error {
	if f.Shared() || f.readOnly != nil {
		return nil
	}
	path := f.Path(reserveName)
	if info, err := os.Stat(path); err == nil && info.Size() == reserveSize && !f.full.Load() {
		return nil
	}
	if free != 0 && free < 2*reserveSize {
		return nil
	}
	file, err := os.Create(path)
	if err == nil {
		_, err = io.CopyN(file, rand.Reader, reserveSize) // a file system may compress others
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		f.release()
		if IsFull(err) {
			return nil
		}
		return err
	}
	f.full.Store(false)
	return nil
}

// release removes the reserve: the disk is full.
func (f *Folder) release() {
	f.full.Store(true)
	_ = os.Remove(f.Path(reserveName)) // if it exists
}

// Full reports whether the disk was full, and has no space for a new reserve since. Uploads must be
// refused then.
func (f *Folder) Full() bool { return f.full.Load() }
