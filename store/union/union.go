// Package union reads two indexes as one: a large one, and a small one whose documents are
// searched as well, such as the other texts of a class.
//
// [New] returns a [Reader] of both. It has the name and the figures of the large index:
// [store.Info] does not cover the small one. A name, and so an id, may be in both indexes;
// therefore documents of the small one have other ids here, which [Reader.ID] returns.
//
// [Join] returns a [Reader] of several indexes of equal rank, with the sum of their figures.
package union

import (
	"context"
	"errors"
	"maps"
	"math/bits"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// salt separates the ids of the small index from those of the large one. It is constant, so
// that reports are reproducible. The indexes of Join have rotations of it, so that a small index
// can be added to them.
const salt = store.DocID(0x6f7469736b2b2b01)

// chunk is the number of hashes that are looked up in the small index at once, which bounds
// the postings held.
const chunk = 512

// A Reader reads two indexes as one.
type Reader struct {
	// Neither is embedded: otherwise a method added to the contract would silently ask only one
	// index.
	large, small store.Reader
	own          map[store.DocID]bool // ids of the documents of the small index
	salt         store.DocID
	equal        bool // both are of equal rank: Info covers both
}

var _ store.Reader = (*Reader)(nil)

// New returns a reader of both indexes. They must have the same normalisation, and stay
// open while the reader is used. Closing the reader does nothing.
func New(ctx context.Context, large, small store.Reader) (*Reader, error) {
	return newReader(ctx, &Reader{large: large, small: small, salt: salt})
}

// ErrSettings means that indexes with different normalisations cannot be read as one.
var ErrSettings error = phrase.Error("said.indexes-differ", "the indexes have different settings; create them again with the same ones")

// Join returns a reader of several indexes, and the ids of the documents of each. The name of the
// reader has the names of all, in their order. It returns an error wrapping ErrSettings unless all
// have the same normalisation. The indexes must stay open while the reader is used; closing the
// reader does nothing.
func Join(ctx context.Context, indexes ...store.Reader) (_ store.Reader, of []map[store.DocID]bool, err error) {
	joined := indexes[0]
	first := map[store.DocID]bool{}
	err = joined.Documents(ctx, "", func(d store.Document) error {
		first[d.ID] = true
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	of = append(of, first)
	for i, next := range indexes[1:] {
		if !maps.Equal(next.Settings().Normalization, joined.Settings().Normalization) {
			return nil, nil, ErrSettings
		}
		r, err := newReader(ctx, &Reader{large: joined, small: next, salt: store.DocID(bits.RotateLeft64(uint64(salt), 8*(i+1))), equal: true})
		if err != nil {
			return nil, nil, err
		}
		joined, of = r, append(of, r.own)
	}
	return joined, of, nil
}

// newReader reads the ids of the documents of the small index.
func newReader(ctx context.Context, r *Reader) (*Reader, error) {
	r.own = map[store.DocID]bool{}
	err := r.small.Documents(ctx, "", func(d store.Document) error {
		r.own[r.ID(d.ID)] = true
		return nil
	})
	return r, err
}

// ID returns the id of a document of the small index in this reader.
func (r *Reader) ID(small store.DocID) store.DocID { return small ^ r.salt }

// Settings implements [store.Reader].
func (r *Reader) Settings() store.Settings { return r.large.Settings() }

// Close implements [store.Reader].
func (r *Reader) Close() error { return nil }

// Info implements [store.Reader]. It counts the pairs of both indexes, which determine which pairs
// are frequent. All else is that of the large one, unless both are of equal rank.
func (r *Reader) Info(ctx context.Context) (store.Info, error) {
	info, err := r.large.Info(ctx)
	if err != nil {
		return info, err
	}
	small, err := r.small.Info(ctx)
	if err != nil {
		return info, err
	}
	info.Pairs.Pairs += small.Pairs.Pairs
	if r.equal {
		r.add(&info, &small)
	}
	return info, nil
}

// add adds the figures of a further index to info. The pairs are already added.
func (r *Reader) add(info, more *store.Info) {
	info.Name += ", " + more.Name
	info.Where += ", " + more.Where
	if more.Changed.After(info.Changed) {
		info.Changed = more.Changed
	}
	info.Documents += more.Documents
	info.LeftOut += more.LeftOut
	info.TextBytes += more.TextBytes
	info.KeptBytes += more.KeptBytes
	info.Pairs.Documents += more.Pairs.Documents
	info.Pairs.Bytes += more.Pairs.Bytes
	info.Bases = slices.Concat(info.Bases, more.Bases)
	info.Sizes = slices.Clone(info.Sizes)
	for _, size := range more.Sizes {
		i, found := slices.BinarySearchFunc(info.Sizes, size.N, func(s store.SizeInfo, n int) int { return s.N - n })
		if !found {
			info.Sizes = slices.Insert(info.Sizes, i, store.SizeInfo{N: size.N})
		}
		info.Sizes[i].Documents += size.Documents
		info.Sizes[i].Grams += size.Grams
		info.Sizes[i].Bytes += size.Bytes
	}
}

// Measure implements [store.Reader] for the large index.
func (r *Reader) Measure(ctx context.Context, info *store.Info) error {
	return r.large.Measure(ctx, info)
}

// Entries implements [store.Reader].
func (r *Reader) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	return r.runs(ids, func(in store.Reader, some []store.DocID, _ int) error {
		return in.Entries(ctx, some, func(d store.Document) error {
			if in == r.small {
				d.ID ^= r.salt
			}
			return fn(d)
		})
	})
}

// Texts implements [store.Reader].
func (r *Reader) Texts(ctx context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	return r.runs(ids, func(in store.Reader, some []store.DocID, from int) error {
		return in.Texts(ctx, some, func(i int, text string, err error) error { return fn(from+i, text, err) })
	})
}

// Pieces implements [store.Reader].
func (r *Reader) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	return r.runs(ids, func(in store.Reader, some []store.DocID, from int) error {
		chosen := func(i int, m *store.Marks) ([]store.Piece, error) { return choose(from+i, m) }
		return in.Pieces(ctx, some, chosen, func(i int, pieces []string, err error) error { return fn(from+i, pieces, err) })
	})
}

// runs calls fn for each run of ids of the same index, with the index, the ids there and the start of the run.
func (r *Reader) runs(ids []store.DocID, fn func(in store.Reader, some []store.DocID, from int) error) error {
	for from := 0; from < len(ids); {
		in, own, to := r.large, r.own[ids[from]], from+1
		for to < len(ids) && r.own[ids[to]] == own {
			to++
		}
		some := ids[from:to]
		if own {
			in, some = r.small, slices.Clone(some)
			for i := range some {
				some[i] ^= r.salt
			}
		}
		if err := fn(in, some, from); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// Documents implements [store.Reader].
func (r *Reader) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	var waiting []store.Document
	err := r.small.Documents(ctx, prefix, func(d store.Document) error {
		d.ID = r.ID(d.ID)
		waiting = append(waiting, d)
		return nil
	})
	if err != nil {
		return err
	}
	err = r.large.Documents(ctx, prefix, func(d store.Document) error {
		for len(waiting) > 0 && waiting[0].Name() < d.Name() {
			if err := fn(waiting[0]); err != nil {
				return err
			}
			waiting = waiting[1:]
		}
		return fn(d)
	})
	for err == nil && len(waiting) > 0 {
		err = fn(waiting[0])
		waiting = waiting[1:]
	}
	return err
}

// LeftOut implements [store.Reader]: a document is left out of both if one index names
// it and neither has it.
func (r *Reader) LeftOut(ctx context.Context) (map[store.DocID]bool, error) {
	left, err := r.large.LeftOut(ctx)
	if err != nil {
		return nil, err
	}
	more, err := r.small.LeftOut(ctx)
	if err != nil {
		return nil, err
	}
	left = maps.Clone(left)
	maps.Copy(left, more)
	for id := range left {
		for _, one := range []store.Reader{r.large, r.small} {
			if _, err := store.Entry(ctx, one, id); err == nil {
				delete(left, id)
			} else if !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
		}
	}
	return left, nil
}

// Verify implements [store.Reader].
func (r *Reader) Verify(ctx context.Context, problem func(error)) error {
	if err := r.large.Verify(ctx, problem); err != nil {
		return err
	}
	return r.small.Verify(ctx, problem)
}

// Lookup implements [store.Reader].
func (r *Reader) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return r.lookup(hashes, limits, fn, func(s store.Reader, some []store.Hash, fn func(store.Hit) error) error {
		return s.Lookup(ctx, n, some, limits, fn)
	})
}

// LookupPairs implements [store.Reader].
func (r *Reader) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	limits = limits.OfPairs()
	return r.lookup(pairs, limits, fn, func(s store.Reader, some []store.Hash, fn func(store.Hit) error) error {
		return s.LookupPairs(ctx, some, limits, fn)
	})
}

