package segment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/store"
)

// acquire locks the index in dir for this writer, or returns an error wrapping
// store.ErrLocked at once. The system unlocks it when the process ends, however
// it does.
func acquire(dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o666))
	ok, err := l.TryLock()
	if err != nil {
		return nil, refused(err)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, store.ErrLocked)
	}
	return l, nil
}

// errReplaced says that a lock is not that of the folder.
var errReplaced = errors.New("the folder was removed or replaced while it was written to")

// holds returns an error if the locked file is no more at its path: then others
// can lock the folder, and what is in it may be another index.
func holds(l *flock.Flock) error {
	held, err := l.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(l.Path()); err != nil || !os.SameFile(held, there) {
		return fmt.Errorf("%s: %w", filepath.Dir(l.Path()), errReplaced)
	}
	return nil
}
