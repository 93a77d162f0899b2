package esclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// The server finds the blocks where pairs of a suspect are near each other, so that only these
// blocks are read. It is asked
//
//  1. how many documents have each pair, which gives the weights;
//  2. for the blocks where the weights of the pairs of one window of the suspect reach the
//     score. Everything near a hit is in one window with it and, in the document, in one
//     block ([blockPairs]). So these blocks have all hits with the score and all that is near
//     them, and others;
//  3. for these blocks.
//
// The caller then applies its rule to the hits in them.
const (
	// nearWindow and nearStep are the lengths of windows of the suspect and of the step from one
	// to the next, in words: any 2·store.NearWords+1 consecutive words are in one window.
	nearWindow = 240
	nearStep   = nearWindow - 2*store.NearWords
	// nearQuantum is the unit that weights are rounded up to, and lower scores down to, so that pairs
	// of about the same weight, and documents of about the same score, are in one query. A unit of
	// 0.25 finds a tenth more blocks.
	nearQuantum = 0.0625
	// nearSlack is subtracted from scores, which the server adds up with 24 bits.
	nearSlack = 0.01
)

// NearPairs implements [store.Reader]. A writer, and a part of the index whose generations are
// not listed, look up all places of the pairs.
func (v *view) NearPairs(ctx context.Context, q store.PairQuery) (store.PairFinder, error) {
	if v.points == nil || !slices.Contains(v.sizes, pairsN) || v.part.partial() && v.part.gens == nil {
		return store.PairsOf(v, q), nil
	}
	if err := errors.Join(v.damage, v.points.lacking()); err != nil {
		return nil, err
	}
	f := &nearFinder{v: v, query: q}
	if q.Docs == 0 || q.Docs > store.CommonPairs {
		f.query.Docs = store.CommonPairs
	}
	f.collectPairs()
	return f, f.settled(ctx, f.find)
}

