//go:build !linux

package watch

import "io/fs"

// changeTime returns 0: these systems have no common way to read the ctime.
func changeTime(fs.FileInfo) int64 { return 0 }

// beingWritten returns false: these systems do not provide it.
func beingWritten(string) bool { return false }
