package esclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/store"
)

// maxTerms is how many hashes a search asks for. The server's own limit is
// 65,536 values.
const maxTerms = 32_768

// blockPage is how many blocks are fetched at once: 10 MB of JSON.
var blockPage = 4096 // a test makes it smaller

// mostFetched is how many entries the server gives at once.
const mostFetched = 10_000

// pageOf returns how many blocks of so many hashes are fetched at once.
func pageOf(block int) int { return min(blockPage*(blockGrams/block), mostFetched) }

// Lookup calls fn once for each of hashes that some document has among its
// n-grams of n words. It is what store.Reader says.
//
// Hashes are asked for by the ten thousand. Blocks come back by page; a hash
// that turns out to be common is left out of the search for the next page, so
// that what all documents have in common costs a page or two and not the whole
// collection. Memory is bounded by asking for fewer hashes at once where they
// have too many postings.
func (v *view) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if n < 1 {
		return ctx.Err()
	}
	return v.lookup(ctx, n, hashes, limits, fn)
}

// LookupPairs does for pairs what Lookup does for n-grams. It is what
// store.Reader says.
func (v *view) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	limits = limits.OfPairs()
	end, _ := slices.BinarySearch(pairs, 1<<fingerprint.PairBits)
	return v.lookup(ctx, pairsN, pairs[:end], limits, fn)
}

// lookup looks up n-grams of n words, or pairs.
func (v *view) lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("look up: %w", err)
	}
	if err := v.points.lacking(); err != nil {
		return err
	}
	if !slices.Contains(v.sizes, n) {
		return nil
	}
	for part := range slices.Chunk(hashes, maxTerms) {
		if err := v.lookupPart(ctx, n, part, limits, fn); err != nil {
			return err
		}
	}
	return nil
}

