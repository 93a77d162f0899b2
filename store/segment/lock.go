package segment

import (
	"fmt"
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
