//go:build unix

package main

import (
	"fmt"
	"syscall"
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
	return fmt.Errorf("the limit of open files (ulimit -n) is %d, and %d are needed", limit.Cur, leastFiles)
}
