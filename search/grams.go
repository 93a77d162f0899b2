package search

import (
	"sort"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Grams are the n-grams of a suspect of one size, by position: the keys that
// one look-up asks the index for.
type grams struct {
	n    int // words of each
	list []gram
}

// A gram is one n-gram of the suspect.
type gram struct {
	hash      store.Hash
	word      int32 // its first word
	paragraph int32
}

// gramsOf returns the n-grams of n words.
func gramsOf(paragraphs []normalize.Paragraph, n int) grams {
	g := grams{n: n}
	roller := fingerprint.NewRoller(n)
	words := 0
	for i, p := range paragraphs {
		roller.Break()
		for _, w := range p.Words {
			words++
			if h, ok := roller.Add([]byte(w.Text)); ok {
				g.list = append(g.list, gram{h, int32(words - n), int32(i)})
			}
		}
	}
	return g
}

// of returns the n-grams of a paragraph as a range of the list.
func (g grams) of(paragraph int) (from, to int) {
	at := func(p int) int {
		return sort.Search(len(g.list), func(i int) bool { return int(g.list[i].paragraph) >= p })
	}
	return at(paragraph), at(paragraph + 1)
}

// in returns the range of n-grams that lie in the words [from, to).
func (g grams) in(from, to int) (first, end int32) {
	at := func(word int) int32 {
		return int32(sort.Search(len(g.list), func(i int) bool { return int(g.list[i].word) >= word }))
	}
	return at(from), at(to - g.n + 1)
}

// runWords returns the words of a run of k n-grams.
func (g grams) runWords(k int32) int {
	if k == 0 {
		return 0
	}
	return int(k) + g.n - 1
}
