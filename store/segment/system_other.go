//go:build !unix

package segment

import "io/fs"

// linked reports false, since the number of links is unknown on this system.
func linked(fs.FileInfo) bool { return false }

// giveBack does nothing: the system takes pages back by itself.
func giveBack([]byte) {}
