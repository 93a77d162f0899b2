package search

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"

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
	nearWords   = store.NearWords
	nearBlocks  = store.NearBlocks
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
	// lowest is the largest reduction of the least score for small sizes. A suspect of less than
	// fewWords words may have it twice as much for each time that it is e times shorter: few of its
	// pairs survive rewording, and few documents are compared with it.
	lowest   = -4
	fewWords = 400
)

// ruleFor returns the rule for a suspect and a collection of these sizes in words. The number of
// chance meetings is proportional to the number of compared places, and a score is the logarithm of
// its improbability: so with fewer places, a lower score is as significant, and in a larger collection
// only a higher one. A suspect of 200 words has few pairs that survive rewording, and one that hardly any
// other document has is enough. A suspect longer than
// usual needs no higher score, since more documents may be named for it ([mostFaint]).
func ruleFor(suspect int, collection float64) pairRule {
	larger := math.Log(collection / leastWords)
	if collection >= manyWords {
		return pairRule{max(20, 14+larger), 3}
	}
	places := larger + math.Log(float64(suspect)/usualWords)
	least := lowest - 2*max(0, math.Log(fewWords/float64(suspect)))
	rule := pairRule{14 + min(max(places, least), max(larger, 0)), 2}
	if suspect < fewWords {
		rule.pairs = 1
	}
	return rule
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

// stretches divides sites into stretches of this many words, each extended by the sites near it.
func stretches(sites []store.PairSite, words int32) iter.Seq[[]store.PairSite] {
	place := func(word int32) int {
		i, _ := slices.BinarySearchFunc(sites, word, func(s store.PairSite, word int32) int { return cmp.Compare(s.Word, word) })
		return i
	}
	return func(yield func([]store.PairSite) bool) {
		for from := int32(0); place(from) < len(sites); from += words {
			if some := sites[place(from-nearWords):place(from+words+nearWords)]; len(some) > 0 && !yield(some) {
				return
			}
		}
	}
}

// Pairings are the documents that the pairs of a suspect name.
type pairings struct {
	finder   store.PairFinder
	sizes    []int // sites in each stretch
	found    map[store.DocID]evidence
	examined map[store.DocID]bool // found has all sites of these documents
}

// byPairs returns the documents that pairs of words name, with their evidence. found returns the
// answers of n-grams: their documents that will be aligned need less evidence. It may be nil.
func (s *Searcher) byPairs(ctx context.Context, sus *suspect, found func(context.Context) (answers, error)) (*pairings, error) {
	p := &pairings{found: map[store.DocID]evidence{}, examined: map[store.DocID]bool{}}
	if s.pairs == 0 || s.opts.Exact {
		return p, nil
	}
	words := max(wordsPerPair*float64(s.pairs), leastWords)
	q := store.PairQuery{
		Stretches: slices.Collect(stretches(sus.withoutCopies(sus.pairs().sites), pairStretch)),
		Docs:      int(max(leastCap, words/wordsPerCap)),
		Weight:    func(documents int) float64 { return math.Log(words / (wordsPerDocument * float64(documents))) },
		Least:     ruleFor(sus.different(), wordsPerPair*float64(s.pairs)).score,
	}
	for _, sites := range q.Stretches {
		p.sizes = append(p.sizes, len(sites))
	}
	if found != nil {
		q.Lower = func(ctx context.Context) (map[store.DocID]float64, error) {
			list, err := found(ctx)
			if err != nil {
				return nil, err
			}
			return s.lower(ctx, p, list)
		}
	}
	var err error
	if p.finder, err = s.reader.NearPairs(ctx, q); err != nil {
		return nil, err
	}
	return p, s.collect(ctx, p)
}

// collect sets the evidence of the hits in each stretch.
func (s *Searcher) collect(ctx context.Context, p *pairings) error {
	found := make([]map[store.DocID]evidence, len(p.sizes))
	err := s.inSlots(ctx, func(ctx context.Context, start func(func() error) error) error {
		for i, sites := range p.sizes {
			err := start(func() error {
				hits, err := p.finder.Near(ctx, i)
				found[i] = s.evidenceOf(hits, sites)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	p.join(found)
	return err
}

// lower returns the least scores of sites of the documents that n-grams name and that are to be
// aligned, and notes that these documents need not be examined again.
func (s *Searcher) lower(ctx context.Context, p *pairings, found answers) (map[store.DocID]float64, error) {
	best, _ := found.toAlign(s.bounds.aligned)
	ids := make([]store.DocID, 0, len(best))
	for t := range best {
		ids = append(ids, t.doc)
	}
	slices.Sort(ids)
	least := map[store.DocID]float64{}
	err := s.reader.Entries(ctx, ids, func(d store.Document) error {
		least[d.ID] = float64(rareSite(found[0].suspect.different(), int(d.Words)))
		p.examined[d.ID] = true
		return nil
	})
	return least, err
}

// join adds the evidence of each stretch to that of its documents.
func (p *pairings) join(found []map[store.DocID]evidence) {
	for _, some := range found {
		for doc, e := range some {
			best := p.found[doc]
			sites := append(best.sites, e.sites...)
			if e.score > best.score {
				best = e
			}
			best.sites = sites
			p.found[doc] = best
		}
	}
}

// evidenceOf returns the evidence of the hits in a stretch of this number of sites, by document.
func (s *Searcher) evidenceOf(hits map[store.DocID][]store.PairHit, sites int) map[store.DocID]evidence {
	found := map[store.DocID]evidence{}
	seen := make([]int32, sites+1)
	turn := int32(0)
	for doc, list := range hits {
		if s.skipped(doc) {
			continue
		}
		if e := densest(list, seen, &turn); len(e.sites) > 0 {
			found[doc] = e
		}
	}
	return found
}

// lacks reports whether p may lack sites of a candidate that is to be aligned.
func (p *pairings) lacks(c *candidate) bool {
	return c.align && p.finder != nil && !p.finder.Complete() && !p.examined[c.doc]
}

// place sets the sites of a candidate that is to be aligned.
func (p *pairings) place(c *candidate) {
	if c.align {
		c.sites = c.in.suspect.atCopies(p.found[c.doc].sites)
	}
}

// locate looks for the sites of sources that p lacks, and sets them.
func (s *Searcher) locate(ctx context.Context, p *pairings, list []*source) error {
	least := map[store.DocID]float64{}
	for _, src := range list {
		least[src.doc] = float64(rareSite(src.in.suspect.different(), int(src.entry.Words)))
	}
	hits, err := p.finder.Around(ctx, least)
	if err != nil {
		return err
	}
	p.replace(s, least, hits)
	for _, src := range list {
		p.place(&src.candidate)
	}
	return nil
}

// replace replaces the evidence of the documents of least by that of hits, which is complete for them.
func (p *pairings) replace(s *Searcher, least map[store.DocID]float64, hits []map[store.DocID][]store.PairHit) {
	for doc := range least {
		delete(p.found, doc)
		p.examined[doc] = true
	}
	found := make([]map[store.DocID]evidence, len(hits))
	for i := range hits {
		found[i] = s.evidenceOf(hits[i], p.sizes[i])
	}
	p.join(found)
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

// densest returns the evidence around the hit with the highest score near it, where each different
// pair counts once. seen has the last turn in which each pair was counted; turn is the last one used.
func densest(hits []store.PairHit, seen []int32, turn *int32) evidence {
	sortHits(hits)
	var best evidence
	lo, hi := 0, 0
	for _, at := range hits {
		for hits[lo].Word < at.Word-nearWords {
			lo++
		}
		for hi < len(hits) && hits[hi].Word <= at.Word+nearWords {
			hi++
		}
		var e evidence
		*turn++
		for _, h := range hits[lo:hi] {
			if h.Block < at.Block-nearBlocks || h.Block > at.Block+nearBlocks || seen[h.Pair] == *turn {
				continue
			}
			seen[h.Pair] = *turn
			e.pairs++
			e.score += h.Value
		}
		if e.score >= leastSite {
			best.sites = append(best.sites, site{at.Word, at.Block, float32(e.score)})
		}
		if e.score > best.score {
			best.pairs, best.score = e.pairs, e.score
		}
	}
	return best
}

// sortHits sorts hits by word, block and pair.
func sortHits(hits []store.PairHit) {
	packed, ok := packedHits(hits)
	if !ok {
		slices.SortFunc(hits, func(a, b store.PairHit) int {
			return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Pair, b.Pair))
		})
		return
	}
	slices.Sort(packed)
	unsorted := slices.Clone(hits)
	for i, p := range packed {
		hits[i] = unsorted[p&(1<<hitBits-1)]
	}
}

// hitBits is how many bits of a packed hit are its index, and how many are its block.
const hitBits = 20

// packedHits returns the word, block and index of each hit in one number, which are sorted in a fraction of the time. ok is false
// unless the hits are by ascending pair and their numbers fit.
func packedHits(hits []store.PairHit) (packed []uint64, ok bool) {
	packed = make([]uint64, len(hits))
	for i, h := range hits {
		if i > 0 && h.Pair < hits[i-1].Pair || min(h.Word, h.Block) < 0 || h.Word >= 1<<(64-2*hitBits) || h.Block >= 1<<hitBits || i >= 1<<hitBits {
			return nil, false
		}
		packed[i] = uint64(h.Word)<<(2*hitBits) | uint64(h.Block)<<hitBits | uint64(i)
	}
	return packed, true
}
