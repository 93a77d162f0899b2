package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Descriptions given by hand follow the content of a document. A renamed file is usually
// recognised while it is indexed (syncer.renamed). The functions here handle the other cases: a
// run without Options.Sync has already indexed the new name, or the file was also edited. The
// description of a document that is about to be removed passes
//
//   - to the documents with the same content and no description; if several documents with
//     that content are removed, each description passes to one document;
//   - otherwise to the only document added in this run that shares at least half of the n-grams of
//     either, if there is exactly one.
//
// A description without such an heir is reported.

// bequeath passes on the descriptions of documents that will be removed.
func (r *run) bequeath(ctx context.Context, gone []store.Document) error {
	said := map[store.DocID]store.Document{}
	for _, d := range gone {
		if !d.Said.IsZero() {
			said[d.ID] = d
		}
	}
	if len(said) == 0 {
		return nil
	}
	if err := r.ledger.Commit(ctx); err != nil { // so that new documents can be read
		return err
	}
	same, err := r.sameContent(ctx, said, gone)
	if err != nil {
		return err
	}
	heirs, taken := divide(said, same)
	lost := 0
	for _, id := range slices.Sorted(maps.Keys(said)) {
		d := said[id]
		if len(same[d.Content]) == 0 {
			edited, err := r.edited(ctx, d)
			if err != nil {
				return err
			}
			for _, heir := range edited {
				if !taken[heir.ID] {
					taken[heir.ID] = true
					heirs[id] = append(heirs[id], heir)
				}
			}
		}
		given, err := r.leave(ctx, d, heirs[id])
		if err != nil {
			return err
		}
		if lost++; given {
			lost--
		} else if lost <= mostLost {
			r.ledger.Note(d.Name(), phrase.Error("said.removed-with", "is removed, and its description with it: {list}", "list", strings.Join(d.Said.List(), ", ")))
		}
	}
	if lost > mostLost {
		r.ledger.Note("", phrase.Counted("said.more-removed", "{n} more document is removed, and its description with it", "{n} more documents are removed, and their descriptions with them", lost-mostLost))
	}
	return nil
}

// divide returns the heirs of each document in said, and the set of all heirs. same has the
// documents that may inherit, by content. If several documents have one content, each has one
// heir: the one with the same file name, or else one of the rest. Otherwise all are heirs.
func divide(said map[store.DocID]store.Document, same map[string][]store.Document) (heirs map[store.DocID][]store.Document, taken map[store.DocID]bool) {
	heirs, taken = map[store.DocID][]store.Document{}, map[store.DocID]bool{}
	donors := map[string]int{}
	ids := slices.Sorted(maps.Keys(said))
	for _, id := range ids {
		donors[said[id].Content]++
	}
	for _, sameName := range []bool{true, false} {
		for _, id := range ids {
			d := said[id]
			for _, heir := range same[d.Content] {
				if taken[heir.ID] || sameName && fileName(heir.Path) != fileName(d.Path) {
					continue
				}
				if len(heirs[id]) == 0 || donors[d.Content] == 1 {
					taken[heir.ID] = true
					heirs[id] = append(heirs[id], heir)
				}
			}
		}
	}
	return heirs, taken
}

// fileName returns the name of a file without its folders, followed by the member, if any.
func fileName(name string) string {
	file, _, _ := strings.Cut(name, "!/")
	return name[strings.LastIndexByte(file, '/')+1:]
}

// mostLost limits how many removed descriptions are reported one by one.
const mostLost = 20

// sameContent returns, by content, the documents that have the content of one in said, have no
// description, and are not gone.
func (r *run) sameContent(ctx context.Context, said map[store.DocID]store.Document, gone []store.Document) (map[string][]store.Document, error) {
	wanted, left := map[string]bool{}, map[store.DocID]bool{}
	for _, d := range said {
		wanted[d.Content] = true
	}
	for _, d := range gone {
		left[d.ID] = true
	}
	heirs := map[string][]store.Document{}
	err := r.store.Documents(ctx, "", func(d store.Document) error {
		if wanted[d.Content] && !left[d.ID] && d.Prefix == r.opts.Prefix && d.Said.IsZero() {
			heirs[d.Content] = append(heirs[d.Content], d)
		}
		return ctx.Err()
	})
	return heirs, err
}

// edited returns the only new document that shares at least half of the n-grams of either, if there
// is exactly one.
func (r *run) edited(ctx context.Context, d store.Document) ([]store.Document, error) {
	fresh := r.sync.fresh
	if len(fresh) == 0 {
		return nil, nil
	}
	text, err := store.TextOf(ctx, r.store, d.ID)
	if errors.Is(err, store.ErrNoText) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g, err := grams.Again(r.opts.Norms, &d, text, []int{r.opts.N}, r.store.Settings().Sample(), false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	defer g.Release()
	hashes := distinct(g, r.opts.N)
	shared := map[store.DocID]int{}
	err = r.store.Lookup(ctx, r.opts.N, hashes, store.Limits{Docs: mostHeirs, Positions: 1}, func(h store.Hit) error {
		for _, p := range h.Postings {
			if fresh[p.Doc] {
				shared[p.Doc]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var heirs []store.Document
	for _, id := range slices.Sorted(maps.Keys(shared)) {
		heir, err := store.Entry(ctx, r.store, id)
		if err != nil {
			return nil, err
		}
		if count, _ := heir.Grams(r.opts.N); 2*shared[id] >= len(hashes) && 2*int64(shared[id]) >= count {
			heirs = append(heirs, heir)
		}
	}
	if len(heirs) != 1 || !heirs[0].Said.IsZero() {
		return nil, nil
	}
	return heirs, nil
}

// mostHeirs is the limit of documents for a look-up of n-grams; more frequent n-grams are ignored.
const mostHeirs = 100

// distinct returns the distinct n-grams of n words, sorted.
func distinct(g *grams.Grams, n int) []store.Hash {
	var list []store.Hash
	for _, l := range g.Sizes {
		if l.N == n {
			g.Hashes(l, func(hashes []store.Hash) bool {
				list = append(list, hashes...)
				return true
			})
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// leave passes the description of d to its heirs, and reports whether one of them could take it.
func (r *run) leave(ctx context.Context, d store.Document, heirs []store.Document) (given bool, err error) {
	for _, heir := range heirs {
		switch err := Describe(ctx, r.store, heir, d.Said); {
		case errors.Is(err, errNoText), errors.Is(err, store.ErrRefused):
		case err != nil:
			return given, err
		default:
			given = true
			r.ledger.Note(d.Name(), phrase.Error("said.is-removed", "is removed: its description is now that of {name}", "name", heir.Name()))
		}
	}
	return given, nil
}
