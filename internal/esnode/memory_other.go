//go:build !linux

package esnode

// inMemory returns "": only Linux has such a folder in a place that is known.
func inMemory() string { return "" }
