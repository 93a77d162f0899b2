package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otisk/otisk/bench/plagdet"
)

// groupSize is the number of suspects of each kind in Neuromancer's table.
const groupSize = 10

// A group has pairs of one kind with different suspects.
type group struct {
	name  string
	pairs []plagdet.Pair
	clean bool // no pair has a true passage
}

// groups selects the suspects of Neuromancer's table: those with the largest unchanged
// copies, those with the smallest, and the first ones without any.
func (c *corpus) groups() []group {
	var copied, clean []plagdet.Pair
	size := map[plagdet.Pair]int{}
	for _, part := range c.parts {
		for _, p := range part.pairs {
			for _, truth := range part.truth[p] {
				size[p] = max(size[p], truth.Suspect.End-truth.Suspect.Start)
			}
			switch {
			case strings.Contains(part.name, "no-obfuscation") && size[p] > 0:
				copied = append(copied, p)
			case strings.Contains(part.name, "no-plagiarism"):
				clean = append(clean, p)
			}
		}
	}
	bySize := func(sign int) []plagdet.Pair {
		list := slices.Clone(copied)
		slices.SortStableFunc(list, func(a, b plagdet.Pair) int { return sign * cmp.Compare(size[a], size[b]) })
		return firstSuspects(list)
	}
	return []group{
		{name: "large copies", pairs: bySize(-1)},
		{name: "small copies", pairs: bySize(1)},
		{name: "none", pairs: firstSuspects(clean), clean: true},
	}
}

// firstSuspects returns the first pairs with different suspects.
func firstSuspects(list []plagdet.Pair) []plagdet.Pair {
	var out []plagdet.Pair
	for _, p := range list {
		if len(out) < groupSize && !slices.ContainsFunc(out, func(o plagdet.Pair) bool { return o.Suspect == p.Suspect }) {
			out = append(out, p)
		}
	}
	return out
}
