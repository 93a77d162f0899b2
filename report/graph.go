package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A graph is a group of suspects as a picture: each a numbered circle, joined by
// lines that are as wide as what two of them share. The circles lie on a larger
// one, in the order of the group, so that the same pairs give the same picture.
type graph struct {
	Size  string // of the square that the picture fills
	Nodes []graphNode
	Edges []graphEdge
}

type graphNode struct {
	Row     overviewRow
	Number  int
	X, Y, R string
	Label   string // its number, "" where the circles are too small for it
	Below   string // where the number is written
}

type graphEdge struct {
	X1, Y1, X2, Y2, Width string
	A, B                  string // names
	Share                 float64
}

// Sizes of a picture.
const (
	nodeRadius = 13.0 // of a circle that has room
	leastNode  = 3.0
	labelNode  = 9.0 // from this radius on a number fits
	graphRoom  = 22.0
	mostRadius = 230.0 // of the large circle
	mostEdges  = 2000  // the widest lines are drawn; the table has all pairs
)

// graphOf draws the suspects of one group, given by their places in rows.
func graphOf(group []int, rows []overviewRow, pairs []Pair) graph {
	count := float64(len(group))
	large := min(max(48, count*(2*nodeRadius+8)/(2*math.Pi)), mostRadius)
	radius := max(min(nodeRadius, math.Pi*large/count-2), leastNode)
	middle := large + graphRoom
	g := graph{Size: tenths(2 * middle)}
	at := map[int][2]float64{}
	for k, i := range group {
		angle := 2*math.Pi*float64(k)/count - math.Pi/2
		x, y := middle+large*math.Cos(angle), middle+large*math.Sin(angle)
		at[i] = [2]float64{x, y}
		node := graphNode{Row: rows[i], Number: k + 1, X: tenths(x), Y: tenths(y), R: tenths(radius), Below: tenths(y + 4)}
		if radius >= labelNode {
			node.Label = fmt.Sprint(k + 1)
		}
		g.Nodes = append(g.Nodes, node)
	}
	for _, p := range pairs {
		a, known := at[p.A]
		b, both := at[p.B]
		if !known || !both {
			continue
		}
		share := max(p.PercentA, p.PercentB)
		g.Edges = append(g.Edges, graphEdge{X1: tenths(a[0]), Y1: tenths(a[1]), X2: tenths(b[0]), Y2: tenths(b[1]),
			Width: tenths(0.6 + 5.4*share/100), A: rows[p.A].Name, B: rows[p.B].Name, Share: share})
	}
	slices.SortStableFunc(g.Edges, func(a, b graphEdge) int { return cmp.Compare(b.Share, a.Share) })
	g.Edges = g.Edges[:min(len(g.Edges), mostEdges)]
	slices.Reverse(g.Edges) // the widest on top
	return g
}

func tenths(v float64) string { return fmt.Sprintf("%.1f", v) }
