//go:build !unix

package watch

import "io/fs"

// deviceOf is not told by these systems.
func deviceOf(fs.FileInfo) uint64 { return 0 }
