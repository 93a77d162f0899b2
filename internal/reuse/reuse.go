// Package reuse saves allocations of lists that are filled again and again.
package reuse

import "slices"

// Zeros returns a list of n zero values, in the same memory as list if that has room.
func Zeros[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}
