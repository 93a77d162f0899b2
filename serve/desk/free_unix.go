//go:build linux || darwin

package desk

import "golang.org/x/sys/unix"

// free returns the bytes that are left on the disk of a folder, 0 if that is unknown.
func free(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
