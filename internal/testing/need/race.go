//go:build race

package need

// Race reports whether the race detector is on. With it, sync.Pool drops a quarter of its
// items at random, so the number of allocated bytes is random, too.
const Race = true
