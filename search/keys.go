package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// A document that a suspect may be translated from shares no words with it. It is found by keys
// in its own language: a suspect is looked up by the keys that its words have in translation.
// Several of them must be near each other in both texts. docs/HINTS.md has the figures.
const (
	// keyBlock is how many keys of a document share a position in evidence: those of some 35 words.
	keyBlock = 32
	// keyStretch is how many words of the suspect one processor looks up at a time.
	keyStretch = 1024
	// leastKeyCap and keyCapShare limit the number of documents with a key; a more frequent key names
	// none of them. With three or ten times as many documents, the source of a passage was found no more
	// often, in up to twice the time.
	leastKeyCap = 30
	keyCapShare = 1000
	// leastByKeys limits how many documents keys may name for a short suspect; for a longer one, the
	// limit grows with its length.
	leastByKeys   = 10
	wordsPerKeyed = 500
	mostByKeys    = 200
	// leastKeyed is the least evidence for a document.
	leastKeyed      = 20
	leastKeyedPairs = 5
)

// A keyed is the result of a look-up of keys: the documents that have them.
type keyed struct {
	docs  map[store.DocID]float64 // with their scores
	left  int                     // documents above the limit
	words int                     // words of the suspect that were not looked up

	unserved []string // languages of the index that no dictionary translates the suspect into
}

// keyReader looks up keys as if they were pairs, with blocks as positions.
type keyReader struct{ store.Index }

// LookupPairs looks up keys.
func (r keyReader) LookupPairs(ctx context.Context, keys []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return r.Lookup(ctx, store.TranslationKeys, keys, limits, func(h store.Hit) error {
		for i := range h.Postings {
			h.Postings[i].Pos /= keyBlock
		}
		return fn(h)
	})
}

// keyLanguages returns the languages of the documents that are indexed by keys.
func keyLanguages(ctx context.Context, reader store.Lookups) (codes []string, err error) {
	signs := map[store.Hash]string{}
	var hashes []store.Hash
	for _, code := range language.Codes() {
		sign := language.Of(code).Sign()
		signs[sign] = code
		hashes = append(hashes, sign)
	}
	slices.Sort(hashes)
	err = reader.Lookup(ctx, store.TranslationKeys, hashes, store.Limits{Docs: 1}, func(h store.Hit) error {
		codes = append(codes, signs[h.Hash])
		return nil
	})
	slices.Sort(codes)
	return codes, err
}

// byKeys returns the documents that the suspect may be translated from.
func (s *Searcher) byKeys(ctx context.Context, sus *suspect) (keyed, error) {
	out := keyed{docs: map[store.DocID]float64{}}
	if s.opts.Exact || s.opts.AlignAll {
		return out, nil
	}
	budget := s.bounds.keys
	for _, code := range s.keyLanguages {
		for _, h := range sus.hinters() {
			n, ok := h.Search.(hint.Namer)
			if !ok {
				continue
			}
			keys, err := n.Keys(ctx, code)
			if errors.Is(err, hint.ErrNoLexicon) {
				out.unserved = append(out.unserved, code)
				continue
			}
			if err != nil {
				return out, err
			}
			if len(keys) > budget {
				out.words = max(out.words, len(sus.words)-keys[budget].Word)
				keys = keys[:budget]
			}
			budget -= len(keys)
			if err := s.lookUpKeys(ctx, keys, out.docs); err != nil {
				return out, err
			}
		}
	}
	ranked := out.limit(mostKeyed(sus.different()))
	if w := s.opts.Work; w != nil && w.Keyed != nil {
		w.Keyed(ranked)
	}
	return out, nil
}

// mostKeyed returns how many documents keys may name for a suspect of this many words.
func mostKeyed(words int) int { return min(max(leastByKeys, words/wordsPerKeyed), mostByKeys) }

// lookUpKeys adds the documents that keys name to docs.
func (s *Searcher) lookUpKeys(ctx context.Context, keys []hint.Key, docs map[store.DocID]float64) error {
	sites := lists.Map(keys, func(k hint.Key) store.PairSite { return store.PairSite{Pair: k.Hash, Word: int32(k.Word)} })
	words := max(float64(s.keys.Grams), leastWords)
	q := store.PairQuery{
		Stretches: slices.Collect(stretches(sites, keyStretch)),
		Docs:      int(max(leastKeyCap, s.keys.Documents/keyCapShare)),
		Weight:    func(documents int) float64 { return math.Log(words / (wordsPerDocument * float64(documents))) },
	}
	finder := store.PairsOf(keyReader{s.reader}, q)
	found := make([]map[store.DocID]evidence, len(q.Stretches))
	err := s.inSlots(ctx, func(ctx context.Context, start func(func() error) error) error {
		for i := range q.Stretches {
			err := start(func() error {
				hits, err := finder.Near(ctx, i)
				maps.DeleteFunc(hits, func(_ store.DocID, list []store.PairHit) bool { return !mayReach(list, leastKeyed) })
				found[i] = s.evidenceOf(hits, len(q.Stretches[i]))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, some := range found {
		for doc, e := range some {
			if e.score >= leastKeyed && e.pairs >= leastKeyedPairs {
				docs[doc] = max(docs[doc], e.score)
			}
		}
	}
	return err
}

// mayReach reports whether the hits of a document may have a score at a place: false is certain. The places of hits are divided into
// cells as large as the surroundings of a hit, which are in four cells at most. It is much faster than [densest].
func mayReach(hits []store.PairHit, score float64) bool {
	const width, height, cells = 2*nearWords + 1, 2*nearBlocks + 1, 256
	if len(hits) < leastKeyedPairs {
		return false
	}
	all := 1e-9 // sums in another order differ
	for _, h := range hits {
		all += h.Value
	}
	if all < score {
		return false
	}
	var sums [cells]float64 // of cells with the same hash, too
	cell := func(word, block int32) uint32 { return uint32(word*37+block) % cells }
	for _, h := range hits {
		sums[cell(h.Word/width, h.Block/height)] += h.Value
	}
	for _, h := range hits {
		x, y := h.Word/width, h.Block/height
		x2, y2 := x+int32(cmp.Compare(h.Word%width, nearWords)), y+int32(cmp.Compare(h.Block%height, nearBlocks))
		sum := sums[cell(x, y)] + 1e-9
		if x2 != x {
			sum += sums[cell(x2, y)]
		}
		if y2 != y {
			sum += sums[cell(x, y2)]
		}
		if x2 != x && y2 != y {
			sum += sums[cell(x2, y2)]
		}
		if sum >= score {
			return true
		}
	}
	return false
}

// limit keeps the most documents with the highest scores, and returns all of them, the best first.
func (k *keyed) limit(most int) []store.DocID {
	ranked := slices.SortedFunc(maps.Keys(k.docs), func(a, b store.DocID) int {
		return cmp.Or(cmp.Compare(k.docs[b], k.docs[a]), cmp.Compare(a, b))
	})
	for _, doc := range ranked[min(most, len(ranked)):] {
		delete(k.docs, doc)
		k.left++
	}
	return ranked
}
