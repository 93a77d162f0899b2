package work

import "golang.org/x/sys/unix"

// LimitMemory limits the data of this process, so that an allocation beyond the limit ends it.
func LimitMemory(bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Setrlimit(unix.RLIMIT_DATA, &limit)
}
