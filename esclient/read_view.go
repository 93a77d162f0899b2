package esclient

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A view answers as of one commit, regardless of later writes. Reader and Store both read
// by way of a view.
type view struct {
	c        *conn
	names    names
	settings store.Settings
	epoch    int64   // the commit
	aborted  []int64 // numbers up to epoch of transactions that failed
	changed  time.Time
	sizes    []int
	bases    []store.Base
	damage   error   // a part is missing: every read returns it
	points   *points // nil in a writer, which deletes nothing that its views see
	part     part    // the documents that the view sees

	mu      sync.Mutex
	known   map[int64]origin         // cache, by generation
	recent  map[store.DocID]*version // cache
	strayed map[int][]int64          // cache of strays, by the number of points in time opened so far
	summed  *sums                    // may be nil, or of another commit
}

type object = map[string]any

// live is the query for the entries that the view sees: those valid in its commit, of the
// documents of its part.
func (v *view) live() object {
	if v.part.condition != nil {
		return filter(v.alive(v.epoch), v.part.condition)
	}
	return v.alive(v.epoch)
}

// alive is the query for the entries valid in the commit epoch.
func (v *view) alive(epoch int64) object {
	return object{"bool": object{
		"filter":   []object{{"range": object{"from": object{"lte": epoch}}}},
		"must_not": []object{{"terms": object{"from": v.notCommits()}}, v.gone(epoch)},
	}}
}

// gone is the query for the entries that were replaced or deleted by the commit epoch.
func (v *view) gone(epoch int64) object {
	return object{"bool": object{
		"filter":   []object{{"range": object{"to": object{"lte": epoch}}}},
		"must_not": []object{{"terms": object{"to": v.notCommits()}}},
	}}
}

func (v *view) notCommits() []int64 {
	if v.aborted == nil {
		return []int64{}
	}
	return v.aborted
}

func filter(conditions ...object) object { return object{"bool": object{"filter": conditions}} }

type found[T any] struct {
	PIT  string `json:"pit_id"`
	Took *int64 `json:"took"`
	Hits struct {
		Total struct {
			Value int64 `json:"value"`
		} `json:"total"`
		Hits []foundHit[T] `json:"hits"`
	} `json:"hits"`
	Aggregations map[string]aggregate `json:"aggregations"`
}

type aggregate struct {
	Value   float64 `json:"value"`
	Count   int64   `json:"doc_count"`
	Others  int64   `json:"sum_other_doc_count"` // entries outside of Buckets
	Buckets []struct {
		Key   string `json:"key"`
		Count int64  `json:"doc_count"`
	} `json:"buckets"`
}

func (f *found[T]) point() string { return f.PIT }

func (f *found[T]) Whole() bool { return f.Took != nil }

type foundHit[T any] struct {
	ID     string            `json:"_id"`
	SeqNo  int64             `json:"_seq_no"`
	Term   int64             `json:"_primary_term"`
	Source T                 `json:"_source"`
	Fields json.RawMessage   `json:"fields"`
	Sort   []json.RawMessage `json:"sort"`
}

// searching returns the call of a search in some indices, or without any, in the point in
// time that the body names. The search fails if a shard is not available. If only is not
// "", the answer contains only that path.
func searching(only string, index ...string) wire.Call {
	var filter []string
	if only != "" {
		filter = []string{"error", "status", "pit_id", "took", only}
	}
	return func(body io.Reader) esapi.Request {
		return esapi.SearchRequest{Index: index, Body: body, AllowPartialSearchResults: new(false), FilterPath: filter}
	}
}

type ask struct {
	op, part string
	query    object
	slow     int    // see wire.Request
	only     string // the part of the answer that is needed, a path; "" for all of it
}

func find[T any](ctx context.Context, v *view, op, part string, query object) (*found[T], error) {
	return search[T](ctx, v, ask{op: op, part: part, query: query})
}

// search sends a search, in the point in time of v if it has one.
func search[T any](ctx context.Context, v *view, r ask) (*found[T], error) {
	if v.damage != nil {
		return nil, v.damage
	}
	if _, ok := r.query["track_total_hits"]; !ok {
		r.query["track_total_hits"] = false
	}
	f := new(found[T])
	if v.points != nil {
		return f, v.points.search(ctx, r, f)
	}
	index := v.names.concrete(r.part)
	err := v.c.Do(ctx, wire.Request{Op: r.op, Body: marshal(r.query), Call: searching(r.only, index), Slow: r.slow, Out: f})
	return f, orGone(err, index)
}

// after returns the values of h for search_after. It drops the value that a point in time
// appends, which would be invalid in another point in time.
func (h *foundHit[T]) after(keys int) []json.RawMessage { return h.Sort[:min(keys, len(h.Sort))] }

// sorting returns the order by these fields. It states their types, because a point in time
// also covers parts without them.
func sorting(fields ...string) (list []object) {
	types := map[string]string{"key": "keyword", "gen": "long", "no": "integer"}
	return lists.Map(fields, func(f string) object { return object{f: object{"order": "asc", "unmapped_type": types[f]}} })
}

// each calls fn for every hit of query in the order of the fields sort, whose values have
// to be unique. It fetches size hits at a time.
func each[T any](ctx context.Context, v *view, op, part string, query object, size int, sort []string, fn func(*foundHit[T]) error) error {
	query["size"], query["sort"] = size, sorting(sort...)
	for {
		f, err := find[T](ctx, v, op, part, query)
		if err != nil {
			return err
		}
		hits := f.Hits.Hits
		for i := range hits {
			if err := fn(&hits[i]); err != nil {
				return err
			}
		}
		if len(hits) < size {
			return nil
		}
		query["search_after"] = hits[len(hits)-1].after(len(sort))
	}
}

