package esclient

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/store"
)

// An origin is what a generation belongs to, if to anything that is seen.
type origin struct {
	doc  store.DocID
	live bool
}

// maxKnown is how many generations a view remembers: some 50 MB.
const maxKnown = 1 << 20

// origins returns the document of each generation among hits.
func (v *view) origins(ctx context.Context, hits []foundHit[block]) (map[int64]origin, error) {
	docs := map[int64]origin{}
	var asked []int64
	v.mu.Lock()
	for i := range hits {
		gen := hits[i].Source.Gen
		if _, ok := docs[gen]; ok {
			continue
		}
		from, ok := v.known[gen]
		docs[gen] = from
		if !ok {
			asked = append(asked, gen)
		}
	}
	v.mu.Unlock()
	found := make([][]*version, (len(asked)+entriesPage-1)/entriesPage)
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(asideOf)
	slices.Sort(asked)
	for i := range found {
		part := asked[i*entriesPage : min(len(asked), (i+1)*entriesPage)]
		group.Go(func() (err error) { found[i], err = v.resolve(within, part); return err })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	v.learn(asked, slices.Concat(found...), docs)
	return docs, nil
}

// resolve asks the catalogue which documents these generations are parts of.
func (v *view) resolve(ctx context.Context, gens []int64) (list []*version, err error) {
	query := object{
		"query": filter(object{"terms": object{"gens": gens}}, v.live()), "size": len(gens), "seq_no_primary_term": true,
	}
	f, err := find[entrySource](ctx, v, "look up", documentsPart, query)
	if err != nil {
		return nil, err
	}
	for i := range f.Hits.Hits {
		e, err := versionOf(&f.Hits.Hits[i])
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// learn notes in docs, and for later, what was found about generations that were
// asked for, and the other parts of the same documents: who has looked up pairs
// looks up n-grams next.
func (v *view) learn(asked []int64, found []*version, docs map[int64]origin) {
	v.remember(found)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known) > maxKnown {
		v.known = map[int64]origin{}
	}
	for _, gen := range asked {
		v.known[gen] = origin{}
	}
	for _, e := range found {
		for _, gen := range e.gens() {
			v.known[gen] = origin{e.Doc.ID, true}
		}
	}
	for _, gen := range asked {
		docs[gen] = v.known[gen]
	}
}
