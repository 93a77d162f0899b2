package esnode

import "syscall"

const (
	memoryDir  = "/dev/shm"
	memoryType = 0x01021994 // TMPFS_MAGIC in linux/magic.h
	memoryRoom = 4 << 30    // the tests of a package write some hundreds of megabytes
)

// inMemory returns a folder of a file system in memory with enough room, or "".
func inMemory() string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &s); err != nil || int64(s.Type) != memoryType || uint64(s.Bavail)*uint64(s.Bsize) < memoryRoom {
		return ""
	}
	return memoryDir
}
