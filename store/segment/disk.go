package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/store"
)

// A disk does all that changes files, so that a test can make any step fail.
// Before each, step is called with what is about to be done (create, write,
// sync, rename, remove, truncate, syncdir) and the path; nil does nothing.
//
// Files are known by their paths. So before one is made, renamed or removed, lock
// has to be the lock file that is there: else the files are those of whoever made
// the folder anew. nil is for a folder that is nobody's index.
type disk struct {
	step func(op, path string) error
	lock *flock.Flock
}

func (d disk) before(op, path string) error {
	if d.step == nil {
		return nil
	}
	return d.step(op, path)
}

// name is before, for what finds a file by its path.
func (d disk) name(op, path string) error {
	if err := d.before(op, path); err != nil || d.lock == nil {
		return err
	}
	return holds(d.lock)
}

// create makes a file, or empties one that is there.
func (d disk) create(path string) (*outFile, error) {
	return d.open(path, os.O_CREATE|os.O_TRUNC)
}

// open opens a file for reading and writing.
func (d disk) open(path string, flags int) (*outFile, error) {
	if err := d.name("create", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o666)
	if err != nil {
		return nil, refused(err)
	}
	return &outFile{disk: d, file: f}, nil
}

// An outFile is a file that is being written.
type outFile struct {
	disk disk
	file *os.File
}

// Write implements [io.Writer].
func (f *outFile) Write(b []byte) (int, error) {
	if err := f.disk.before("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Write(b)
}

// WriteAt implements [io.WriterAt].
func (f *outFile) WriteAt(b []byte, offset int64) (int, error) {
	if err := f.disk.before("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, offset)
}

// sync waits until the file is on the disk.
func (f *outFile) sync() error {
	if err := f.disk.before("sync", f.file.Name()); err != nil {
		return err
	}
	return f.file.Sync()
}

// truncate cuts the file.
func (f *outFile) truncate(size int64) error {
	if err := f.disk.before("truncate", f.file.Name()); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

// close closes the file, and syncs it before that unless there was an error.
func (f *outFile) close(err error) error {
	if err == nil {
		err = f.sync()
	}
	if cerr := f.shut(); err == nil {
		err = cerr
	}
	return err
}

// shut closes the file without syncing it.
func (f *outFile) shut() error {
	err := f.disk.before("close", f.file.Name())
	if cerr := f.file.Close(); err == nil {
		err = cerr
	}
	return err
}

// rename gives a file its lasting name. It is there after a crash only once
// syncDir has been called.
func (d disk) rename(from, to string) error {
	if err := d.name("rename", to); err != nil {
		return err
	}
	return refused(os.Rename(from, to))
}

func (d disk) remove(path string) error {
	if err := d.name("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// syncDir waits until the names in dir are on the disk.
func (d disk) syncDir(dir string) error {
	if err := d.before("syncdir", dir); err != nil {
		return err
	}
	return lasting.SyncDir(dir)
}

// refused makes err wrap store.ErrReadOnly if it says that nothing can be
// written there.
func refused(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	}
	return err
}

// probe returns an error wrapping store.ErrReadOnly if dir takes no files.
func (d disk) probe(dir string) error {
	path := filepath.Join(dir, tmpManifest)
	f, err := d.create(path)
	if err != nil {
		return err
	}
	if err := f.shut(); err != nil {
		return err
	}
	return d.remove(path)
}
