package translated

// Figures of clusters, in words.
const (
	radius       = 25  // of the suspect around a point
	sourceRadius = 32  // the same of the source
	leastDensity = 2.0 // weight of the points in that area, the greatest of each word, from which a point is a core
	joinSuspect  = 35  // distance in the suspect up to which cores are of one cluster
	joinSource   = 45  // the same in the source
)

// cores returns the points around which the texts are densely linked. For each word of the
// suspect near a point, the greatest weight counts.
func cores(points []point) []point {
	var list []point
	low := 0
	for _, p := range points {
		for points[low].i < p.i-radius {
			low++
		}
		sum, best, word := 0.0, 0.0, int32(-1)
		for _, q := range points[low:] {
			if q.i > p.i+radius {
				break
			}
			if q.j-p.j > sourceRadius || p.j-q.j > sourceRadius {
				continue
			}
			if q.i != word {
				sum, best, word = sum+best, 0, q.i
			}
			best = max(best, q.weight)
		}
		if sum+best >= leastDensity {
			list = append(list, p)
		}
	}
	return list
}

// clusters joins cores that are near each other. The points of a cluster keep their order.
func clusters(cores []point) [][]point {
	parent := make([]int, len(cores))
	for i := range parent {
		parent[i] = i
	}
	root := func(x int) int {
		for parent[x] != x {
			parent[x] = parent[parent[x]]
			x = parent[x]
		}
		return x
	}
	for a, p := range cores {
		for b := a + 1; b < len(cores) && cores[b].i-p.i <= joinSuspect; b++ {
			if d := cores[b].j - p.j; d <= joinSource && d >= -joinSource {
				parent[root(b)] = root(a)
			}
		}
	}
	var list [][]point
	number := map[int]int{}
	for a, p := range cores {
		r := root(a)
		n, ok := number[r]
		if !ok {
			n = len(list)
			number[r] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], p)
	}
	return list
}
