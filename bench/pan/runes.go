package main

import "unicode/utf8"

// runeStep is the minimum distance in bytes between offsets with a stored count of code
// points.
const runeStep = 1 << 10

// runePlaces converts byte offsets of a text to code points.
type runePlaces struct {
	text   string
	starts []int // offsets of some code points, the first after each runeStep bytes
	counts []int // number of code points before each of them
}

func newRunePlaces(text string) runePlaces {
	p := runePlaces{text: text, starts: []int{0}, counts: []int{0}}
	n := 0
	for i := range text {
		if i >= len(p.starts)*runeStep {
			p.starts, p.counts = append(p.starts, i), append(p.counts, n)
		}
		n++
	}
	return p
}

// at returns how many code points begin before the byte offset.
func (p *runePlaces) at(offset int) int {
	k := min(offset/runeStep, len(p.starts)-1)
	for p.starts[k] > offset {
		k--
	}
	return p.counts[k] + utf8.RuneCountInString(p.text[p.starts[k]:offset])
}
