package watch

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// changeTime returns when the file or what is said of it changed last, which no
// program can set back.
func changeTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}

// beingWritten reports whether a program has the file open for writing. The
// system tells by refusing a read lease, which only the owner of a file is
// given; where it tells nothing, the answer is no.
func beingWritten(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	busy := false
	_ = raw.Control(func(fd uintptr) {
		_, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_RDLCK)
		if busy = errors.Is(err, unix.EAGAIN); err == nil {
			_, _ = unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_UNLCK)
		}
	})
	return busy
}
