//go:build unix

package host

import (
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Group returns the group whose members may read what this process may not: that of path, or of the last folder above it
// that this process can see. It is empty if there is none, if this
// process belongs to it, or if it is that of root, which nobody should join for that.
func Group(path string) string {
	info, err := os.Stat(path)
	for err != nil && path != filepath.Dir(path) {
		path = filepath.Dir(path)
		info, err = os.Stat(path)
	}
	if err != nil {
		return ""
	}
	wanted := fs.FileMode(0o040)
	if info.IsDir() {
		wanted = 0o050
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	groups, err := os.Getgroups()
	if !ok || err != nil || owner.Gid == 0 || info.Mode()&wanted != wanted || int(owner.Gid) == os.Getegid() || slices.Contains(groups, int(owner.Gid)) {
		return ""
	}
	group, err := user.LookupGroupId(strconv.Itoa(int(owner.Gid)))
	if err != nil {
		return ""
	}
	return group.Name
}
