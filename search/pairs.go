package search

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/store"
)

// A document that shares no n-gram with the suspect may still be the source of a reworded copy. It is
// found by pairs of neighbouring words: several of them near each other in both texts, in any
// order. The thresholds were measured on the training corpus of PAN 2013; docs/PERFORMANCE.md has
// the figures.
const (
	// wordsPerPair is the ratio of words to pairs in a text: 2.18 in English web pages, 1.98 in Czech
	// novels.
	wordsPerPair = 2.1
	// leastWords is the least size of a collection in words for computing weights: in few texts,
	// frequencies are unknown.
	leastWords = 2_300_000
	// wordsPerDocument is the assumed length of a document when the weight of a pair is computed from
	// the number of documents that have it.
	wordsPerDocument = 700
	// leastCap and wordsPerCap limit the number of documents with a pair; a more frequent pair names
	// none of them.
	leastCap    = 100
	wordsPerCap = 2_400_000
	// pairPlaces is how many places of a pair are used in each text.
	pairPlaces = 4
	// nearWords and nearBlocks are the largest distances of hits that count together: in words of the
	// suspect, and in blocks of pairs of the source.
	nearWords  = 50
	nearBlocks = 2
	// leastByPairs limits how many documents pairs alone may name for a short suspect; for a longer one,
	// the limit grows with its length.
	leastByPairs  = 50
	wordsPerFaint = 28
	mostByPairs   = 10_000
	// pairStretch is how many words of the suspect one processor looks up at a time, which limits the
	// memory for hits to 200 MB for any text.
	pairStretch = 8192
)

// A pairRule has the thresholds at which pairs name a document.
type pairRule struct {
	score float64 // least sum of the weights of near pairs
	pairs int     // least number of them
}

// Parameters of the thresholds, which depend on the sizes of suspect and collection.
const (
	// manyWords is the size above which chance meetings become more frequent.
	manyWords = 100_000_000
	// usualWords is the length of the suspects with which the rule was measured.
	usualWords = 1400
	// lowest is the largest reduction of the least score for small sizes.
	lowest = -4
)

// ruleFor returns the rule for a suspect and a collection of these sizes in words. The number of
// chance meetings is proportional to the number of compared places, and a score is the logarithm of
// its improbability: so with fewer places, a lower score is as significant. A suspect of 200 words
// has few pairs that survive rewording.
func ruleFor(suspect int, collection float64) pairRule {
	if collection >= manyWords {
		return pairRule{20, 3}
	}
	fewer := math.Log(float64(suspect) * collection / (usualWords * leastWords))
	return pairRule{14 + min(max(fewer, lowest), 0), 2}
}

// Evidence is the evidence of pairs for a document.
type evidence struct {
	pairs int     // number of different pairs near each other in both texts
	score float64 // sum of their weights
	sites []site  // hits with enough other hits near them
}

// A site is a place where pairs match: a word of the suspect and a block of pairs of a document.
type site struct {
	word, block int32
	score       float32 // sum of the weights of hits near it
}

// A pairHit is a pair at one place of the suspect and one of a document.
type pairHit struct {
	word  int32 // of the suspect
	block int32 // of the document
	pair  int32 // number of the pair
	value float64
}

// pairSite is a place of a pair in the suspect.
type pairSite struct {
	pair store.Hash
	word int32
}

// pairSites returns the pairs of the suspect with their places in ascending order.
func (s *suspect) pairSites() []pairSite {
	var list []pairSite
	var p fingerprint.Pairer
	for i, w := range s.words {
		if h, ok := p.Add([]byte(w.Text)); ok {
			list = append(list, pairSite{h, int32(i)})
		}
	}
	return list
}

// stretches divides sites into stretches of this many words, each extended by the sites near it.
func stretches(sites []pairSite, words int32) iter.Seq[[]pairSite] {
	place := func(word int32) int {
		i, _ := slices.BinarySearchFunc(sites, word, func(s pairSite, word int32) int { return cmp.Compare(s.word, word) })
		return i
	}
	return func(yield func([]pairSite) bool) {
		for from := int32(0); place(from) < len(sites); from += words {
			if some := sites[place(from-nearWords):place(from+words+nearWords)]; len(some) > 0 && !yield(some) {
				return
			}
		}
	}
}

