package esclient

import (
	"context"
	"fmt"
	"slices"
	"strconv"

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
	for part := range slices.Chunk(asked, entriesPage) {
		if err := v.resolve(ctx, part, docs); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// resolve asks the catalogue which documents these generations are parts of.
func (v *view) resolve(ctx context.Context, gens []int64, docs map[int64]origin) error {
	slices.Sort(gens)
	query := object{
		"query": filter(object{"terms": object{"gens": gens}}, v.live()), "size": len(gens),
		"_source": []string{"doc", "gens"},
	}
	f, err := find[entrySource](ctx, v, "look up", documentsPart, query)
	if err != nil {
		return err
	}
	for i := range f.Hits.Hits {
		s := &f.Hits.Hits[i].Source
		id, err := strconv.ParseUint(s.Doc, 16, 64)
		if err != nil {
			return fmt.Errorf("entry of document %.20q: %w", s.Doc, store.ErrDamaged)
		}
		for _, gen := range s.Gens {
			if _, ok := slices.BinarySearch(gens, gen); ok {
				docs[gen] = origin{store.DocID(id), true}
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known) > maxKnown {
		v.known = map[int64]origin{}
	}
	for _, gen := range gens {
		v.known[gen] = docs[gen]
	}
	return nil
}
