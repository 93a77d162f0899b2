//go:build unix

package segment

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncDir waits until the names in dir are on the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// giveBack tells the system that the pages of b, which is mapped from the start
// of a page, are not needed for now, and returns how many bytes those are.
// Else the inputs of a merge would count as its memory.
func giveBack(b []byte) int {
	whole := len(b) / os.Getpagesize() * os.Getpagesize()
	if whole > 0 {
		_ = unix.Madvise(b[:whole], unix.MADV_DONTNEED) // advice only
	}
	return whole
}