// byPairs returns the documents that pairs of words name, with their evidence.
func (s *Searcher) byPairs(ctx context.Context, sus *suspect) (map[store.DocID]evidence, error) {
	named := map[store.DocID]evidence{}
	if s.pairs == 0 || s.opts.Exact {
		return named, nil
	}
	words := max(wordsPerPair*float64(s.pairs), leastWords)
	list := slices.Collect(stretches(sus.withoutCopies(sus.pairSites()), pairStretch))
	found := make([]map[store.DocID]evidence, len(list))
	err := s.inSlots(ctx, func(ctx context.Context, start func(func() error) error) error {
		for i, sites := range list {
			err := start(func() (err error) { found[i], err = s.evidenceOf(ctx, sites, words); return err })
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, some := range found {
		for doc, e := range some {
			best := named[doc]
			sites := append(best.sites, e.sites...)
			if e.score > best.score {
				best = e
			}
			best.sites = sites
			named[doc] = best
		}
	}
	return named, err
}

// evidenceOf returns the evidence of the pairs in a stretch of the suspect by document. words is the
// size of the collection.
func (s *Searcher) evidenceOf(ctx context.Context, stretch []pairSite, words float64) (map[store.DocID]evidence, error) {
	hits, err := s.pairHits(ctx, stretch, words)
	if err != nil {
		return nil, err
	}
	found := map[store.DocID]evidence{}
	seen := make([]int32, len(stretch)+1)
	turn := int32(0)
	for doc, list := range hits {
		if e := densest(list, seen, &turn); len(e.sites) > 0 {
			found[doc] = e
		}
	}
	return found, nil
}

// convincing returns the documents whose evidence reaches the thresholds for a suspect of this many
// words.
func (s *Searcher) convincing(near map[store.DocID]evidence, words int) map[store.DocID]evidence {
	rule := ruleFor(words, wordsPerPair*float64(s.pairs))
	named := map[store.DocID]evidence{}
	for doc, e := range near {
		if e.pairs >= rule.pairs && e.score >= rule.score {
			named[doc] = e
		}
	}
	return named
}

// mostFaint returns how many documents pairs alone may name for a suspect of this many words.
func mostFaint(words int) int { return min(max(leastByPairs, words/wordsPerFaint), mostByPairs) }

// brake limits the documents that pairs name. Those that n-grams also name are limited separately, so
// that exact copies do not displace reworded ones. left is the number of documents above the limit
// that only pairs name.
func (a answers) brake(paired map[store.DocID]evidence, most int) (kept map[store.DocID]evidence, left int) {
	best := slices.SortedFunc(maps.Keys(paired), func(a, b store.DocID) int {
		return cmp.Or(cmp.Compare(paired[b].score, paired[a].score), cmp.Compare(a, b))
	})
	kept = map[store.DocID]evidence{}
	alone := 0
	for i, doc := range best {
		if !slices.ContainsFunc(a, func(s *shared) bool { return s.tallies[doc] != nil }) {
			alone++
			if alone > most {
				left++
				continue
			}
		} else if i >= most {
			continue
		}
		kept[doc] = paired[doc]
	}
	return kept, left
}

// pairHits looks up a stretch of the suspect and returns the hits of its pairs by document. words is
// the size of the collection.
func (s *Searcher) pairHits(ctx context.Context, stretch []pairSite, words float64) (map[store.DocID][]pairHit, error) {
	sites := slices.SortedFunc(slices.Values(stretch), func(a, b pairSite) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.word, b.word))
	})
	var pairs []store.Hash
	for _, site := range sites {
		pairs = append(pairs, site.pair)
	}
	limits := store.Limits{Docs: int(max(leastCap, words/wordsPerCap)), Positions: pairPlaces}
	hits := map[store.DocID][]pairHit{}
	number := int32(0)
	err := s.reader.LookupPairs(ctx, slices.Compact(pairs), limits, func(h store.Hit) error {
		for sites[0].pair < h.Hash {
			sites = sites[1:]
		}
		number++
		value := math.Log(words / (wordsPerDocument * float64(store.CountDocuments(h.Postings))))
		for _, p := range h.Postings {
			if s.skipped(p.Doc) {
				continue
			}
			for k := 0; k < min(len(sites), pairPlaces) && sites[k].pair == h.Hash; k++ {
				hits[p.Doc] = append(hits[p.Doc], pairHit{sites[k].word, int32(p.Pos), number, value})
			}
		}
		return nil
	})
	return hits, err
}

// densest returns the evidence around the hit with the highest score near it, where each different
// pair counts once. seen has the last turn in which each pair was counted; turn is the last one used.
func densest(hits []pairHit, seen []int32, turn *int32) evidence {
	slices.SortFunc(hits, func(a, b pairHit) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.block, b.block), cmp.Compare(a.pair, b.pair))
	})
	var best evidence
	lo, hi := 0, 0
	for _, at := range hits {
		for hits[lo].word < at.word-nearWords {
			lo++
		}
		for hi < len(hits) && hits[hi].word <= at.word+nearWords {
			hi++
		}
		var e evidence
		*turn++
		for _, h := range hits[lo:hi] {
			if h.block < at.block-nearBlocks || h.block > at.block+nearBlocks || seen[h.pair] == *turn {
				continue
			}
			seen[h.pair] = *turn
			e.pairs++
			e.score += h.value
		}
		if e.score >= leastSite {
			best.sites = append(best.sites, site{at.word, at.block, float32(e.score)})
		}
		if e.score > best.score {
			best.pairs, best.score = e.pairs, e.score
		}
	}
	return best
}
