package esclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/internal/phrase"
	"github.com/otisk/otisk/store"
)

// Grams calls fn with the hashes of a document's n-grams of n words, in the order of their
// positions, a block at a time. The hashes are valid during the call only. If the document
// does not exist or has none, the error wraps store.ErrNotFound. Copying an index uses it.
func (v *view) Grams(ctx context.Context, id store.DocID, n int, fn func([]store.Hash) error) error {
	e, err := v.mustEntry(ctx, id)
	if err != nil {
		return err
	}
	p, ok := e.size(n)
	if !ok {
		return phrase.Error("cluster.no-grams", "{name} has no {size}-grams: {cause}", "name", e.Doc.Name(), "size", n, "cause", store.ErrNotFound)
	}
	return v.piece(ctx, e, p, fn)
}

// piece calls fn with the hashes of a part, and compares their number and checksum with
// the catalogue.
func (v *view) piece(ctx context.Context, e *version, p piece, fn func([]store.Hash) error) error {
	got := piece{N: p.N, Gen: p.Gen}
	var hashes []store.Hash
	query := object{"query": filter(object{"term": object{"gen": p.Gen}})}
	err := each(ctx, v, "read n-grams", gramsPart(p.N), query, v.c.limits().gramsPage, []string{"no"}, func(h *foundHit[block]) error {
		if h.Source.No != got.Units {
			return phrase.Error("cluster.block-missing", "{list} of {name}: block {block} is missing: {cause}", "list", gramsName(p.N), "name", e.Doc.Name(), "block", got.Units, "cause", store.ErrDamaged)
		}
		var err error
		if hashes, err = h.Source.own(p.N, hashes[:0]); err != nil {
			return err
		}
		got.Units++
		got.Grams += int64(len(hashes))
		got.Sum = got.Sum.add(hashes)
		return fn(hashes)
	})
	if err == nil && got != p {
		err = phrase.Error("cluster.grams-differ", "{list} of {name}: {found} in {blocks} blocks, checksum {sum}, want {wanted} in {in}, {as}: {cause}", "list", gramsName(p.N), "name", e.Doc.Name(), "found", got.Grams, "blocks", got.Units, "sum", fmt.Sprintf("%x", uint64(got.Sum)), "wanted", p.Grams, "in", p.Units, "as", fmt.Sprintf("%x", uint64(p.Sum)), "cause", store.ErrDamaged)
	}
	return err
}

// Verify implements [store.Reader].
func (v *view) Verify(ctx context.Context, problem func(error)) error {
	report := func(err error) error {
		if errors.Is(err, store.ErrDamaged) {
			problem(err)
			return nil
		}
		return err
	}
	var last store.DocID
	var count int64
	err := v.versions(ctx, func(e *version) error {
		if count > 0 && e.Doc.ID == last {
			problem(phrase.Error("cluster.two-entries", "{name} has two entries: {cause}", "name", e.Doc.Name(), "cause", store.ErrDamaged))
		} else {
			last, count = e.Doc.ID, count+1
		}
		for _, p := range e.Size {
			if err := report(v.verifyPiece(ctx, e, p)); err != nil {
				return err
			}
		}
		if e.Text == nil {
			return nil
		}
		_, err := v.text(ctx, e)
		if err == nil && e.Text.Marks != "" {
			_, err = e.marks()
		}
		return report(err)
	})
	if err != nil {
		return report(err)
	}
	s, err := v.sums(ctx)
	if err == nil {
		err = v.names.short(documentsPart, s.Documents, count)
	}
	return report(err)
}

// verifyPiece verifies a part, and that a look-up finds one of its hashes.
func (v *view) verifyPiece(ctx context.Context, e *version, p piece) error {
	var some []store.Hash
	err := v.piece(ctx, e, p, func(hashes []store.Hash) error {
		some = append(some[:0], hashes[0])
		return nil
	})
	if err != nil || len(some) == 0 {
		return err
	}
	query := object{
		"query": filter(object{"term": object{"gen": p.Gen}}, object{"terms": object{"h": wordsOf(p.N, some[0])}}),
		"size":  1,
	}
	f, err := find[block](ctx, v, "look up", gramsPart(p.N), query)
	if err == nil && len(f.Hits.Hits) == 0 {
		err = phrase.Error("cluster.hash-lost", "{list} of {name}: a look-up does not find a hash of its blocks: {cause}", "list", gramsName(p.N), "name", e.Doc.Name(), "cause", store.ErrDamaged)
	}
	return err
}
