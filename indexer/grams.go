package indexer

import (
	"slices"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

const (
	// keptGrams is how many n-grams of a size are kept from the first pass
	// over a document (8 MB of them); a longer one is gone over again.
	keptGrams = 1 << 20
	// bytesPerGram is how much text there is for each n-gram, in most
	// languages at least.
	bytesPerGram = 5
	// blockGrams is how many n-grams are handed on at once.
	blockGrams = 4096
)

// grams are the n-grams of one document, of several sizes.
type grams struct {
	norm       *normalize.Normalizer
	text       string
	mode       normalize.Mode
	words      int64
	paragraphs int64
	sizes      []*sizeGrams
}

type sizeGrams struct {
	n     int
	count int64
	kept  []store.Hash // all of them, if count <= keptGrams
}

// newGrams goes over the text once, counting.
func newGrams(norm *normalize.Normalizer, text string, mode normalize.Mode, sizes []int) *grams {
	g := &grams{norm: norm, text: text, mode: mode}
	var rollers []*fingerprint.Roller
	for _, n := range sizes {
		expected := min(keptGrams, len(text)/bytesPerGram)
		g.sizes = append(g.sizes, &sizeGrams{n: n, kept: make([]store.Hash, 0, expected)})
		rollers = append(rollers, fingerprint.NewRoller(n))
	}
	last := -1
	for s := norm.Scan(text, mode); s.Next(); {
		g.words++
		for i, size := range g.sizes {
			if s.Paragraph() != last {
				rollers[i].Break()
			}
			if h, ok := rollers[i].Add(s.Word()); ok {
				size.add(h)
			}
		}
		last = s.Paragraph()
	}
	g.paragraphs = int64(last + 1)
	return g
}

func (s *sizeGrams) add(h store.Hash) {
	s.count++
	switch {
	case s.count <= keptGrams:
		s.kept = append(s.kept, h)
	case s.kept != nil:
		s.kept = nil
	}
}

// count returns the n-grams of n words.
func (g *grams) count(n int) int64 {
	i := slices.IndexFunc(g.sizes, func(s *sizeGrams) bool { return s.n == n })
	return g.sizes[i].count
}

// total returns the n-grams of all sizes.
func (g *grams) total() int64 {
	var sum int64
	for _, s := range g.sizes {
		sum += s.count
	}
	return sum
}

// all returns the n-grams as a store takes them.
func (g *grams) all() []store.Grams {
	var list []store.Grams
	for _, s := range g.sizes {
		list = append(list, store.Grams{N: s.n, Hashes: func(yield func([]store.Hash) bool) { g.hashes(s, yield) }})
	}
	return list
}

// hashes yields the n-grams of one size in order.
func (g *grams) hashes(s *sizeGrams, yield func([]store.Hash) bool) {
	if s.count <= keptGrams {
		if len(s.kept) > 0 {
			yield(s.kept)
		}
		return
	}
	roller, last := fingerprint.NewRoller(s.n), 0
	block := make([]store.Hash, 0, blockGrams)
	for w := g.norm.Scan(g.text, g.mode); w.Next(); last = w.Paragraph() {
		if w.Paragraph() != last {
			roller.Break()
		}
		h, ok := roller.Add(w.Word())
		if !ok {
			continue
		}
		if block = append(block, h); len(block) == cap(block) {
			if !yield(block) {
				return
			}
			block = block[:0]
		}
	}
	if len(block) > 0 {
		yield(block)
	}
}
