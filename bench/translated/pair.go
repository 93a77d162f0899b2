package main

import (
	"math"
	"slices"
	"strings"
)

// Costs of [pair]: of a pair of paragraphs, of one alone, and of two that face one.
const (
	pairCost  = 0.1
	aloneCost = 5
	twoCost   = 2.5
	variance  = 6.8 // of the difference of the lengths, for each character
)

// pair pairs the paragraphs of a text with those of its translation, by their lengths alone
// (Gale and Church 1993). Paragraphs without a counterpart are left out.
func pair(english, other []string) []piece {
	ratio := float64(len(strings.Join(other, ""))) / float64(max(1, len(strings.Join(english, ""))))
	cost := func(a, b []string) float64 {
		x, y := float64(len(strings.Join(a, "")))*ratio, float64(len(strings.Join(b, "")))
		return (y - x) * (y - x) / (2 * variance * max(1, (x+y)/2))
	}
	moves := []struct {
		a, b int
		cost float64
	}{{1, 1, pairCost}, {1, 0, aloneCost}, {0, 1, aloneCost}, {2, 1, twoCost}, {1, 2, twoCost}}
	n, m := len(english), len(other)
	best := make([][]float64, n+1)
	move := make([][]int, n+1)
	for i := range best {
		best[i], move[i] = slices.Repeat([]float64{math.Inf(1)}, m+1), make([]int, m+1)
	}
	best[0][0] = 0
	for i := range n + 1 {
		for j := range m + 1 {
			for k, v := range moves {
				if math.IsInf(best[i][j], 1) || i+v.a > n || j+v.b > m {
					continue
				}
				c := best[i][j] + v.cost
				if v.a > 0 && v.b > 0 {
					c += cost(english[i:i+v.a], other[j:j+v.b])
				}
				if c < best[i+v.a][j+v.b] {
					best[i+v.a][j+v.b], move[i+v.a][j+v.b] = c, k
				}
			}
		}
	}
	var pieces []piece
	for i, j := n, m; i > 0 || j > 0; {
		v := moves[move[i][j]]
		if v.a > 0 && v.b > 0 {
			pieces = append(pieces, piece{strings.Join(english[i-v.a:i], " "), strings.Join(other[j-v.b:j], " ")})
		}
		i, j = i-v.a, j-v.b
	}
	slices.Reverse(pieces)
	return pieces
}
