//go:build unix

package lasting

import (
	"errors"
	"os"
)

// SyncDir waits until the names in dir are on the disk.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
