//go:build !windows

package lang

// platform returns "": other systems tell their language by variables.
func platform() string { return "" }
