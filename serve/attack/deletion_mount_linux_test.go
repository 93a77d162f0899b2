package attack

import (
	"fmt"
	"syscall"
)

// deletionMount mounts a disk of a size in memory.
func deletionMount(dir string, size int64) error {
	return syscall.Mount("otisk", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

func deletionUnmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }
