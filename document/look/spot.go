package look

import (
	"strconv"
	"strings"
)

// A Spot is a position that a style sheet states for an element among its siblings. The zero value means that
// none is stated.
type Spot struct {
	stated      bool
	row, column float64
}

// At returns the spot with a number in one row.
func At(n int) Spot { return Spot{stated: true, column: float64(n)} }

// Before reports whether s is displayed before o, in its row or in a row above.
func (s Spot) Before(o Spot) bool {
	return s.row < o.row || s.row == o.row && s.column < o.column
}

// spot applies properties about the position among the siblings.
func (e *Element) spot(set map[string]string) {
	number := func(names ...string) float64 {
		for _, name := range names {
			first, _, _ := strings.Cut(set[name], "/")
			if n, err := strconv.ParseFloat(strings.TrimSpace(first), 64); err == nil {
				e.Spot.stated = true
				return n
			}
		}
		return 0
	}
	e.Spot.row = number("grid-row", "grid-row-start", "grid-area")
	e.Spot.column = number("order", "grid-column", "grid-column-start")
	if set["position"] == "absolute" {
		e.Spot.row, _ = Points(set["top"], DefaultSize)
		e.Spot.column, e.Spot.stated = Points(set["left"], DefaultSize)
	}
}
