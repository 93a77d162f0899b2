package document

import (
	"math"
	"strings"
	"unicode"

	"otisk/document/pdf"
)

// headZone is the share of a page, at its top and its bottom, where running
// heads and footers stand; headRepeat is on how many pages a line must be the
// same there.
const (
	headZone   = 0.14
	headRepeat = 3
)

// A headKey says what a running head is known by: text and place.
type headKey struct {
	text string
	y    int
}

// runningHeads returns which lines of each page are running heads, footers or
// page numbers: lines at the edge of the page that others have at the same
// height, but for their numbers.
func runningHeads(pages []pdf.Page) [][]bool {
	count := map[headKey]int{}
	for _, p := range pages {
		for _, l := range p.Lines {
			if atEdge(p, l) {
				count[keyOf(l, 0)]++
			}
		}
	}
	heads := make([][]bool, len(pages))
	for i, p := range pages {
		heads[i] = make([]bool, len(p.Lines))
		for j, l := range p.Lines {
			// The heights of two pages may be rounded to two sides.
			n := count[keyOf(l, 0)] + count[keyOf(l, -1)] + count[keyOf(l, 1)]
			heads[i][j] = atEdge(p, l) && n >= headRepeat
		}
	}
	return heads
}

func atEdge(p pdf.Page, l pdf.Line) bool {
	return p.Height > 0 && (l.Base > p.Height*(1-headZone) || l.Base < p.Height*headZone)
}

// keyOf returns what l is known by, shifted by some steps of height. Numbers
// are all the same, and so are Roman ones that stand alone.
func keyOf(l pdf.Line, shift int) headKey {
	words := strings.FieldsFunc(strings.ToLower(l.Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if strings.Trim(w, "0123456789") == "" || len(words) == 1 && strings.Trim(w, "ivxlc") == "" {
			words[i] = "#"
		}
	}
	return headKey{strings.Join(words, " "), int(math.Round(l.Base/4)) + shift}
}
