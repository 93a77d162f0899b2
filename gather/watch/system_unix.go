//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

// deviceOf returns the file system that a file is on.
func deviceOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev) + 1 // 0 is for what is not known
	}
	return 0
}
