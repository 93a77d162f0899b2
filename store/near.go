package store

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Constants for the evidence of pairs of words for a document. An index may depend on them.
const (
	// NearWords and NearBlocks are the largest distances at which hits of pairs are near each
	// other: in words of the suspect, and in blocks of [PairBlock] pairs of the document.
	NearWords  = 50
	NearBlocks = 2
	// PairPlaces is how many places of a pair count: the first ones of each stretch of the
	// suspect, and the first ones of each document.
	PairPlaces = 4
)

// A PairSite is a place of a pair in a suspect.
type PairSite struct {
	Pair Hash
	Word int32 // the second word of the pair
}

// A PairHit is a pair at one place of a suspect and at one place of a document.
type PairHit struct {
	Word  int32   // of the suspect
	Block int32   // of the document
	Pair  int32   // number of the pair in its stretch: in ascending order of the hashes
	Value float64 // weight of the pair
}

// A PairQuery asks where documents have several pairs of a suspect near each other.
//
// The score of a hit is the sum of the weights of the different pairs near it, its own
// included. Two hits in one document are near each other if they are at most NearWords
// words and NearBlocks blocks apart.
type PairQuery struct {
	Stretches [][]PairSite                // by ascending word; hits of different stretches are not near each other
	Docs      int                         // a pair in more documents than this is common and has no hits; 0 for [CommonPairs]
	Weight    func(documents int) float64 // weight of a pair that this number of documents have: positive and decreasing
	Least     float64                     // the score that Near looks for

	// Lower, if not nil, returns documents with lower scores that Near looks for in them. A store that
	// knows all hits does not call it. Another one calls it once, while it waits for an answer or later.
	Lower func(ctx context.Context) (map[DocID]float64, error)
}

// A PairFinder answers a [PairQuery]. It is safe for concurrent use.
type PairFinder interface {
	// Near returns hits of one stretch by document. It has each hit that has at least the
	// score Least, or that of Lower, and all hits near it; it may have others.
	Near(ctx context.Context, stretch int) (map[DocID][]PairHit, error)

	// Complete reports whether Near returns every hit, so that Around adds nothing.
	Complete() bool

	// Around is Near for the documents of least, with a score for each of them in place of
	// Least, and for all stretches.
	Around(ctx context.Context, least map[DocID]float64) ([]map[DocID][]PairHit, error)

	// Documents returns the number of documents that have a pair of a stretch for which Near
	// returned hits; 0 if no document has the pair, or if it is common.
	Documents(pair Hash) int
}

type pairLooker interface {
	LookupPairs(ctx context.Context, pairs []Hash, limits Limits, fn func(Hit) error) error
}

// PairsOf implements NearPairs of [Lookups] for a reader without a server, by its LookupPairs. Its
// finder is complete.
func PairsOf(r pairLooker, q PairQuery) PairFinder {
	return &pairFinder{reader: r, query: q, counts: map[Hash]int32{}}
}

// A pairFinder looks up all pairs of a stretch.
type pairFinder struct {
	reader pairLooker
	query  PairQuery

	mu     sync.Mutex
	counts map[Hash]int32 // by pair: the documents that have it
}

func (*pairFinder) Complete() bool { return true }

func (f *pairFinder) Near(ctx context.Context, stretch int) (map[DocID][]PairHit, error) {
	sites := SortedSites(f.query.Stretches[stretch])
	list := hitLists.Get().(*hitList)
	defer list.release()
	number := int32(0)
	var counted []pairCount
	err := f.reader.LookupPairs(ctx, pairsOf(sites), Limits{Docs: f.query.Docs, Positions: PairPlaces}, func(h Hit) error {
		for sites[0].Pair < h.Hash {
			if len(sites) == 1 || sites[1].Pair != sites[0].Pair {
				number++
			}
			sites = sites[1:]
		}
		if h.Common {
			return nil
		}
		documents := CountDocuments(h.Postings)
		counted = append(counted, pairCount{h.Hash, int32(documents)})
		value := f.query.Weight(documents)
		for _, p := range h.Postings {
			for k := 0; k < min(len(sites), PairPlaces) && sites[k].Pair == h.Hash; k++ {
				list.add(p.Doc, PairHit{sites[k].Word, int32(p.Pos), number, value})
			}
		}
		return nil
	})
	f.count(counted)
	return list.byDocument(), err
}

