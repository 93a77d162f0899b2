package esclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// An origin is the document that a generation belongs to, if the view sees it.
type origin struct {
	doc  store.DocID
	live bool
}

// maxKnown is how many generations a view caches: some 50 MB.
const maxKnown = 1 << 20

func (v *view) origins(ctx context.Context, gens []int64) (map[int64]origin, error) {
	docs := map[int64]origin{}
	var asked []int64
	v.mu.Lock()
	for _, gen := range gens {
		if _, ok := docs[gen]; ok {
			continue
		}
		from, ok := v.known[gen]
		docs[gen] = from
		if !ok && !v.part.listed {
			asked = append(asked, gen)
		}
	}
	v.mu.Unlock()
	slices.Sort(asked)
	parts := slices.Collect(slices.Chunk(asked, mostFetched))
	found := make([][]holder, len(parts))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(asideOf)
	for i, part := range parts {
		group.Go(func() (err error) { found[i], err = v.resolve(within, part); return err })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	v.learn(asked, slices.Concat(found...), docs)
	return docs, nil
}

func gensOf(hits []foundHit[block]) []int64 {
	gens := make([]int64, len(hits))
	for i := range hits {
		gens[i] = hits[i].Source.Gen
	}
	return gens
}

func (v *view) resolve(ctx context.Context, gens []int64) (list []holder, err error) {
	query := object{
		"query": filter(object{"terms": object{"gens": gens}}, v.live()), "size": len(gens),
		"_source": false, "docvalue_fields": []string{"doc", "gens"},
	}
	f, err := search[struct{}](ctx, v, ask{op: "look up", part: documentsPart, query: query, only: "hits.hits.fields"})
	if err != nil {
		return nil, err
	}
	for i := range f.Hits.Hits {
		o, err := holderOf(f.Hits.Hits[i].Fields)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// A holder is a document and its generations, a tenth of its entry. A look-up of pairs
// meets thousands of documents by chance.
type holder struct {
	doc  store.DocID
	gens []int64
}

func holderOf(fields json.RawMessage) (holder, error) {
	var f struct {
		Doc  []string `json:"doc"`
		Gens []int64  `json:"gens"`
	}
	err := json.Unmarshal(fields, &f)
	if err == nil && len(f.Doc) != 1 {
		err = phrase.Error("cluster.entry-ids", "it has {ids} document ids", "ids", len(f.Doc))
	}
	if err != nil {
		return holder{}, phrase.Error("cluster.entry", "entry {entry}: {cause}: {damaged}", "entry", fmt.Sprintf("%.100s", fields), "cause", err, "damaged", store.ErrDamaged)
	}
	id, err := strconv.ParseUint(f.Doc[0], 16, 64)
	if err != nil {
		return holder{}, phrase.Error("cluster.entry-id", "entry of document {id}: not an id: {cause}", "id", fmt.Sprintf("%.20q", f.Doc[0]), "cause", store.ErrDamaged)
	}
	return holder{store.DocID(id), f.Gens}, nil
}

// learn adds to docs and to the cache the origins of the generations that were asked
// for, found or not. It also caches those of the other parts of the same documents,
// because a look-up of n-grams usually follows one of pairs.
func (v *view) learn(asked []int64, found []holder, docs map[int64]origin) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known) > maxKnown {
		v.known = map[int64]origin{}
	}
	for _, gen := range asked {
		v.known[gen] = origin{}
	}
	for _, o := range found {
		for _, gen := range o.gens {
			v.known[gen] = origin{o.doc, true}
		}
	}
	for _, gen := range asked {
		docs[gen] = v.known[gen]
	}
}
