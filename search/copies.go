package search

import (
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// A suspect may repeat itself: it may contain an abstract or even the whole text twice. The
// passages found must not depend on that. Package align marks the words of copies: each has
// an origin, the position of the first copy. Weights and limits count the words of a stretch
// once, and passages found in one copy are searched for in the others.

// different returns the number of words of the suspect, copies of stretches not
// counted.
func (s *suspect) different() int { return s.prepared().Different() }

// copied reports whether a word is part of a stretch that the suspect has before.
func (s *suspect) copied(word int32) bool {
	origins := s.prepared().Repeats()
	return origins != nil && origins[word] != word
}

// copyPlaces returns the places of all words that have copies, by origin.
func (s *suspect) copyPlaces() map[int32][]int32 {
	places := map[int32][]int32{}
	origins := s.prepared().Repeats()
	for i, o := range origins {
		if int(o) != i {
			if places[o] == nil {
				places[o] = []int32{o}
			}
			places[o] = append(places[o], int32(i))
		}
	}
	return places
}

// withoutCopies returns the places of pairs, except those inside a copy of a stretch together with
// everything that counts with them: the first copy has the same evidence.
func (s *suspect) withoutCopies(sites []store.PairSite) []store.PairSite {
	origins := s.prepared().Repeats()
	if origins == nil {
		return sites
	}
	fresh := make([]int32, len(origins)+1) // number of preceding words that are not copies
	for i, o := range origins {
		fresh[i+1] = fresh[i]
		if int(o) == i {
			fresh[i+1]++
		}
	}
	return lists.Filter(sites, func(x store.PairSite) bool {
		return fresh[max(x.Word-nearWords, 0)] < fresh[min(x.Word+nearWords, int32(len(origins)))]
	})
}

// atCopies returns sites with those at the other copies of their words.
func (s *suspect) atCopies(sites []site) []site {
	origins := s.prepared().Repeats()
	if origins == nil {
		return sites
	}
	known := map[[2]int32]bool{}
	var list []site
	add := func(x site) {
		if at := [2]int32{x.word, x.block}; !known[at] {
			known[at] = true
			list = append(list, x)
		}
	}
	for _, x := range sites {
		add(x)
		for _, word := range s.copies()[origins[x.word]] {
			add(site{word, x.block, x.score})
		}
	}
	return list
}
