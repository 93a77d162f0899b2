//go:build unix

package esclient

import (
	"errors"
	"syscall"
)

// running says whether there is a process of that id.
func running(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
