//go:build !linux

package watch

import "io/fs"

// changeTime is not told in one way by these systems.
func changeTime(fs.FileInfo) int64 { return 0 }

// beingWritten is not told by these systems.
func beingWritten(string) bool { return false }
