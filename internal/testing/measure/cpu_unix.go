//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU returns the processor time, user and system, of this process; 0 if the system does not report it.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
