// Package disjoint keeps disjoint sets of numbers that are joined two at a
// time (a union-find): groups of things that hang together, or the next thing
// of a row that nobody has taken.
package disjoint

// Sets are disjoint sets of the numbers from 0 on, each a tree of parents.
type Sets []int32

// New returns sets of one number each, from 0 to n-1.
func New(n int) Sets {
	s := make(Sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Root returns the number that represents the set of x.
func (s Sets) Root(x int) int {
	i := int32(x)
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return int(i)
}

// Join makes one set of those of x and y. The root of y stays.
func (s Sets) Join(x, y int) { s[s.Root(x)] = int32(s.Root(y)) }
