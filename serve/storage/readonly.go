package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"

	"github.com/otisk/otisk/lang/phrase"
)

// ErrReadOnly is the error of a transaction in a folder that was opened for reading only.
var ErrReadOnly error = phrase.Error("serve.read-only", "the server changes nothing, since it cannot write to its data folder: ask an administrator")

// ReadOnly returns why nothing can be written since the folder was opened, nil if it can: the disk was
// full without a reserve, or does not allow it.
func (f *Folder) ReadOnly() error { return f.readOnly }

// Codes of SQLite for files that cannot be written.
const (
	readOnly   = 8
	cannotOpen = 14
)

// isReadOnly reports whether an error is about files that cannot be written.
func isReadOnly(err error) bool {
	var failed *sqlite.Error
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) || errors.As(err, &failed) && (failed.Code()&0xff == readOnly || failed.Code()&0xff == cannotOpen)
}

// lockFile locks the folder, also one that can only be read. locked is false if another process has it.
func (f *Folder) lockFile() (locked bool, err error) {
	path := filepath.Join(f.dir, lockName)
	f.lock = flock.New(path)
	if locked, err = f.lock.TryLock(); !isReadOnly(err) {
		return locked, err
	}
	f.readOnly = err
	f.lock = flock.New(path, flock.SetFlag(os.O_RDONLY))
	if locked, err = f.lock.TryLock(); errors.Is(err, fs.ErrNotExist) { // no server has used the folder here
		return true, nil
	}
	return locked, err
}

// openReadOnly opens the database for reading, after it could not be opened otherwise because of cause.
// Without a log, SQLite reads it without files beside it, for which there is no space.
func (f *Folder) openReadOnly(ctx context.Context, cause error) (err error) {
	f.readOnly = cause
	if IsFull(cause) {
		f.readOnly = syscall.ENOSPC
	}
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(" + patience + ")", "foreign_keys(on)", "trusted_schema(off)"}}
	if log, err := os.Stat(f.Path(database + "-wal")); errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0 {
		query.Set("immutable", "1")
	}
	if f.Read, err = f.connectBy(query); err != nil {
		return err
	}
	f.Read.SetMaxOpenConns(readers)
	version, err := f.dialect.known(ctx, f.Read)
	if err == nil && version != latest() {
		return cause
	}
	return err
}

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
