//go:build unix

package esclient

import (
	"errors"
	"syscall"
)

// running reports whether a process with that id exists.
func running(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
