//go:build !unix

package watch

import "io/fs"

// deviceOf returns 0: these systems do not provide device numbers.
func deviceOf(fs.FileInfo) uint64 { return 0 }
