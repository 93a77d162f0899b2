package pick

import (
	"context"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Only returns a reader of the documents that p selects. Its name lists the arguments.
func Only(ctx context.Context, r store.Reader, p *Picker) (store.Reader, error) {
	part, err := p.sift(ctx, r)
	if err != nil {
		return nil, err
	}
	if part != nil {
		info, err := part.Info(ctx)
		info.Name += p.called()
		return &sifted{part, info}, err
	}
	o := &only{Reader: r, picked: map[store.DocID]bool{}}
	if o.info, err = r.Info(ctx); err != nil {
		return nil, err
	}
	o.info.Documents, o.info.TextBytes, o.info.Sizes, o.info.Pairs = 0, 0, nil, store.PairInfo{}
	if err := p.Each(ctx, r, func(d *store.Document) error { o.add(d); return nil }); err != nil {
		return nil, err
	}
	o.info.Name += p.called()
	if s, ok := r.(store.Sifter); ok {
		o.within = s.Of(o.picked)
	}
	return o, nil
}

// called returns the suffix for the name of the part of an index that p means.
func (p *Picker) called() string {
	typed := lists.Map(p.means, func(m *meaning) string { return m.typed })
	for _, c := range p.opts.Where {
		typed = append(typed, c.typed)
	}
	return ": " + strings.Join(typed, ", ")
}

// A sifted is a part of an index that the index itself selected.
type sifted struct {
	store.Reader
	info store.Info
}

func (s *sifted) Info(context.Context) (store.Info, error) { return s.info, nil }

type only struct {
	store.Reader
	picked map[store.DocID]bool
	info   store.Info
	within store.Reader // looks up in the selected documents; nil if the index cannot
}

func (o *only) add(d *store.Document) {
	if o.picked[d.ID] {
		return
	}
	o.picked[d.ID] = true
	o.info.Documents++
	o.info.TextBytes += d.Text
	if d.Paired {
		o.info.Pairs.Documents++
		o.info.Pairs.Pairs += d.Pairs
	}
	for _, s := range d.Sizes {
		i, found := slices.BinarySearchFunc(o.info.Sizes, s.N, func(x store.SizeInfo, n int) int { return x.N - n })
		if !found {
			o.info.Sizes = slices.Insert(o.info.Sizes, i, store.SizeInfo{N: s.N})
		}
		o.info.Sizes[i].Documents++
		o.info.Sizes[i].Grams += s.Grams
	}
}

func (o *only) Info(context.Context) (store.Info, error) { return o.info, nil }

func (o *only) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	if err := o.requirePicked(ids); err != nil {
		return err
	}
	return o.Reader.Entries(ctx, ids, fn)
}

func (o *only) Texts(ctx context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	if err := o.requirePicked(ids); err != nil {
		return err
	}
	return o.Reader.Texts(ctx, ids, fn)
}

func (o *only) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	if err := o.requirePicked(ids); err != nil {
		return err
	}
	return o.Reader.Pieces(ctx, ids, choose, fn)
}

// requirePicked returns an error if one of ids is not selected.
func (o *only) requirePicked(ids []store.DocID) error {
	for _, id := range ids {
		if !o.picked[id] {
			return phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
		}
	}
	return nil
}

func (o *only) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	return o.Reader.Documents(ctx, prefix, o.picking(fn))
}

// picking returns a function that calls fn with the selected documents.
func (o *only) picking(fn func(store.Document) error) func(store.Document) error {
	return func(d store.Document) error {
		if !o.picked[d.ID] {
			return nil
		}
		return fn(d)
	}
}

func (o *only) LeftOut(ctx context.Context) (map[store.DocID]bool, error) {
	return store.LeftOutOf(ctx, o)
}

// Measure implements [store.Reader]. The bytes of a part are unknown.
func (o *only) Measure(context.Context, *store.Info) error { return nil }

// Lookup implements [store.Reader]. A hash that is common in the whole index need not be common
// here, so the whole index is asked without a limit of documents.
func (o *only) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if o.within != nil {
		return o.within.Lookup(ctx, n, hashes, limits, fn)
	}
	return o.Reader.Lookup(ctx, n, hashes, store.Limits{Positions: limits.Positions}, o.sift(limits, fn))
}

// LookupPairs implements [store.Reader]. A pair that is common in the whole index is common
// here too, unless the index can look up in a part.
func (o *only) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if o.within != nil {
		return o.within.LookupPairs(ctx, pairs, limits, fn)
	}
	return o.Reader.LookupPairs(ctx, pairs, store.Limits{Positions: limits.Positions}, o.sift(limits, fn))
}

func (o *only) NearPairs(ctx context.Context, q store.PairQuery) (store.PairFinder, error) {
	if o.within != nil {
		return o.within.NearPairs(ctx, q)
	}
	return store.PairsOf(o, q), nil
}

// sift returns a function that calls fn with hits reduced to the selected documents.
func (o *only) sift(limits store.Limits, fn func(store.Hit) error) func(store.Hit) error {
	return func(h store.Hit) error {
		if h.Common {
			return fn(h)
		}
		h.Postings = slices.DeleteFunc(slices.Clone(h.Postings), func(p store.Posting) bool { return !o.picked[p.Doc] })
		if len(h.Postings) == 0 {
			return nil
		}
		if limits.Docs > 0 && store.CountDocuments(h.Postings) > limits.Docs {
			h.Common, h.Postings = true, nil
		}
		return fn(h)
	}
}
