package esclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// maxTerms is the number of hashes in one search: the limit of the server.
const maxTerms = 65_536

// mostFetched is the server's limit of hits in one answer.
const mostFetched = 10_000

// pageOf returns the number of blocks in one answer, for blocks of that many hashes.
func (l *limits) pageOf(block int) int { return min(l.blockPage*(blockGrams/block), mostFetched) }

// Lookup implements [store.Reader].
//
// It asks for up to maxTerms hashes in one search, and reads the matching blocks page by
// page. A hash that exceeds the limit of documents is left out of the search for the next
// page, so n-grams that all documents share cost one or two pages and not the whole
// collection. If the postings exceed the memory that is allowed, Lookup asks for fewer
// hashes at once.
func (v *view) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if n < 1 {
		return ctx.Err()
	}
	return v.lookup(ctx, n, hashes, limits, fn)
}

// LookupPairs implements [store.Reader] in the same way as Lookup.
func (v *view) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	limits = limits.OfPairs()
	return v.lookup(ctx, pairsN, possiblePairs(pairs), limits, fn)
}

// lookup looks up n-grams of n words, or pairs.
func (v *view) lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", phrase.Fixed("look up"), err)
	}
	if err := v.points.lacking(); err != nil {
		return err
	}
	if !slices.Contains(v.sizes, n) {
		return nil
	}
	for part := range slices.Chunk(hashes, maxTerms/len(wordsOf(n, 0))) {
		if err := v.lookupPart(ctx, n, part, limits, fn); err != nil {
			return err
		}
	}
	return nil
}

// lookupPart looks up hashes in one search. If they have too many postings, or the request is too large for a
// proxy, it looks up halves of them, and if the server times out, eighths.
func (v *view) lookupPart(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	g := newGathering(v, n, hashes, limits)
	err := g.run(ctx)
	large := wire.Status(err) == http.StatusRequestEntityTooLarge && len(hashes) > 1
	if errors.Is(err, errTooMany) || large || wire.KindOf(err) == wire.TimedOut && g.slow() > 0 {
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

// errTooMany means that the postings of the hashes exceed the memory for them.
var errTooMany = errors.New("too many postings at once")

type gathering struct {
	v      *view
	n      int
	limits store.Limits
	hashes []store.Hash
	index  map[store.Hash]int32 // into hashes
	maybe  filterBits           // over hashes
	tally  []tally              // by index
	found  []posting
	room   int // for postings
	common int // hashes found to be common
}

// filterBits is a Bloom filter with one hash function. Most hashes of a block are not
// looked up, and the filter rejects them in a tenth of the time of a map.
type filterBits [1 << 12]uint64

func (f *filterBits) set(h store.Hash)           { f[h>>6%(1<<12)] |= 1 << (h % 64) }
func (f *filterBits) contains(h store.Hash) bool { return f[h>>6%(1<<12)]>>(h%64)&1 != 0 }

type tally struct {
	gen    int64  // of the last document counted
	docs   int    // documents of the part
	others int    // documents outside of the part
	places int    // in the last document
	last   uint32 // last place there
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

// run fetches all blocks that contain any of the hashes, ordered by generation and
// number: the blocks of a document are adjacent and in the order of their positions.
func (g *gathering) run(ctx context.Context) error {
	page := g.v.c.limits().pageOf(blockOf(gramsPart(g.n)))
	query := object{"size": page, "sort": sorting("gen", "no")}
	asked := -1 // value of g.common when the query was made
	for {
		if asked != g.common {
			asked, query["query"] = g.common, filter(append(g.v.part.blocks(), object{"terms": object{"h": g.terms()}})...)
		}
		f, err := search[block](ctx, g.v, ask{op: "look up", part: gramsPart(g.n), query: query, slow: g.slow(), only: "hits.hits._source"})
		if err != nil {
			return err
		}
		hits := f.Hits.Hits
		if err := g.addPage(ctx, hits); err != nil {
			return err
		}
		if len(hits) < page || g.common == len(g.hashes) {
			return nil
		}
		last := &hits[len(hits)-1].Source
		query["search_after"] = []int64{last.Gen, int64(last.No)}
	}
}

// minHalved is the number of hashes below which a search that times out is not divided,
// because it is not their number that makes it slow.
const minHalved = 1024

// slow returns how many timeouts end a search: one, if the hashes can be divided, since
// the same search would time out again; otherwise 0, the default.
func (g *gathering) slow() int {
	if len(g.hashes) < minHalved {
		return 0
	}
	return 1
}

// terms returns the hashes that are not common, encoded as in the field h, in ascending
// order, which the server processes fastest.
func (g *gathering) terms() []string {
	list := make([]string, 0, len(g.hashes))
	for i, h := range g.hashes {
		if !g.tally[i].common {
			list = append(list, wordsOf(g.n, h)...)
		}
	}
	return list
}

// addPage collects the postings of a page of blocks.
func (g *gathering) addPage(ctx context.Context, hits []foundHit[block]) error {
	docs, err := g.v.origins(ctx, gensOf(hits))
	if err != nil {
		return err
	}
	var hashes []store.Hash
	for i := range hits {
		b := &hits[i].Source
		from := docs[b.Gen]
		picked := from.live && g.v.part.contains(from.doc)
		if !picked && !(g.n == pairsN && g.v.part.partial()) {
			continue
		}
		if hashes, err = b.own(g.n, hashes[:0]); err != nil {
			return err
		}
		for j, h := range hashes {
			if !g.maybe.contains(h) {
				continue
			}
			if at, ok := g.index[h]; ok && !picked {
				g.noteOther(at, b.Gen)
			} else if ok {
				g.note(at, b.Gen, store.Posting{Doc: from.doc, Pos: g.position(b, j)})
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

// position returns the position of hash j of b, repeated ones not counted.
func (g *gathering) position(b *block, j int) uint32 {
	if g.n == pairsN {
		return b.position(b.repeated() + j)
	}
	return uint32(b.No*blockGrams + j)
}

// noteOther counts a document outside of the part that contains a pair, because a pair
// that is common in the whole index counts as common in a part.
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

// note counts one posting of a hash, and collects it if the limits allow.
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
	if t.places > 0 && t.last == p.Pos { // two pairs in one block
		return
	}
	t.last = p.Pos
	t.places++
	if g.limits.Positions == 0 || t.places <= g.limits.Positions {
		g.found = append(g.found, posting{at, p})
	}
}

// emit calls fn with the postings of each hash, in ascending order of the hashes.
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