type pairCount struct {
	pair      Hash
	documents int32
}

func (f *pairFinder) count(list []pairCount) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range list {
		f.counts[c.pair] = c.documents
	}
}

func (f *pairFinder) Documents(pair Hash) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int(f.counts[pair])
}

// A hitList collects hits of many documents, most of which have few. Its lists are used again.
type hitList struct {
	numbers map[DocID]int32 // by document, its index in docs
	docs    []DocID
	counts  []int
	hits    []PairHit
	of      []int32 // for each hit, the index of its document in docs
}

// hitLists are empty, and not in use.
var hitLists = sync.Pool{New: func() any { return &hitList{numbers: map[DocID]int32{}} }}

// release empties a list, and lets it be used again.
func (l *hitList) release() {
	clear(l.numbers)
	l.docs, l.counts, l.hits, l.of = l.docs[:0], l.counts[:0], l.hits[:0], l.of[:0]
	hitLists.Put(l)
}

func (l *hitList) add(doc DocID, hit PairHit) {
	n, ok := l.numbers[doc]
	if !ok {
		n = int32(len(l.docs))
		l.numbers[doc] = n
		l.docs, l.counts = append(l.docs, doc), append(l.counts, 0)
	}
	l.hits, l.of = append(l.hits, hit), append(l.of, n)
	l.counts[n]++
}

// byDocument returns the hits of each document, in the order in which they were added.
func (l *hitList) byDocument() map[DocID][]PairHit {
	room, lists := make([]PairHit, len(l.hits)), make([][]PairHit, len(l.docs))
	for n, count := range l.counts {
		lists[n], room = room[:0:count], room[count:]
	}
	for i, n := range l.of {
		lists[n] = append(lists[n], l.hits[i])
	}
	hits := make(map[DocID][]PairHit, len(l.docs))
	for n, doc := range l.docs {
		hits[doc] = lists[n]
	}
	return hits
}

func (f *pairFinder) Around(ctx context.Context, least map[DocID]float64) (list []map[DocID][]PairHit, err error) {
	for i := range f.query.Stretches {
		hits, err := f.Near(ctx, i)
		if err != nil {
			return nil, err
		}
		for doc := range hits {
			if _, ok := least[doc]; !ok {
				delete(hits, doc)
			}
		}
		list = append(list, hits)
	}
	return list, nil
}

// SortedSites returns the sites of a stretch by ascending pair, then word.
func SortedSites(stretch []PairSite) []PairSite {
	if list, ok := packedSites(stretch); ok {
		return list
	}
	return slices.SortedFunc(slices.Values(stretch), func(a, b PairSite) int {
		return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Word, b.Word))
	})
}

// packedSites is SortedSites for sites by ascending word that fit into one number each, which takes a third of the
// time. ok is false for others.
func packedSites(stretch []PairSite) (list []PairSite, ok bool) {
	const bits = 16 // of a word
	if len(stretch) == 0 {
		return nil, true
	}
	first := stretch[0].Word
	packed := make([]uint64, len(stretch))
	for i, s := range stretch {
		if s.Word < first || s.Word-first >= 1<<bits || s.Pair >= 1<<(64-bits) {
			return nil, false
		}
		packed[i] = uint64(s.Pair)<<bits | uint64(s.Word-first)
	}
	slices.Sort(packed)
	list = make([]PairSite, len(stretch))
	for i, p := range packed {
		list[i] = PairSite{Hash(p >> bits), first + int32(p&(1<<bits-1))}
	}
	return list, true
}

// pairsOf returns the different pairs of sorted sites.
func pairsOf(sites []PairSite) []Hash {
	var pairs []Hash
	for i, s := range sites {
		if i == 0 || s.Pair != sites[i-1].Pair {
			pairs = append(pairs, s.Pair)
		}
	}
	return pairs
}