// lookupPart looks up hashes at once, or in parts: halves where they have too
// many postings, eighths where the server did not answer in time.
func (v *view) lookupPart(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	g := newGathering(v, n, hashes, limits)
	err := g.run(ctx)
	if errors.Is(err, errTooMany) || wire.KindOf(err) == wire.TimedOut && g.slow() > 0 {
		parts := 2
		if wire.KindOf(err) == wire.TimedOut {
			parts = 8
		}
		for part := range slices.Chunk(hashes, (len(hashes)+parts-1)/parts) {
			if err := v.lookupPart(ctx, n, part, limits, fn); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	return g.emit(fn)
}

// errTooMany means that the postings of the hashes take too much memory.
var errTooMany = errors.New("too many postings at once")

// A gathering collects the postings of some hashes.
type gathering struct {
	v      *view
	n      int
	limits store.Limits
	hashes []store.Hash
	index  map[store.Hash]int32 // into hashes
	maybe  filterBits           // which hashes may be among them
	tally  []tally              // by index
	found  []posting
	room   int // for postings
	common int // hashes found to be common
}

// filterBits say of a hash that it is not among those that are looked up: of a
// block most are not, and to find that in a map takes ten times as long.
type filterBits [1 << 12]uint64

func (f *filterBits) set(h store.Hash)      { f[h>>6%(1<<12)] |= 1 << (h % 64) }
func (f *filterBits) has(h store.Hash) bool { return f[h>>6%(1<<12)]>>(h%64)&1 != 0 }

type tally struct {
	gen    int64  // of the last document seen
	docs   int    // seen
	others int    // seen that are not of the part
	places int    // seen in the last one
	last   uint32 // place seen last there
	common bool
}

type posting struct {
	hash int32 // index
	store.Posting
}

const postingBytes = 24

func newGathering(v *view, n int, hashes []store.Hash, limits store.Limits) *gathering {
	g := &gathering{v: v, n: n, limits: limits, hashes: hashes}
	g.index = make(map[store.Hash]int32, len(hashes))
	for i, h := range hashes {
		g.index[h] = int32(i)
		g.maybe.set(h)
	}
	g.tally = make([]tally, len(hashes))
	g.room = int(v.c.cfg.Memory / 2 / postingBytes)
	return g
}

// run fetches all blocks that have any of the hashes. They come by generation
// and number, so all of a document come together, first things first.
func (g *gathering) run(ctx context.Context) error {
	page := pageOf(blockOf(gramsPart(g.n)))
	query := object{"size": page, "sort": sorting("gen", "no")}
	asked := -1 // common hashes when the terms were made
	for {
		if asked != g.common {
			asked, query["query"] = g.common, filter(append(g.v.part.blocks(), object{"terms": object{"h": g.terms()}})...)
		}
		f, err := search[block](ctx, g.v, ask{op: "look up", part: gramsPart(g.n), query: query, slow: g.slow(), only: "hits.hits._source"})
		if err != nil {
			return err
		}
		hits := f.Hits.Hits
		if err := g.take(ctx, hits); err != nil {
			return err
		}
		if len(hits) < page || g.common == len(g.hashes) {
			return nil
		}
		last := &hits[len(hits)-1].Source
		query["search_after"] = []int64{last.Gen, int64(last.No)}
	}
}

// minHalved is how many hashes are not asked for in halves: what takes too long
// for these is not their number.
const minHalved = 1024

// slow returns how many time-outs a search may take: one, if half of the hashes
// can be asked for next. The same again would take as long again.
func (g *gathering) slow() int {
	if len(g.hashes) < minHalved {
		return 0
	}
	return 1
}

// terms returns the hashes that are still of interest as the field has them,
// in their order, which is the one the server wants them in.
func (g *gathering) terms() []string {
	list := make([]string, 0, len(g.hashes))
	for i, h := range g.hashes {
		if !g.tally[i].common {
			list = append(list, string(appendHash(nil, h)))
		}
	}
	return list
}

// take notes the postings of a page of blocks.
func (g *gathering) take(ctx context.Context, hits []foundHit[block]) error {
	docs, err := g.v.origins(ctx, hits)
	if err != nil {
		return err
	}
	var hashes []store.Hash
	most := blockOf(gramsPart(g.n))
	together := 1 // hashes that share a place
	if g.n == pairsN {
		together = store.PairBlock
	}
	for i := range hits {
		b := &hits[i].Source
		from := docs[b.Gen]
		picked := from.live && g.v.part.has(from.doc)
		if !picked && !(g.n == pairsN && g.v.part.partial()) {
			continue
		}
		if hashes, err = b.hashes(hashes[:0], most); err != nil {
			return err
		}
		for j, h := range hashes {
			if !g.maybe.has(h) {
				continue
			}
			if at, ok := g.index[h]; ok && !picked {
				g.noteOther(at, b.Gen)
			} else if ok {
				g.note(at, b.Gen, store.Posting{Doc: from.doc, Pos: uint32((b.No*most + j) / together)})
			}
		}
	}
	if len(g.found) > g.room {
		g.found = slices.DeleteFunc(g.found, func(p posting) bool { return g.tally[p.hash].common })
		if len(g.found) > g.room && len(g.hashes) > 1 {
			return errTooMany
		}
	}
	return nil
}

// noteOther counts a document with a pair that is not of the part: one that is common
// in the whole index is so in a part.
func (g *gathering) noteOther(at int32, gen int64) {
	t := &g.tally[at]
	if t.common || gen == t.gen {
		return
	}
	t.gen, t.others, t.places = gen, t.others+1, 0
	if t.docs+t.others > store.CommonPairs {
		t.common = true
		g.common++
	}
}

// note counts one place of a hash, and keeps it within the limits.
func (g *gathering) note(at int32, gen int64, p store.Posting) {
	t := &g.tally[at]
	if t.common {
		return
	}
	if gen != t.gen {
		t.gen, t.docs, t.places = gen, t.docs+1, 0
		if g.limits.Docs > 0 && t.docs > g.limits.Docs || g.n == pairsN && t.docs+t.others > store.CommonPairs {
			t.common = true
			g.common++
			return
		}
	}
	if t.places > 0 && t.last == p.Pos { // of two pairs in one block
		return
	}
	t.last = p.Pos
	t.places++
	if g.limits.Positions == 0 || t.places <= g.limits.Positions {
		g.found = append(g.found, posting{at, p})
	}
}

// emit hands over what was found, by rising hash.
func (g *gathering) emit(fn func(store.Hit) error) error {
	slices.SortFunc(g.found, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), store.ByPlace(a.Posting, b.Posting))
	})
	rest := g.found
	var postings []store.Posting
	for at, h := range g.hashes {
		postings = postings[:0]
		for len(rest) > 0 && rest[0].hash == int32(at) {
			postings = append(postings, rest[0].Posting)
			rest = rest[1:]
		}
		hit := store.Hit{Hash: h, Postings: postings}
		switch {
		case g.tally[at].common:
			hit.Common, hit.Postings = true, nil
		case len(postings) == 0:
			continue
		}
		if err := fn(hit); err != nil {
			return err
		}
	}
	return nil
}
