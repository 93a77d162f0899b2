//go:build !windows

package lang

// platform returns "": on other systems, environment variables set the language.
func platform() string { return "" }
