//go:build !race

package need

// Race reports whether the race detector is on.
const Race = false
