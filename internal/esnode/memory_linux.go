package esnode

import "syscall"

const (
	memoryDir  = "/dev/shm"
	memoryType = 0x01021994 // of a file system in memory: TMPFS_MAGIC of linux/magic.h
	memoryRoom = 4 << 30    // what the tests of a package write is some hundreds of megabytes
)

// inMemory returns a folder whose files are in memory, where there is one with
// enough room; else "".
func inMemory() string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &s); err != nil || int64(s.Type) != memoryType || uint64(s.Bavail)*uint64(s.Bsize) < memoryRoom {
		return ""
	}
	return memoryDir
}
