//go:build unix

package segment

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// linked reports whether a file has other names (hard links).
func linked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// giveBack lets the system know that the pages of b, which is mapped from the start
// of a page, are not needed for now. Else all that is read of a file in passing
// would count as memory of this program.
func giveBack(b []byte) {
	_ = unix.Madvise(b, unix.MADV_DONTNEED) // advice only
}
