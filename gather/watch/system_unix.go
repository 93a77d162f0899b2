//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

// deviceOf returns the device number of the file system of a file, plus 1; 0 means unknown.
func deviceOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev) + 1 // 0 if unknown
	}
	return 0
}
