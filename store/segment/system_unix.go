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

// giveBack lets the system know that the pages of b, which is mapped from the start
// of a page, are not needed for now. Else all that is read of a file in passing
// would count as memory of this program.
func giveBack(b []byte) {
	_ = unix.Madvise(b, unix.MADV_DONTNEED) // advice only
}
