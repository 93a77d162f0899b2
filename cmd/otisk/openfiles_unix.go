//go:build unix

package main

import (
	"syscall"

	"github.com/otisk/otisk/lang"
)

// leastFiles is the smallest limit of open files that the program accepts. With a limit below
// six, the Go runtime crashes.
const leastFiles = 32

// checkOpenFiles returns an error if the limit of open files is below leastFiles.
func checkOpenFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= leastFiles {
		return nil
	}
	return lang.Say("error.open-files", "n", int64(limit.Cur), "least", leastFiles)
}
