//go:build !linux && !darwin

package desk

// free returns 0: the space is not queried on this system.
func free(string) int64 { return 0 }
