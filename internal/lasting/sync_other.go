//go:build !unix

package lasting

// SyncDir does nothing: this system writes the names in a folder with its files.
func SyncDir(string) error { return nil }
