package esclient

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A part selects the documents that a view sees. The zero value selects all.
type part struct {
	condition object               // query for their entries, may be nil
	docs      map[store.DocID]bool // their ids, if not nil
	listed    bool                 // view.known has the generations of all of them
	gens      []int64              // these generations, if there are few: look-ups are limited to them
}

func (p *part) contains(id store.DocID) bool { return p.docs == nil || p.docs[id] }

// partial reports whether p does not select all documents.
func (p *part) partial() bool { return p.docs != nil || p.condition != nil }

// blocks returns the query for the blocks of the part, if look-ups are limited to them.
func (p *part) blocks() []object {
	if p.gens == nil {
		return nil
	}
	return []object{{"terms": object{"gen": p.gens}}}
}

// of returns a view of the same commit that sees the documents of p.
func (v *view) of(p part) *view {
	return &view{
		c: v.c, names: v.names, settings: v.settings, epoch: v.epoch, aborted: v.aborted, changed: v.changed,
		sizes: v.sizes, bases: v.bases, damage: v.damage, points: v.points, part: p,
	}
}

type partReader struct{ *view }

// Close implements [store.Reader]. It does nothing: the point in time belongs to the Reader.
func (partReader) Close() error { return nil }

// Of implements [store.Sifter].
func (r *Reader) Of(ids map[store.DocID]bool) store.Reader {
	return partReader{r.of(part{docs: ids})}
}

// Values implements [store.Sifter].
func (r *Reader) Values(ctx context.Context, names []string) (map[string][]store.Value, bool, error) {
	s, err := r.sums(ctx)
	if err != nil || s.Documents == 0 {
		return nil, false, err
	}
	values := map[string][]store.Value{}
	var asked []string // names whose values the head does not list
	for _, name := range names {
		switch {
		case s.About == nil:
			asked = append(asked, name)
		case !sort(values, name, s.About):
			return nil, false, nil
		}
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); len(asked) == 0 {
		return values, true, nil
	}
	ok, err := r.askValues(ctx, asked, values)
	return values, ok, err
}

// sort adds the values of a name in about to values. It returns false if a document has
// a value that is too long to be listed.
func sort(values map[string][]store.Value, name string, about map[string]int64) bool {
	if about[name+store.TooLong] > 0 {
		return false
	}
	var list []store.Value
	for _, told := range slices.Sorted(maps.Keys(about)) {
		if value, ok := strings.CutPrefix(told, name+"="); ok {
			list = append(list, store.Value{Value: value, Documents: about[told]})
		}
	}
	values[name] = list
	return true
}

// askValues adds the values of some names, from the server, to values. It returns false if
// a name has more than mostValues.
func (v *view) askValues(ctx context.Context, names []string, values map[string][]store.Value) (bool, error) {
	aggs := object{}
	for i, name := range names {
		aggs[fmt.Sprint("v", i)] = object{"terms": object{"field": "about", "include": lucenePattern.ReplaceAllString(name, `\$0`) + "[=<].*", "size": v.c.limits().mostValues}}
	}
	query := object{"query": v.live(), "size": 0, "aggs": aggs}
	f, err := search[entrySource](ctx, v, ask{op: "read catalogue", part: documentsPart, query: query, only: "aggregations"})
	if wire.Status(err) == http.StatusBadRequest {
		return false, nil // the server rejects the pattern, for example of a very long name
	}
	if err != nil {
		return false, err
	}
	for i, name := range names {
		about, found := map[string]int64{}, f.Aggregations[fmt.Sprint("v", i)]
		for _, b := range found.Buckets {
			about[b.Key] = b.Count
		}
		if found.Others > 0 || !sort(values, name, about) {
			return false, nil
		}
	}
	return true, nil
}

// lucenePattern matches the characters that may be operators of Lucene's regular
// expressions.
var lucenePattern = regexp.MustCompile(`[^\pL\pN]`)

// mostGens is how many generations a search names. The limit of the server is 65,536 terms.
const mostGens = 50_000

// Among implements [store.Sifter]. If the documents are not too many, it lists their
// generations at once, so that look-ups need not resolve the generations of blocks. If
// they are few, look-ups are limited to their blocks.
func (r *Reader) Among(ctx context.Context, all []store.Condition, names []store.Naming) (store.Reader, error) {
	s, err := r.sums(ctx)
	if err != nil || s.Documents == 0 {
		return nil, err
	}
	v := r.of(part{condition: conditionOf(all)})
	listed, aggs := s.listed(all, r.c.limits()), insides(all)
	f, err := v.sift(ctx, names, listed, aggs)
	if wire.Status(err) == http.StatusBadRequest {
		return nil, nil // the server is configured to reject expensive queries
	}
	if err != nil || f.Aggregations["named"].Count > 0 {
		return nil, err
	}
	for name := range aggs {
		if f.Aggregations[name].Count == 0 {
			return nil, nil
		}
	}
	sum := v.summedUp(f.Hits.Total.Value, f.Aggregations)
	v.summed = &sum
	if listed > 0 && sum.Documents <= listed {
		err = v.list(f, sum.Documents*r.c.limits().fewOf <= s.Documents)
	}
	return partReader{v}, err
}

// listed returns how many documents of a part to list: 0 if there are too many of them.
func (s *sums) listed(all []store.Condition, l *limits) int64 {
	listed := max(l.mostListed, min(l.mostPicked, s.Documents/l.fewOf))
	switch most, known := atMost(all, s.Documents); {
	case !known:
		return l.mostListed
	case most > listed:
		return 0
	}
	return listed
}

