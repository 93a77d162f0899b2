package esclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
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

func (v *view) Verify(ctx context.Context, problem func(error)) error {
	c := &verifier{view: v, problem: problem, samples: map[int][]sample{}}
	err := v.versions(ctx, func(e *version) error { return c.verify(ctx, e) })
	if err == nil {
		err = c.flush(ctx)
	}
	if err != nil {
		return c.report(err)
	}
	s, err := v.sums(ctx)
	if err == nil {
		err = v.names.short(documentsPart, s.Documents, c.count)
	}
	return c.report(err)
}

// verifiedAtOnce is the number of documents whose texts are read, and of whose parts hashes are
// looked up, by one request for each part of the index.
const verifiedAtOnce = 100

type verifier struct {
	*view
	problem func(error)
	last    store.DocID // the document verified last
	count   int64
	waiting int              // documents since the last flush
	kept    []*version       // those of them with a text
	samples map[int][]sample // hashes of their parts, by the length of n-grams
}

// A sample is a hash that a look-up has to find in a block of a document.
type sample struct {
	name, block string // of the document; id of the block
	hash        store.Hash
}

func (c *verifier) report(err error) error {
	if errors.Is(err, store.ErrDamaged) {
		c.problem(err)
		return nil
	}
	return err
}

// verify reads the n-grams of a document. Its text and look-ups may wait for those of others.
func (c *verifier) verify(ctx context.Context, e *version) error {
	if c.count > 0 && e.Doc.ID == c.last {
		c.problem(phrase.Error("cluster.two-entries", "{name} has two entries: {cause}", "name", e.Doc.Name(), "cause", store.ErrDamaged))
	} else {
		c.last, c.count = e.Doc.ID, c.count+1
	}
	for _, p := range e.Size {
		if err := c.report(c.verifyPiece(ctx, e, p)); err != nil {
			return err
		}
	}
	if e.Text != nil {
		c.kept = append(c.kept, e)
	}
	if c.waiting++; c.waiting < min(verifiedAtOnce, c.c.limits().entriesPage) {
		return nil
	}
	return c.flush(ctx)
}

// verifyPiece verifies a part, and notes a hash to look up.
func (c *verifier) verifyPiece(ctx context.Context, e *version, p piece) error {
	var some store.Hash
	blocks := 0
	err := c.piece(ctx, e, p, func(hashes []store.Hash) error {
		some = hashes[0]
		blocks++
		return nil
	})
	if err == nil && blocks > 0 {
		c.samples[p.N] = append(c.samples[p.N], sample{e.Doc.Name(), blockID(p.Gen, blocks-1), some})
	}
	return err
}

// flush reads the texts and makes the look-ups that wait.
func (c *verifier) flush(ctx context.Context) error {
	for len(c.kept) > 0 {
		count := atOnce(c.kept, c.c.limits().entriesPage)
		if err := c.verifyTexts(ctx, c.kept[:count]); err != nil {
			return err
		}
		c.kept = c.kept[count:]
	}
	for _, n := range slices.Sorted(maps.Keys(c.samples)) {
		if err := c.report(c.lookUp(ctx, n, c.samples[n])); err != nil {
			return err
		}
	}
	clear(c.samples)
	c.waiting = 0
	return nil
}

// verifyTexts reads texts together, and if one of them is damaged, each alone.
func (c *verifier) verifyTexts(ctx context.Context, list []*version) error {
	_, together := c.texts(ctx, list)
	if together != nil && !errors.Is(together, store.ErrDamaged) {
		return together
	}
	for _, e := range list {
		var err error
		if together != nil {
			_, err = c.text(ctx, e)
		}
		if err == nil && e.Text.Marks != "" {
			_, err = e.marks()
		}
		if err := c.report(err); err != nil {
			return err
		}
	}
	return nil
}

func (c *verifier) lookUp(ctx context.Context, n int, list []sample) error {
	var samples []object
	for _, s := range list {
		samples = append(samples, filter(object{"ids": object{"values": []string{s.block}}}, object{"terms": object{"h": wordsOf(n, s.hash)}}))
	}
	f, err := find[block](ctx, c.view, "look up", gramsPart(n), object{
		"query": filter(object{"bool": object{"should": samples}}), "size": len(list), "_source": false,
	})
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, h := range f.Hits.Hits {
		found[h.ID] = true
	}
	for _, s := range list {
		if !found[s.block] {
			c.problem(phrase.Error("cluster.hash-lost", "{list} of {name}: a look-up does not find a hash of its blocks: {cause}", "list", gramsName(n), "name", s.name, "cause", store.ErrDamaged))
		}
	}
	return nil
}
