//go:build !linux

package esnode

// inMemory returns "": only Linux has such a folder in a known place.
func inMemory() string { return "" }