// find sets the weights of the pairs and the answer to Near.
func (f *nearFinder) find(ctx context.Context, live []object) error {
	var list []*version // that need lower scores
	group, within := errgroup.WithContext(ctx)
	group.Go(func() error { return f.weigh(within, live) })
	group.Go(func() (err error) { list, err = f.lowered(within); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	ask := nearAsk{conditions: live, lowest: f.query.Least, highest: f.query.Least}
	ask.lift(list, f.lower)
	var err error
	f.near, err = f.around(ctx, ask)
	return err
}

// lowered returns the documents for which the query has lower scores.
func (f *nearFinder) lowered(ctx context.Context) (list []*version, err error) {
	if f.lower == nil && f.query.Lower != nil {
		if f.lower, err = f.query.Lower(ctx); err != nil {
			return nil, err
		}
	}
	return f.v.seen(ctx, slices.Sorted(maps.Keys(f.lower)))
}

// A nearFinder is a [store.PairFinder] whose answer to Near is in memory.
type nearFinder struct {
	v       *view
	query   store.PairQuery
	pairs   []store.Hash              // of all stretches, ascending
	sites   map[store.Hash][]nearPair // by pair
	weights map[store.Hash]float64    // of the pairs that some document has and that are not common
	counts  map[store.Hash]int        // of the same pairs: the documents that have each
	lower   map[store.DocID]float64   // from the query, once it was asked
	near    []map[store.DocID][]store.PairHit
	known   map[blockKey]*foundHit[block] // of those read for near, up to the limit nearAll
}

type nearPair struct {
	stretch int
	number  int32 // see [store.PairHit]
	sites   []store.PairSite
}

// A nearAsk says which blocks searches find: those that meet all conditions and have a hit with the
// score that their document needs.
type nearAsk struct {
	conditions      []object
	lifts           []object // add to the score of a block by how much less than highest it needs
	lowest, highest float64  // of the scores that documents need
}

// lift notes the scores that some documents need.
func (a *nearAsk) lift(list []*version, least map[store.DocID]float64) {
	gens := map[float64][]int64{}
	for _, e := range list {
		score := math.Floor(least[e.Doc.ID]/nearQuantum) * nearQuantum
		if p, ok := e.size(pairsN); ok && score < a.highest {
			gens[score] = append(gens[score], p.Gen)
		}
	}
	for _, score := range slices.Sorted(maps.Keys(gens)) {
		of := object{"terms": object{"gen": gens[score]}}
		a.lifts = append(a.lifts, object{"constant_score": object{"filter": of, "boost": a.highest - score}})
		a.lowest = min(a.lowest, score)
	}
}

// collectPairs sets the pairs and the places of each that count.
func (f *nearFinder) collectPairs() {
	f.sites = map[store.Hash][]nearPair{}
	for i, stretch := range f.query.Stretches {
		number := int32(0)
		for sites := store.SortedSites(stretch); len(sites) > 0; number++ {
			end := 1
			for end < len(sites) && sites[end].Pair == sites[0].Pair {
				end++
			}
			pair := sites[0].Pair
			f.sites[pair] = append(f.sites[pair], nearPair{i, number, sites[:min(end, store.PairPlaces)]})
			sites = sites[end:]
		}
	}
	f.pairs = possiblePairs(slices.Sorted(maps.Keys(f.sites)))
}

// nearAttempts is how often a search for near pairs begins again because the point in time was
// lost.
const nearAttempts = 5

// settled calls do with the conditions of alive, and again if the point in time was replaced
// meanwhile, since they may be others then.
func (f *nearFinder) settled(ctx context.Context, do func(ctx context.Context, live []object) error) error {
	for range nearAttempts {
		if _, err := f.v.points.get(ctx, "look up"); err != nil {
			return err
		}
		before := f.v.points.opened()
		live, err := f.alive(ctx)
		if err == nil {
			err = do(ctx, live)
		}
		if f.v.points.opened() == before {
			return err
		}
	}
	return phrase.Error("cluster.point-lost", "look up: the server lost the point in time {count} times", "count", nearAttempts).Of(wire.ErrServer)
}

// alive returns conditions that the blocks of the documents that the view sees meet, and no
// others: there are others while they are added, and until they are deleted.
func (f *nearFinder) alive(ctx context.Context) (live []object, err error) {
	if live = f.v.part.blocks(); live != nil {
		return live, nil
	}
	var dead []int64
	stray, newer := f.v.points.surplus()
	s := f.v.summed
	known := s != nil && s.Epoch == f.v.epoch
	if known {
		dead = s.Gone
	}
	if known && newer {
		live = append(live, object{"range": object{"gen": object{"lt": s.Below}}})
	}
	if !known || stray {
		if dead, err = f.v.strays(ctx); err != nil {
			return nil, err
		}
	}
	for some := range slices.Chunk(dead, mostGens) {
		live = append(live, object{"bool": object{"must_not": object{"terms": object{"gen": some}}}})
	}
	return live, nil
}

// strays returns the generations of the blocks of pairs that are of no document that the view sees. It reads
// all generations once for each point in time.
func (v *view) strays(ctx context.Context) (list []int64, err error) {
	opened := v.points.opened()
	v.mu.Lock()
	list, known := v.strayed[opened]
	v.mu.Unlock()
	if known {
		return list, nil
	}
	query := object{"query": object{"match_all": object{}}, "size": mostFetched, "sort": sorting("gen"), "_source": []string{"gen"}}
	for {
		f, err := search[block](ctx, v, ask{op: "look up", part: pairsPart, query: query, only: "hits.hits._source"})
		if err != nil {
			return nil, err
		}
		docs, err := v.origins(ctx, gensOf(f.Hits.Hits))
		if err != nil {
			return nil, err
		}
		for gen, from := range docs {
			if !from.live {
				list = append(list, gen)
			}
		}
		if len(f.Hits.Hits) < mostFetched {
			break
		}
		// Further blocks of the last generation would add nothing.
		query["search_after"] = []int64{f.Hits.Hits[len(f.Hits.Hits)-1].Source.Gen}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if v.points.opened() == opened {
		v.mu.Lock()
		v.strayed = map[int][]int64{opened: list}
		v.mu.Unlock()
	}
	return list, nil
}

// nearCounted is how many pairs are counted by one search: few on OpenSearch, see [countQuery].
func (v *view) nearCounted() int {
	if v.c.OpenSearch() {
		return 128
	}
	return 4096
}

// weigh has the server count the documents that have each pair, and sets the weights.
func (f *nearFinder) weigh(ctx context.Context, live []object) error {
	f.weights, f.counts = map[store.Hash]float64{}, map[store.Hash]int{}
	parts := slices.Collect(slices.Chunk(f.pairs, f.v.nearCounted()))
	queries := lists.Map(parts, func(pairs []store.Hash) object { return countQuery(pairs, live, f.v.c.OpenSearch()) })
	var mu sync.Mutex
	return f.v.points.several(ctx, "look up", pairsPart, queries, "aggregations.counts.buckets.doc_count", func(i int, o *searchOutcome) error {
		pairs, buckets := parts[i], o.Aggregations.Counts.Buckets
		if len(buckets) != len(pairs) {
			return phrase.Error("cluster.pairs-counted", "look up: the server counted {found} of {all} pairs: {cause}", "found", len(buckets), "all", len(pairs), "cause", store.ErrDamaged)
		}
		mu.Lock()
		defer mu.Unlock()
		for k, b := range buckets {
			if b.Count > 0 && b.Count <= f.query.Docs {
				f.weights[pairs[k]], f.counts[pairs[k]] = f.query.Weight(b.Count), b.Count
			}
		}
		return nil
	})
}

// countQuery returns the search that counts, for each of pairs, the blocks that meet all conditions
// and have its first place in a document. OpenSearch compares each block that it finds with each pair,
// so there it finds only blocks with one of them.
func countQuery(pairs []store.Hash, conditions []object, openSearch bool) object {
	words := make([]string, len(pairs))
	counted := []byte("[")
	for i, h := range pairs {
		words[i] = string(appendPair(nil, h, firstPlace))
		counted = append(append(append(counted, `{"term":{"h":"`...), words[i]...), `"}},`...)
	}
	counted[len(counted)-1] = ']'
	query := object{"match_all": object{}}
	if openSearch {
		query = object{"terms": object{"h": words}}
	}
	return object{
		"query": filter(append([]object{query}, conditions...)...), "size": 0, "track_total_hits": false,
		"aggs": object{"counts": object{"filters": object{"filters": json.RawMessage(counted)}}},
	}
}

// around returns the hits in the blocks that searches find, by stretch.
func (f *nearFinder) around(ctx context.Context, ask nearAsk) ([]map[store.DocID][]store.PairHit, error) {
	blocks, err := f.blocks(ctx, f.searches(ask))
	if err != nil {
		return nil, err
	}
	return f.hits(ctx, blocks)
}

// searches returns the searches for the blocks where the pairs of one window reach the score:
// several windows each, as many as the server accepts.
func (f *nearFinder) searches(ask nearAsk) (list []object) {
	var windows []json.RawMessage
	words, most := 0, f.v.c.limits().nearTerms-len(ask.lifts)
	flush := func() {
		if len(windows) == 0 {
			return
		}
		list = append(list, object{
			"query": object{"bool": object{
				"must": object{"dis_max": object{"queries": windows}}, "should": slices.Concat([]object{}, ask.lifts),
				"filter": slices.Concat([]object{}, ask.conditions),
			}},
			"size": f.v.c.limits().nearPage, "min_score": ask.highest - nearSlack, "sort": sorting("gen", "no"),
			"stored_fields": "_none_", "track_total_hits": false, // the ids are in what is compressed with the source
		})
		windows, words = nil, 0
	}
	for _, pairs := range f.windows() {
		window, count := f.window(pairs, ask.lowest)
		if window == nil {
			continue
		}
		if words+count > most {
			flush()
		}
		windows, words = append(windows, window), words+count
	}
	flush()
	return list
}

func (f *nearFinder) windows() (list [][]store.Hash) {
	stretches := make([]map[int32][]store.Hash, len(f.query.Stretches)) // by window
	for i := range stretches {
		stretches[i] = map[int32][]store.Hash{}
	}
	for _, pair := range f.pairs {
		if _, ok := f.weights[pair]; !ok {
			continue
		}
		for _, p := range f.sites[pair] {
			windows := stretches[p.stretch]
			for _, s := range p.sites {
				for at := s.Word / nearStep; at >= 0 && s.Word < at*nearStep+nearWindow; at-- {
					if list := windows[at]; len(list) == 0 || list[len(list)-1] != pair {
						windows[at] = append(list, pair)
					}
				}
			}
		}
	}
	for _, windows := range stretches {
		list = append(list, lists.Map(slices.Sorted(maps.Keys(windows)), func(at int32) []store.Hash { return windows[at] })...)
	}
	return list
}

// window returns the query for blocks with some of pairs, whose score is at least the sum of
// their weights, as JSON, and the number of its words; nil if all of them together do not reach least.
func (f *nearFinder) window(pairs []store.Hash, least float64) (query json.RawMessage, words int) {
	byWeight := map[float64][]byte{} // words, each after a blank
	sum := 0.0
	for _, h := range pairs {
		weight := math.Ceil(f.weights[h]/nearQuantum) * nearQuantum
		list := byWeight[weight]
		for _, word := range placesWords(h, false) {
			list = append(append(list, ' '), word...)
			words++
		}
		byWeight[weight] = list
		sum += weight
	}
	if sum < least {
		return nil, 0
	}
	query = append(query, `{"bool":{"should":[`...)
	for _, weight := range slices.Sorted(maps.Keys(byWeight)) {
		query = append(append(query, `{"match":{"h":{"query":"`...), byWeight[weight][1:]...)
		query = append(strconv.AppendFloat(append(query, `","boost":`...), weight, 'g', -1, 64), `}}},`...)
	}
	return append(query[:len(query)-1], `]}}`...), words
}

type blockKey struct {
	gen int64
	no  int
}

func compareKeys(a, b blockKey) int {
	return cmp.Or(cmp.Compare(a.gen, b.gen), cmp.Compare(a.no, b.no))
}

// blocks returns the blocks that searches find, in order. A search that has more of them than
// fit into one answer continues after the last one.
func (f *nearFinder) blocks(ctx context.Context, queries []object) ([]blockKey, error) {
	found := map[blockKey]bool{}
	for len(queries) > 0 {
		var mu sync.Mutex
		var more []object
		err := f.v.points.several(ctx, "look up", pairsPart, queries, "hits.hits.sort", func(i int, o *searchOutcome) error {
			mu.Lock()
			defer mu.Unlock()
			var last []int64
			for _, h := range o.Hits.Hits {
				if len(h.Sort) < 2 {
					return phrase.Error("cluster.hit-nowhere", "look up: a hit without its place: {cause}", "cause", store.ErrDamaged)
				}
				last = h.Sort[:2]
				found[blockKey{last[0], int(last[1])}] = true
			}
			if len(o.Hits.Hits) == queries[i]["size"] {
				next := maps.Clone(queries[i])
				next["search_after"] = last
				more = append(more, next)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		queries = more
	}
	return slices.SortedFunc(maps.Keys(found), compareKeys), nil
}

const (
	// nearBlocksPage is how many blocks of pairs are in one answer: 4 MB.
	nearBlocksPage = 2000
	// nearBlocksHalved is how many blocks are read by two requests, so that the server reads the second
	// half, and this process decodes it, at the same time as the first.
	nearBlocksHalved = 256
)

// hits reads blocks, asideOf answers at a time, and returns the hits in them. Meanwhile it asks for
// their documents.
func (f *nearFinder) hits(ctx context.Context, blocks []blockKey) ([]map[store.DocID][]store.PairHit, error) {
	hits := make([]map[store.DocID][]store.PairHit, len(f.query.Stretches))
	for i := range hits {
		hits[i] = map[store.DocID][]store.PairHit{}
	}
	c := collector{nearFinder: f, hits: hits}
	for some := range slices.Chunk(blocks, asideOf*nearBlocksPage) {
		list, err := f.read(ctx, some)
		if err != nil {
			return nil, err
		}
		if err := c.addPage(ctx, list); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// read returns blocks, in order. It does not ask again for those that Near has read: most documents
// that pairs name have some of them.
func (f *nearFinder) read(ctx context.Context, keys []blockKey) ([]*foundHit[block], error) {
	asked := slices.DeleteFunc(slices.Clone(keys), func(k blockKey) bool { return f.known[k] != nil })
	page := nearBlocksPage
	if len(asked) >= nearBlocksHalved {
		page = min(page, (len(asked)+1)/2)
	}
	parts := slices.Collect(slices.Chunk(asked, page))
	pages := make([][]foundHit[block], len(parts))
	group, within := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() (err error) { pages[i], err = f.v.read(within, part); return err })
	}
	group.Go(func() error {
		gens := lists.Map(keys, func(k blockKey) int64 { return k.gen })
		_, err := f.v.origins(within, gens)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := slices.Concat(pages...)
	list := make([]*foundHit[block], len(keys))
	for i, k := range keys {
		if list[i] = f.known[k]; list[i] == nil {
			list[i], found = &found[0], found[1:]
		}
	}
	if f.near == nil && f.known == nil {
		f.known = map[blockKey]*foundHit[block]{}
		for i, k := range keys[:min(len(keys), f.v.c.limits().nearAll)] {
			h := *list[i] // not the whole page
			f.known[k] = &h
		}
	}
	return list, nil
}

func (v *view) read(ctx context.Context, keys []blockKey) ([]foundHit[block], error) {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = blockID(k.gen, k.no)
	}
	query := object{"query": object{"ids": object{"values": ids}}, "size": len(ids), "sort": sorting("gen", "no")}
	f, err := search[block](ctx, v, ask{op: "look up", part: pairsPart, query: query, only: "hits.hits._source"})
	if err != nil {
		return nil, err
	}
	if len(f.Hits.Hits) != len(keys) {
		return nil, phrase.Error("cluster.pairs-short", "look up: the server returned {found} of {all} blocks of pairs: {cause}", "found", len(f.Hits.Hits), "all", len(keys), "cause", store.ErrDamaged)
	}
	return f.Hits.Hits, nil
}

// A collector collects the hits in blocks, which it gets in order.
type collector struct {
	*nearFinder
	hits   []map[store.DocID][]store.PairHit
	before blockKey              // the last block
	last   map[store.Hash]uint32 // last position of each pair in the document of that block
	list   []placed
}

func (c *collector) addPage(ctx context.Context, page []*foundHit[block]) error {
	gens := lists.Map(page, func(h *foundHit[block]) int64 { return h.Source.Gen })
	docs, err := c.v.origins(ctx, gens)
	if err != nil {
		return err
	}
	for _, h := range page {
		b := &h.Source
		from := docs[b.Gen]
		if !from.live || !c.v.part.contains(from.doc) {
			continue
		}
		if c.list, err = b.pairs(c.list[:0]); err != nil {
			return err
		}
		if b.Gen != c.before.gen || c.last == nil {
			c.last = map[store.Hash]uint32{}
		}
		known := 0 // pairs that the block before had
		if b.Gen == c.before.gen && b.No == c.before.no+1 {
			known = repeatedPairs
		}
		for j, p := range c.list[known:] {
			c.note(from.doc, p, b.position(known+j))
		}
		c.before = blockKey{b.Gen, b.No}
	}
	return nil
}

// note adds the hits of a pair at a position of a document, once.
func (c *collector) note(doc store.DocID, p placed, position uint32) {
	weight, ok := c.weights[p.pair]
	if !ok || p.place == surplusPlace {
		return
	}
	if last, again := c.last[p.pair]; again && last == position {
		return
	}
	c.last[p.pair] = position
	for _, n := range c.sites[p.pair] {
		for _, s := range n.sites {
			c.hits[n.stretch][doc] = append(c.hits[n.stretch][doc], store.PairHit{Word: s.Word, Block: int32(position), Pair: n.number, Value: weight})
		}
	}
}

func (f *nearFinder) Near(_ context.Context, stretch int) (map[store.DocID][]store.PairHit, error) {
	return f.near[stretch], nil
}

func (f *nearFinder) Documents(pair store.Hash) int { return f.counts[pair] }

func (f *nearFinder) Complete() bool { return false }

func blocksOf(list []*version) (blocks []blockKey) {
	for _, e := range list {
		p, _ := e.size(pairsN)
		for no := range p.Units {
			blocks = append(blocks, blockKey{p.Gen, no})
		}
	}
	slices.SortFunc(blocks, compareKeys)
	return blocks
}

func (f *nearFinder) Around(ctx context.Context, least map[store.DocID]float64) (hits []map[store.DocID][]store.PairHit, err error) {
	ids := slices.Sorted(maps.Keys(least))
	err = f.settled(ctx, func(ctx context.Context, live []object) error {
		list, err := f.v.seen(ctx, ids)
		if err != nil {
			return err
		}
		if blocks := blocksOf(list); len(blocks) <= f.v.c.limits().nearAll {
			hits, err = f.hits(ctx, blocks)
			return err
		}
		hits, err = f.around(ctx, nearIn(list, least, live))
		return err
	})
	return hits, err
}

// nearIn asks for the blocks of some documents that need these scores.
func nearIn(list []*version, least map[store.DocID]float64, live []object) nearAsk {
	var gens []int64
	for _, e := range list {
		if p, ok := e.size(pairsN); ok {
			gens = append(gens, p.Gen)
		}
	}
	highest := slices.Max(slices.Collect(maps.Values(least)))
	ask := nearAsk{conditions: append(slices.Clip(live), object{"terms": object{"gen": gens}}), lowest: highest, highest: highest}
	ask.lift(list, least)
	return ask
}
