package esclient

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

// A block that somebody has deleted by hand is as one that no document ever had, and
// so is one whose entry was: a search would find less, without a word. So the head
// says how many there are, and whoever opens the index has the server count them.
//
// Beside those of the commit there may be others: of versions that were replaced,
// which the next commit deletes, and which the head lists; and of documents that were
// being added at the time of the commit, or were given up. Those are the reason why
// more than the head says is no damage.

// Counts are what the server is asked to count, and what it should find.
type counts struct {
	want map[string]int64 // by part
	of   object           // conditions by part, and by goneFrom of a part
}

// goneFrom names the blocks of a part that are there and are not of the commit.
func goneFrom(part string) string { return part + " gone" }

// unitsField returns the field of an entry that says of how many blocks or chunks its
// part is.
func unitsField(part string) string { return "units." + strings.TrimSuffix(part, "gram") }

// counts returns what there should be, and nil where the head does not say it.
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
		if len(s.Gone) > 0 {
			c.of[goneFrom(part)] = within(part, object{"terms": object{"gen": s.Gone}})
		}
	}
	return c
}

// mostGone is how many replaced and deleted versions are told from what is seen by their
// generations.
const mostGone = 1000

// noteUnits completes the sums of a commit that v sees and that is about to be.
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
	used, err := v.used(ctx, slices.Collect(maps.Keys(gens)), v.live()) // a version that replaces one may have its parts
	maps.DeleteFunc(gens, func(gen int64, _ bool) bool { return used[gen] })
	sums.Gone = slices.Sorted(maps.Keys(gens))
	return err
}

// A countAnswer has how many there are of each kind.
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

// count has the server count what a point in time has, and says what there is less of
// than there should be. Where that failed, another point in time may be better.
func (p *points) count(ctx context.Context, op, id string) (short, failed error, again bool) {
	if p.counts == nil {
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
		if short = p.names.short(part, want, got); short != nil {
			return short, nil, false
		}
	}
	return nil, nil, false
}

// short compares how many entries, blocks or chunks of a part there are with what the
// head says.
func (n names) short(part string, want, got int64) error {
	switch {
	case part == documentsPart && got != want:
		return fmt.Errorf("catalogue of index %s has %d documents, and its head says %d: %w", n.base, got, want, store.ErrDamaged)
	case part != documentsPart && got < want:
		return fmt.Errorf("%s has %d blocks, and the head of the index says %d: %w", n.concrete(part), got, want, store.ErrDamaged)
	}
	return nil
}

// lacking returns what is missing from the cluster of what there should be.
func (p *points) lacking() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.short
}
