package segment

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// A reserve is a file that is there to be removed: on a full disk, its room lets
// documents be deleted, and the index be emptied, so that there is room again.
// It is enough for some thousand documents at a time.
const (
	reserveName  = "reserve"
	reserveBytes = 256 << 10
)

// keepReserve makes the reserve if it is not there. Without room for it, there is
// none.
func (s *Store) keepReserve() {
	path := filepath.Join(s.dir, reserveName)
	if st, err := os.Stat(path); err == nil && st.Size() == reserveBytes {
		return
	}
	f, err := s.disk.create(path)
	if err != nil {
		return
	}
	data := make([]byte, reserveBytes)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data) // some file systems would not keep room for zeros; it cannot fail
	_, err = f.Write(data)
	if cerr := f.shut(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.disk.remove(path)
	}
}

// withReserve calls fn, which writes what makes the index smaller, again without
// the reserve if the disk is full. An error of fn has to leave nothing behind.
func (s *Store) withReserve(fn func() error) error {
	err := fn()
	if !errors.Is(err, syscall.ENOSPC) || s.disk.remove(filepath.Join(s.dir, reserveName)) != nil {
		return err
	}
	s.sweep()
	return fn()
}
