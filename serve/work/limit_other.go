//go:build !linux

package work

// LimitMemory does nothing: this system has no limit that counts memory in use. GOMEMLIMIT is set.
func LimitMemory(int64) error { return nil }