// insides returns aggregations that count the documents in each folder of the conditions.
func insides(all []store.Condition) object {
	aggs := object{}
	for _, c := range all {
		for _, h := range c {
			if h.In != "" {
				aggs[fmt.Sprint("in", len(aggs))] = object{"filter": havingOf(h)}
			}
		}
	}
	return aggs
}

// atMost returns an upper bound of the number of documents that meet all
// conditions. If a condition has a folder, the bound is not known.
func atMost(all []store.Condition, documents int64) (most int64, known bool) {
	most = documents
	for _, c := range all {
		var some int64
		for _, h := range c {
			if h.In != "" {
				return 0, false
			}
			having := lists.Sum(h.Values, func(v store.Value) int64 { return v.Documents })
			if h.Not {
				having = documents - having
			}
			some += having
		}
		most = min(most, some)
	}
	return most, true
}

// conditionOf returns the query for the entries of documents that meet all conditions.
func conditionOf(all []store.Condition) object {
	var list []object
	for _, c := range all {
		any := lists.Map(c, havingOf)
		list = append(list, object{"bool": object{"should": any}})
	}
	return filter(list...)
}

func havingOf(h store.Having) object {
	if h.In != "" {
		return object{"bool": object{"should": []object{
			{"term": object{"key": nameKey(h.In)}}, {"term": object{"about": "prefix=" + h.In}},
			{"prefix": object{"key": nameKey(h.In + "/")}}, {"prefix": object{"key": nameKey(h.In + "!/")}},
		}}}
	}
	told := []string{}
	told = append(told, lists.Map(h.Values, func(v store.Value) string { return h.Name + "=" + v.Value })...)
	terms := object{"terms": object{"about": told}}
	if h.Not {
		return object{"bool": object{"must_not": terms}}
	}
	return terms
}

// sift asks for the sums of the part, the number of documents with one of names, and the
// ids and generations of the first documents of the part.
func (v *view) sift(ctx context.Context, names []store.Naming, listed int64, more object) (*found[struct{}], error) {
	aggs, condition := v.sumAggregations(), v.part.condition
	maps.Copy(aggs, more)
	if len(names) > 0 {
		named := lists.Map(names, namingOf)
		// If no document has one of names, the hits are those of the part.
		aggs["named"] = object{"filter": object{"bool": object{"should": named}}}
		condition = object{"bool": object{"should": append(named, condition)}}
	}
	query := object{
		"query": filter(v.alive(v.epoch), condition), "size": listed, "track_total_hits": true,
		"_source": false, "docvalue_fields": []string{"doc", "gens"}, "aggs": aggs,
	}
	return search[struct{}](ctx, v, ask{op: "find documents", part: documentsPart, query: query, only: "hits.total,hits.hits.fields,aggregations"})
}

func namingOf(n store.Naming) object {
	if n.Within {
		return object{"wildcard": object{"key": object{"value": "*" + nameKey(n.Text) + "*"}}}
	}
	return object{"prefix": object{"key": nameKey(n.Text)}}
}

// list records the documents of the part, all of which f has. few limits look-ups to their
// blocks.
func (v *view) list(f *found[struct{}], few bool) error {
	if int64(len(f.Hits.Hits)) != f.Hits.Total.Value {
		return phrase.Error("cluster.find-short", "find documents: the answer has {found} of {all}: {cause}", "found", len(f.Hits.Hits), "all", f.Hits.Total.Value, "cause", store.ErrDamaged)
	}
	v.part.listed, v.known = true, map[int64]origin{}
	for i := range f.Hits.Hits {
		o, err := holderOf(f.Hits.Hits[i].Fields)
		if err != nil {
			return err
		}
		for _, gen := range o.gens {
			v.known[gen] = origin{o.doc, true}
		}
	}
	if few && len(v.known) <= mostGens {
		v.part.gens = slices.Sorted(maps.Keys(v.known))
	}
	return nil
}

func (v *view) LeftOut(ctx context.Context) (map[store.DocID]bool, error) {
	if v.part.partial() {
		return store.LeftOutOf(ctx, v)
	}
	s, err := v.sums(ctx)
	if err != nil {
		return nil, err
	}
	left := map[store.DocID]bool{}
	if s.About != nil && s.About[store.HasCopies] == 0 {
		return left, nil
	}
	query := object{"query": filter(v.live(), object{"term": object{"about": store.HasCopies}}), "_source": []string{"entry.document.copies"}}
	err = each(ctx, v, "read catalogue", documentsPart, query, v.c.limits().entriesPage, []string{"key"}, func(h *foundHit[entrySource]) error {
		for _, name := range h.Source.Entry.Document.Copies {
			left[store.IDOf("", name)] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(left)), mostFetched) {
		if err := v.present(ctx, ids, func(id store.DocID) { delete(left, id) }); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// present calls fn with those of ids whose documents v sees.
func (v *view) present(ctx context.Context, ids []store.DocID, fn func(store.DocID)) error {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	query := object{
		"query": filter(object{"terms": object{"doc": names}}, v.live()), "size": len(ids),
		"_source": false, "docvalue_fields": []string{"doc", "gens"},
	}
	f, err := search[struct{}](ctx, v, ask{op: "read catalogue", part: documentsPart, query: query, only: "hits.hits.fields"})
	if err != nil {
		return err
	}
	for i := range f.Hits.Hits {
		o, err := holderOf(f.Hits.Hits[i].Fields)
		if err != nil {
			return err
		}
		fn(o.doc)
	}
	return nil
}
