// Package lists makes lists, sets and numbers of lists, and fills maps.
package lists

// Map returns f of each element; nil if list is empty.
func Map[S, T any](list []S, f func(S) T) (mapped []T) {
	if len(list) > 0 {
		mapped = make([]T, len(list))
	}
	for i, x := range list {
		mapped[i] = f(x)
	}
	return mapped
}

// Filter returns the elements that is accepts; nil if there are none.
func Filter[T any](list []T, is func(T) bool) (filtered []T) {
	for _, x := range list {
		if is(x) {
			filtered = append(filtered, x)
		}
	}
	return filtered
}

// Set returns the set of the elements.
func Set[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}

// Count returns the number of elements that is accepts.
func Count[T any](list []T, is func(T) bool) (count int) {
	for _, x := range list {
		if is(x) {
			count++
		}
	}
	return count
}

// Runes returns the number of runes of s that is accepts.
func Runes(s string, is func(rune) bool) (count int) {
	for _, r := range s {
		if is(r) {
			count++
		}
	}
	return count
}

// Sum returns the sum of f of each element.
func Sum[T any, N int | int64 | uint64 | float64](list []T, f func(T) N) (sum N) {
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// Each calls f for each element, and returns its first error.
func Each[T any](list []T, f func(T) error) error {
	for _, x := range list {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// Put stores value at key in a map, which it makes if it is nil.
func Put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
