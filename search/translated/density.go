package translated

import "slices"

// Figures of clusters, in words.
const (
	radius       = 25  // of the suspect around a point
	sourceRadius = 32  // the same of the source
	leastDensity = 2.0 // weight of the points in that area, the greatest of each word, from which a point is a core
	joinSuspect  = 35  // distance in the suspect up to which cores are of one cluster
	joinSource   = 45  // the same in the source
)

// crowded returns the points that may be cores and those near them, sorted: most points are by chance, and far from
// all others. The texts are divided into cells as large as the distances of the neighbours of a point; the sum of the weights
// in a cell and the eight around it is at least the density of each of its points.
func crowded(points []point, suspect, source int) []point {
	rows, columns := suspect/radius+1, source/sourceRadius+3 // with an empty column at each end
	ends := make([]int32, rows+1)                            // of the points of each row in byRow
	for _, p := range points {
		ends[int(p.i)/radius+1]++
	}
	for r := range rows {
		ends[r+1] += ends[r]
	}
	byRow, next := make([]point, len(points)), slices.Clone(ends)
	for _, p := range points {
		r := int(p.i) / radius
		byRow[next[r]] = p
		next[r]++
	}
	row := func(r int) []point {
		if r < 0 || r >= rows {
			return nil
		}
		return byRow[ends[r]:ends[r+1]]
	}
	column := func(p point) int { return int(p.j)/sourceRadius + 1 }

	// Only three rows are kept at a time, by the remainders of their numbers.
	var sums [3][]float64 // of the weights in cells
	var near [3][]int     // of cells that may have cores, and those around them, the number of the row
	for k := range sums {
		sums[k], near[k] = make([]float64, columns), slices.Repeat([]int{-1}, columns)
	}
	fill := func(r int) {
		for _, p := range row(r - 3) {
			sums[r%3][column(p)] = 0
		}
		for _, p := range row(r) {
			sums[r%3][column(p)] += p.weight
		}
	}
	var list []point
	emit := func(r int) {
		for _, p := range row(r) {
			if near[r%3][column(p)] == r {
				list = append(list, p)
			}
		}
	}
	fill(0)
	for r := range rows {
		fill(r + 1)
		for _, p := range row(r) {
			c, all := column(p), 1e-9 // sums in another order differ
			for _, sum := range sums {
				all += sum[c-1] + sum[c] + sum[c+1]
			}
			if all < leastDensity {
				continue
			}
			for x := max(0, r-1); x <= r+1; x++ {
				near[x%3][c-1], near[x%3][c], near[x%3][c+1] = x, x, x
			}
		}
		emit(r - 1)
	}
	emit(rows - 1)
	sortPoints(list)
	return list
}

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
