package search

import (
	"context"
	"errors"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// Bounds on one look-up. Its memory depends neither on the size of the suspect nor on that
// of the index.
const (
	window = 65_536 // n-grams looked up at once
	// maxPositions is how many places of one n-gram in one document are
	// followed. A document that repeats seven words more often is a list or a
	// form; its later places could only lengthen a run that starts there.
	maxPositions = 1000
)

// Answers are the results of a look-up, one for each list of n-grams. The first is
// for the n-grams of the requested size. No document is in two of them.
type answers []*shared

// lookUp looks up lists of n-grams of a suspect. It omits matches that known lists as wrong.
func (s *Searcher) lookUp(ctx context.Context, sus *suspect, askers []asker, lists []grams, known corrections) (answers, error) {
	var found answers
	for i, skip := range s.skips() {
		sh, err := s.lookUpList(ctx, sus, askers[i], lists[i], skip, known)
		if err != nil {
			return nil, err
		}
		found = append(found, sh)
	}
	return found, nil
}

func (s *Searcher) lookUpList(ctx context.Context, sus *suspect, index asker, g grams, skip func(store.DocID) bool, known corrections) (*shared, error) {
	out := &shared{
		suspect: sus, grams: g, asked: s.opts.N, limits: listLimits{s.opts.MinPercent, s.opts.MinRun},
		tallies: map[store.DocID]*tally{}, matched: make([]bool, len(g.list)), common: make([]bool, len(g.list)),
		holders: make([]int32, len(g.list)),
	}
	w := &sweep{
		index: index, limits: store.Limits{Docs: s.opts.Common, Positions: maxPositions}, most: s.bounds.postings,
		skip: skip, known: known, shared: out,
	}
	for from := 0; from < len(g.list); from += window {
		if err := w.part(ctx, from, min(from+window, len(g.list))); err != nil {
			return nil, err
		}
	}
	for _, t := range out.tallies {
		t.finish()
		t.done = cover(t.done)
	}
	return out, nil
}

// A sweep goes once over the n-grams of a suspect.
type sweep struct {
	index  asker
	limits store.Limits
	most   int // postings kept at once
	skip   func(store.DocID) bool
	known  corrections
	*shared
}

// errTooMany says that a window has more postings than are kept at once.
var errTooMany = errors.New("too many postings")

// part looks up the n-grams [from, to), in halves where they have too many
// postings.
func (w *sweep) part(ctx context.Context, from, to int) error {
	found, err := w.lookup(ctx, from, to)
	if errors.Is(err, errTooMany) {
		middle := (from + to) / 2
		if err := w.part(ctx, from, middle); err != nil {
			return err
		}
		return w.part(ctx, middle, to)
	}
	if err != nil {
		return err
	}
	for g := from; g < to; g++ {
		w.pass(int32(g), found)
	}
	return nil
}

// A hits has the hits of a window, sorted by hash.
type hits struct {
	hashes   []store.Hash
	from, to []int // range of postings
	common   []bool
	postings []store.Posting
}

// lookup looks up the n-grams [from, to).
func (w *sweep) lookup(ctx context.Context, from, to int) (*hits, error) {
	hashes := lists.Map(w.list[from:to], func(g gram) store.Hash { return g.hash })
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	found := new(hits)
	err := w.index.Lookup(ctx, w.n, hashes, w.limits, func(h store.Hit) error {
		start := len(found.postings)
		for _, p := range h.Postings {
			if w.skip != nil && w.skip(p.Doc) || w.known.wrong[falseMatch{h.Hash, p}] {
				continue
			}
			found.postings = append(found.postings, p)
		}
		if len(found.postings) > w.most && to-from > 1 {
			return errTooMany
		}
		if h.Common || len(found.postings) > start {
			found.hashes = append(found.hashes, h.Hash)
			found.common = append(found.common, h.Common)
			found.from = append(found.from, start)
			found.to = append(found.to, len(found.postings))
		}
		return nil
	})
	return found, err
}

// pass hands the postings of one n-gram to the tallies of their documents.
func (w *sweep) pass(g int32, found *hits) {
	gram := w.list[g]
	i, ok := slices.BinarySearch(found.hashes, gram.hash)
	if !ok {
		return
	}
	w.matched[g] = true
	if found.common[i] {
		w.common[g] = true
		return
	}
	reach := w.reach(g)
	postings := found.postings[found.from[i]:found.to[i]]
	documents := store.CountDocuments(postings)
	w.holders[g] = int32(documents)
	share, copied := 1/float64(documents), w.suspect.copied(gram.word)
	for len(postings) > 0 {
		doc, end := postings[0].Doc, sameDocument(postings)
		t := w.tallies[doc]
		if t == nil {
			t = &tally{doc: doc, borders: w.known.borders}
			w.tallies[doc] = t
		}
		if !copied {
			t.weight += share
		}
		t.touch(g, gram.paragraph, reach, postings[:end])
		postings = postings[end:]
	}
}

// sameDocument returns how many of the sorted postings are of the first one's
// document.
func sameDocument(postings []store.Posting) int {
	end := 1
	for end < len(postings) && postings[end].Doc == postings[0].Doc {
		end++
	}
	return end
}

// reach returns the earliest n-gram whose run g can continue: the one before,
// or one before common n-grams that name no source, as long as the two share a
// word border, so that no word between them goes unseen.
func (w *sweep) reach(g int32) int32 {
	reach := g - 1
	for reach > 0 && w.common[reach] && g-reach < int32(w.n) {
		reach--
	}
	return reach
}
