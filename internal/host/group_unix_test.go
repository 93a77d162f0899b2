//go:build unix

package host

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
)

// TestGroup: the group is that of the last folder that can be seen, if it may read it and is not one of this process.
func TestGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another group")
	}
	daemon, err := user.LookupGroup("daemon")
	if err != nil {
		t.Skip(err)
	}
	gid, err := strconv.Atoi(daemon.Gid)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "otisk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 0, gid); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]string{0o750: "daemon", 0o700: "", 0o740: ""} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir, filepath.Join(dir, "index", "missing")} {
			if got := Group(path); got != want {
				t.Errorf("Group(%s) with the mode %o = %q, want %q", path, mode, got, want)
			}
		}
	}
	if got := Group(filepath.Dir(dir)); got != "" {
		t.Errorf("Group of a folder of the group of this process = %q", got)
	}
}
