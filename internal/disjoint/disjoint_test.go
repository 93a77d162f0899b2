package disjoint

import (
	"math/rand/v2"
	"testing"
)

// TestSetsAsNaive compares the roots with sets that carry their root on each
// number.
func TestSetsAsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rng.IntN(30)
		sets, naive := New(n), make([]int, n)
		for i := range naive {
			naive[i] = i
		}
		for range rng.IntN(40) {
			x, y := rng.IntN(n), rng.IntN(n)
			sets.Join(x, y)
			from, to := naive[x], naive[y]
			for i, root := range naive {
				if root == from {
					naive[i] = to
				}
			}
			for i, want := range naive {
				if got := sets.Root(i); got != want {
					t.Fatalf("after Join(%d, %d): Root(%d) = %d, want %d", x, y, i, got, want)
				}
			}
		}
	}
}