func (v *view) entries(ctx context.Context, condition object, ids []store.DocID) ([]*version, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	query := object{
		"query": filter(object{"terms": object{"doc": names}}, condition),
		"size":  len(ids) + 1, "seq_no_primary_term": true,
	}
	f, err := find[entrySource](ctx, v, "read catalogue", documentsPart, query)
	if err != nil {
		return nil, err
	}
	var list []*version
	for i := range f.Hits.Hits {
		e, err := versionOf(&f.Hits.Hits[i])
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *version) int { return cmp.Compare(a.Doc.ID, b.Doc.ID) })
	for i := 1; i < len(list); i++ {
		if list[i].Doc.ID == list[i-1].Doc.ID {
			return nil, phrase.Error("cluster.entries-of", "catalogue has two entries of {name}: {cause}", "name", list[i].Doc.Name(), "cause", store.ErrDamaged)
		}
	}
	return list, nil
}

// mustEntry returns the version of a document that v sees, or an error wrapping
// store.ErrNotFound.
func (v *view) mustEntry(ctx context.Context, id store.DocID) (*version, error) {
	list, err := v.seen(ctx, []store.DocID{id})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func (v *view) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	list, err := v.seen(ctx, ids)
	if err != nil {
		return err
	}
	return lists.Each(list, func(e *version) error { return fn(e.Doc) })
}

// asideOf is how many requests one call sends concurrently.
const asideOf = 4

// seen returns the versions of ids that v sees, in the order of ids. If one is missing, the
// error wraps store.ErrNotFound.
func (v *view) seen(ctx context.Context, ids []store.DocID) ([]*version, error) {
	have := map[store.DocID]*version{}
	var asked []store.DocID
	v.mu.Lock()
	for _, id := range ids {
		if e, known := v.recent[id]; known {
			have[id] = e
		} else {
			asked = append(asked, id)
		}
	}
	v.mu.Unlock()
	slices.Sort(asked)
	var mu sync.Mutex
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(asideOf)
	for part := range slices.Chunk(slices.Compact(asked), v.c.limits().entriesPage) {
		group.Go(func() error {
			list, err := v.entries(within, v.live(), part)
			mu.Lock()
			defer mu.Unlock()
			for _, e := range list {
				have[e.Doc.ID] = e
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	v.remember(slices.Collect(maps.Values(have)))
	list := make([]*version, len(ids))
	for i, id := range ids {
		if list[i] = have[id]; list[i] == nil {
			return nil, phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
		}
	}
	return list, nil
}

// mostRecent is how many entries a view caches: some 8 MB.
const mostRecent = 4096

// remember caches entries, because a search needs them for the documents that it found and
// again for their texts, and the origins of their generations, as it looks for pairs in them.
func (v *view) remember(list []*version) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recent == nil || len(v.recent)+len(list) > mostRecent {
		v.recent = map[store.DocID]*version{}
	}
	for _, e := range list[:min(len(list), mostRecent)] {
		v.recent[e.Doc.ID] = e
	}
	if v.known == nil || len(v.known) > maxKnown {
		v.known = map[int64]origin{}
	}
	for _, e := range list {
		for _, gen := range e.gens() {
			v.known[gen] = origin{e.Doc.ID, true}
		}
	}
}

// firstBrowsed is the number of entries in the first answer if there is a prefix, as few
// documents may match; later answers have more.
const firstBrowsed = 16

func (v *view) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	query := object{"query": v.live(), "sort": sorting("key"), "_source": object{"excludes": []string{"entry.text.marks"}}}
	page := v.c.limits().entriesPage
	size := 4 * page // entries without marks are small
	if prefix != "" {
		query["search_after"] = []string{justBefore(nameKey(prefix))}
		size = min(firstBrowsed, page)
	}
	for ; ; size = min(4*size, 4*page) {
		query["size"] = size
		f, err := search[entrySource](ctx, v, ask{op: "read catalogue", part: documentsPart, query: query, only: "hits.hits._source,hits.hits.sort"})
		if err != nil {
			return err
		}
		for i := range f.Hits.Hits {
			e, err := f.Hits.Hits[i].Source.version()
			if err != nil {
				return err
			}
			if !strings.HasPrefix(e.Doc.Name(), prefix) {
				return nil // past the last name with the prefix
			}
			if err := fn(e.Doc); err != nil {
				return err
			}
		}
		if len(f.Hits.Hits) < size {
			return nil
		}
		query["search_after"] = f.Hits.Hits[size-1].after(1)
	}
}

// justBefore returns a string that sorts before a hexadecimal key and after every key that
// sorts before it.
func justBefore(key string) string {
	last := len(key) - 1
	return key[:last] + string(key[last]-1) + "~"
}

func (v *view) versions(ctx context.Context, fn func(*version) error) error {
	query := object{"query": v.live(), "seq_no_primary_term": true}
	return each(ctx, v, "read catalogue", documentsPart, query, v.c.limits().entriesPage, []string{"key"}, func(h *foundHit[entrySource]) error {
		e, err := versionOf(h)
		if err != nil {
			return err
		}
		return fn(e)
	})
}
