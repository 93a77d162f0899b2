package segment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A disk performs all changes of files, so that tests can make each step fail. It calls step
// before each operation: mkdir, lock, create, write, sync, close, rename, remove, truncate,
// syncdir.
//
// Files are addressed by path. So before a file is created, renamed or removed, the disk
// checks that lock is still the lock file in the folder: otherwise the folder was replaced,
// and the files belong to another index. lock is nil while there is no index.
type disk struct {
	step lasting.Step
	lock *flock.Flock
}

// name is step.Before for operations that address a file by path.
func (d disk) name(op, path string) error {
	if err := d.step.Before(op, path); err != nil || d.lock == nil {
		return err
	}
	return holds(d.lock)
}

// create creates or truncates a file.
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

// An outFile is a file open for writing.
type outFile struct {
	disk disk
	file *os.File
}

// Write implements [io.Writer].
func (f *outFile) Write(b []byte) (int, error) {
	if err := f.disk.step.Before("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Write(b)
}

// WriteAt implements [io.WriterAt].
func (f *outFile) WriteAt(b []byte, offset int64) (int, error) {
	if err := f.disk.step.Before("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, offset)
}

// truncate changes the size of the file.
func (f *outFile) truncate(size int64) error {
	return f.disk.step.Do("truncate", f.file.Name(), func() error { return f.file.Truncate(size) })
}

// close syncs the file, unless err is not nil, and closes it. It returns the first error.
func (f *outFile) close(err error) error {
	if err == nil {
		err = f.disk.step.Do("sync", f.file.Name(), f.file.Sync)
	}
	return cmp.Or(err, f.shut())
}

// shut closes the file without syncing it.
func (f *outFile) shut() error {
	return cmp.Or(f.disk.step.Before("close", f.file.Name()), f.file.Close())
}

// rename renames a file. The new name survives a power failure only after syncDir.
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
func (d disk) syncDir(dir string) error { return d.step.SyncDir(dir) }

// refused makes err wrap [store.ErrReadOnly] if it reports missing permission or a
// read-only file system.
func refused(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	}
	return err
}

// probe returns an error wrapping [store.ErrReadOnly] if no file can be created in dir.
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

// acquire locks the index in dir for this writer. If another writer holds the lock, it
// returns an error wrapping [store.ErrLocked] at once. The system releases the lock when
// the process ends, however it ends.
func acquire(dir string, step lasting.Step) (*flock.Flock, error) {
	path := filepath.Join(dir, lockName)
	if err := step.Before("lock", path); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetPermissions(0o666))
	ok, err := l.TryLock()
	if err != nil {
		return nil, refused(err)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, store.ErrLocked)
	}
	return l, nil
}

// errReplaced means that the held lock is no longer the lock file of the folder.
var errReplaced error = phrase.Error("damage.replaced", "the folder was removed or replaced while it was written to")

// holds returns an error if the locked file is no longer at its path: then other writers
// can lock the folder, which may hold another index.
func holds(l *flock.Flock) error {
	held, err := l.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.Path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, there) {
		return fmt.Errorf("%s: %w", filepath.Dir(l.Path()), errReplaced)
	}
	return err
}

// The reserve is a file without content of use. On a full disk, removing it makes room to
// delete documents or to empty the index, which frees more. It is large enough for some
// thousand deletions at a time.
const (
	reserveName  = "reserve"
	reserveBytes = 256 << 10
)

// createReserve creates the reserve if it is missing. It does nothing if the disk has no
// room.
func (s *Store) createReserve() {
	path := filepath.Join(s.dir, reserveName)
	if st, err := os.Stat(path); err == nil && st.Size() == reserveBytes {
		return
	}
	f, err := s.disk.create(path)
	if err != nil {
		return
	}
	data := make([]byte, reserveBytes)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data) // not zeros, for which some file systems allocate nothing; it cannot fail
	_, err = f.Write(data)
	err = cmp.Or(err, f.shut())
	if err != nil {
		_ = s.disk.remove(path)
	}
}

// withReserve calls fn, which must shrink the index. If the disk is full, it removes the
// reserve and calls fn again. A failed fn must leave nothing behind.
func (s *Store) withReserve(fn func() error) error {
	err := fn()
	if !errors.Is(err, syscall.ENOSPC) || s.disk.remove(filepath.Join(s.dir, reserveName)) != nil {
		return err
	}
	s.sweep()
	return fn()
}
