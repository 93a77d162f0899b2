package search

import (
	"cmp"
	"slices"
)

// gradeOrder ranks the grades, the surest first.
var gradeOrder = map[string]int{Verbatim: 0, Edited: 1, Reworded: 2}

// count gives each word of the suspect to the best passage that covers it, the
// surest grade first, then the one with more matched words, then the one of
// the source that shares more: that is the view of the best sources. It sets
// Passage.Counted and Source.Counted and the words of each grade.
func (c *check) count(list []found) {
	best := make([]int, len(list))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int {
		p, q := &list[a], &list[b]
		return cmp.Or(
			cmp.Compare(gradeOrder[p.Grade], gradeOrder[q.Grade]),
			cmp.Compare(q.Matched, p.Matched),
			cmp.Compare(p.Source, q.Source),
			cmp.Compare(p.from, q.from))
	})
	free := newFree(len(c.suspect.words))
	grades := map[string]int{}
	for _, i := range best {
		p := &list[i]
		p.Counted = free.take(p.from, p.to)
		c.result.Sources[p.Source].Counted += p.Counted
		grades[p.Grade] += p.Counted
	}
	c.result.Score.Grades = grades
}

// score sums up the words that passages cover.
func (c *check) score() {
	s := &c.result.Score
	s.Words = len(c.suspect.words)
	for _, words := range s.Grades {
		s.Covered += words
	}
	s.Percent = percent(s.Covered, s.Words)
}

// A free list knows which words nothing has taken yet: next[i] leads to the
// first free word from i on (a union-find with path compression).
type free struct{ next []int32 }

func newFree(words int) *free {
	f := &free{make([]int32, words+1)}
	for i := range f.next {
		f.next[i] = int32(i)
	}
	return f
}

func (f *free) find(i int32) int32 {
	for f.next[i] != i {
		f.next[i] = f.next[f.next[i]]
		i = f.next[i]
	}
	return i
}

// take takes the free words of [from, to) and returns how many there were.
func (f *free) take(from, to int) int {
	taken := 0
	for i := f.find(int32(from)); i < int32(to); i = f.find(i) {
		f.next[i] = i + 1
		taken++
	}
	return taken
}
