// Package disjoint is a union-find: disjoint sets of numbers that are joined two at
// a time. It finds connected groups, or the next free item of a row.
package disjoint

// Sets are disjoint sets of the numbers from 0 to n-1, each a tree of parents.
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

// Join joins the sets of x and y. The root of y becomes the root of both.
func (s Sets) Join(x, y int) { s[s.Root(x)] = int32(s.Root(y)) }
