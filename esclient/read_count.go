package esclient

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// If somebody deletes blocks or entries by hand, a search finds less and nothing else
// shows it. So the head records how many there are, and opening the index has the server
// count them.
//
// There may be more blocks than those of the commit: those of replaced versions, which
// the next commit deletes and whose generations the head lists, and those of documents
// that were being added during the commit or were given up. So a surplus is no damage.

// Counts has the queries by which the server counts, and the expected results.
type counts struct {
	want map[string]int64 // expected counts by part
	of   object           // queries by part, and by goneFrom of a part
}

// goneFrom names the count of the blocks of a part that belong to replaced versions.
func goneFrom(part string) string { return part + " gone" }

// newerPairs names the count of the blocks of pairs that were added after the commit.
const newerPairs = pairsPart + " newer"

// unitsField returns the field of an entry that has the number of blocks or chunks of a
// part.
func unitsField(part string) string { return "units." + strings.TrimSuffix(part, "gram") }

// counts returns the expected counts of the commit of v, nil before the first commit.
func (v *view) counts() *counts {
	s := v.summed
	if s == nil || s.Epoch != v.epoch {
		return nil
	}
	within := func(part string, condition object) object {
		return filter(object{"term": object{"_index": v.names.concrete(part)}}, condition)
	}
	c := &counts{want: map[string]int64{documentsPart: s.Documents}, of: object{documentsPart: within(documentsPart, v.live())}}
	for part, units := range s.Units {
		c.want[part], c.of[part] = units, within(part, object{"range": object{"gen": object{"lt": s.Below}}})
		if part == pairsPart {
			c.of[newerPairs] = within(part, object{"range": object{"gen": object{"gte": s.Below}}})
		}
		if len(s.Gone) > 0 {
			c.of[goneFrom(part)] = within(part, object{"terms": object{"gen": s.Gone}})
		}
	}
	return c
}

// mostGone is up to how many replaced and deleted versions the head lists the
// generations. Beyond that, missing blocks may be hidden by those of such versions.
const mostGone = 1000

// noteUnits adds to the sums of a coming commit, of which v is the view, the generations
// below which blocks are counted and those of replaced versions.
func (s *Store) noteUnits(ctx context.Context, v *view, sums *sums) error {
	sums.Below = s.gens.Load() + 1
	query := object{"query": filter(v.gone(v.epoch)), "size": mostGone + 1, "_source": []string{"gens"}}
	f, err := find[entrySource](ctx, v, "sum up index", documentsPart, query)
	if err != nil || len(f.Hits.Hits) > mostGone {
		return err
	}
	gens := map[int64]bool{}
	for i := range f.Hits.Hits {
		for _, gen := range f.Hits.Hits[i].Source.Gens {
			gens[gen] = true
		}
	}
	if len(gens) == 0 {
		return nil
	}
	used, err := v.used(ctx, slices.Collect(maps.Keys(gens)), v.live()) // a replacing version may share parts
	maps.DeleteFunc(gens, func(gen int64, _ bool) bool { return used[gen] })
	sums.Gone = slices.Sorted(maps.Keys(gens))
	return err
}

type countAnswer struct {
	Took         *int64 `json:"took"`
	Aggregations struct {
		Kinds struct {
			Buckets map[string]struct {
				Count int64 `json:"doc_count"`
			} `json:"buckets"`
		} `json:"kinds"`
	} `json:"aggregations"`
}

func (a *countAnswer) Whole() bool { return a.Took != nil }

// count has the server count the entries, blocks and chunks in a point in time. If a
// count is too low, it returns the error short. If the request failed, it returns failed,
// and whether another point in time may succeed.
func (p *points) count(ctx context.Context, op, id string) (short, failed error, again bool) {
	if p.counts == nil {
		p.noteSurplus(true, true)
		return nil, nil, false
	}
	query := object{
		"size": 0, "track_total_hits": false, "pit": object{"id": id, "keep_alive": keepPoint},
		"aggs": object{"kinds": object{"filters": object{"filters": p.counts.of}}},
	}
	var a countAnswer
	failed, again = p.c.Try(ctx, wire.Request{Op: op, Body: marshal(query), Out: &a, Call: searching("aggregations")})
	if failed != nil {
		return nil, failed, again || wire.Status(failed) == http.StatusNotFound
	}
	for _, part := range p.parts {
		want, counted := p.counts.want[part]
		if !counted {
			continue
		}
		got := a.Aggregations.Kinds.Buckets[part].Count - a.Aggregations.Kinds.Buckets[goneFrom(part)].Count
		if part == pairsPart {
			p.noteSurplus(got > want, a.Aggregations.Kinds.Buckets[newerPairs].Count > 0)
		}
		if short = p.names.short(part, want, got); short != nil {
			return short, nil, false
		}
	}
	return nil, nil, false
}

func (p *points) noteSurplus(stray, newer bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stray, p.newer = stray, newer
}

func (n names) short(part string, want, got int64) error {
	switch {
	case part == documentsPart && got != want:
		return phrase.Error("cluster.catalogue-short", "catalogue of index {name} has {documents} documents, its head records {recorded}: {cause}", "name", n.base, "documents", got, "recorded", want, "cause", store.ErrDamaged)
	case part != documentsPart && got < want:
		return phrase.Error("cluster.blocks-short", "{name} has {blocks} blocks, the head of the index records {recorded}: {cause}", "name", n.concrete(part), "blocks", got, "recorded", want, "cause", store.ErrDamaged)
	}
	return nil
}

// lacking returns the error of a count that was too low, or nil.
func (p *points) lacking() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.short
}
