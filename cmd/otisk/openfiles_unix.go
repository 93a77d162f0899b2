//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// leastFiles is how many files the program must be able to have open at once. With fewer
// than six the runtime of Go ends it with a trace.
const leastFiles = 32

// checkOpenFiles returns an error if the system lets the program open too few files.
func checkOpenFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= leastFiles {
		return nil
	}
	return fmt.Errorf("the limit of open files (ulimit -n) is %d, and %d are needed", limit.Cur, leastFiles)
}
