package segment

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

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