// NearPairs implements [store.Reader].
func (r *Reader) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(r, q), nil
}

// lookup looks up hashes in both indexes by in, and calls fn in ascending order of hashes.
func (r *Reader) lookup(hashes []store.Hash, limits store.Limits, fn func(store.Hit) error, in func(store.Reader, []store.Hash, func(store.Hit) error) error) error {
	q := &queue{reader: r, hashes: hashes, in: in}
	err := in(r.large, hashes, func(h store.Hit) error {
		for {
			next, err := q.head()
			switch {
			case err != nil:
				return err
			case next == nil || next.Hash > h.Hash:
				return fn(h)
			case next.Hash == h.Hash:
				q.hits = q.hits[1:]
				return fn(join(h, *next, limits))
			}
			q.hits = q.hits[1:]
			if err := fn(*next); err != nil {
				return err
			}
		}
	})
	for err == nil {
		var next *store.Hit
		if next, err = q.head(); err != nil || next == nil {
			break
		}
		q.hits = q.hits[1:]
		err = fn(*next)
	}
	return err
}

// join combines the hits of both indexes for one hash.
func join(a, b store.Hit, limits store.Limits) store.Hit {
	if a.Common || b.Common {
		return store.Hit{Hash: a.Hash, Common: true}
	}
	all := slices.Concat(a.Postings, b.Postings)
	slices.SortFunc(all, store.ByPlace)
	if limits.Docs > 0 && store.CountDocuments(all) > limits.Docs {
		return store.Hit{Hash: a.Hash, Common: true}
	}
	return store.Hit{Hash: a.Hash, Postings: all}
}

// A queue holds the next hits of the small index.
type queue struct {
	reader *Reader
	hashes []store.Hash // still to be looked up
	in     func(store.Reader, []store.Hash, func(store.Hit) error) error
	hits   []store.Hit
}

func (q *queue) head() (*store.Hit, error) {
	for len(q.hits) == 0 && len(q.hashes) > 0 {
		some := q.hashes[:min(chunk, len(q.hashes))]
		q.hashes = q.hashes[len(some):]
		err := q.in(q.reader.small, some, func(h store.Hit) error {
			h.Postings = slices.Clone(h.Postings)
			for i := range h.Postings {
				h.Postings[i].Doc = q.reader.ID(h.Postings[i].Doc)
			}
			slices.SortFunc(h.Postings, store.ByPlace)
			q.hits = append(q.hits, h)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(q.hits) == 0 {
		return nil, nil
	}
	return &q.hits[0], nil
}
