package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

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
