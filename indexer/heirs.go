package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/store"
)

// What people say of a document goes with its content. A file that was renamed is known
// by that while it is indexed (syncer.renamed). Here are those of which that is not enough:
// a run without --sync has indexed the new name before, or the file was edited, too.
// A document that is about to be removed leaves what is said of it
//
//   - to the documents with the same content, of which nothing is said; of several documents
//     with that content, each leaves it to one of them;
//   - else to the one document new in this run that has half of its n-grams or more, and of
//     whose n-grams it has half or more, if there is one such document.
//
// What nobody inherits is reported.

// bequeath gives what is said of documents that will be removed to those that follow them.
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
	if err := r.commit(ctx); err != nil { // so that what is new can be read
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
			r.note(d.Name(), []string{"is gone, and with it what was said of it: " + strings.Join(d.Said.List(), ", ")})
		}
	}
	if lost > mostLost {
		r.note("", []string{fmt.Sprintf("%d more documents are gone, and with them what was said of them", lost-mostLost)})
	}
	return nil
}

// divide returns the heirs of each document in said, and which documents inherit. same has the documents that may inherit, by
// content. Several documents with one content leave each what is said of it to one heir: to
// the one with the same file name, or else to one that is left. A single one leaves it to all.
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

// fileName returns a path without the folders of its file; the name of a member stays.
func fileName(name string) string {
	file, _, _ := strings.Cut(name, "!/")
	return name[strings.LastIndexByte(file, '/')+1:]
}

// mostLost is how many documents are named that are gone with what was said of them.
const mostLost = 20

// sameContent returns the documents that have the content of one in said, that nothing is
// said of, and that are not gone, by content.
func (r *run) sameContent(ctx context.Context, said map[store.DocID]store.Document, gone []store.Document) (map[string][]store.Document, error) {
	wanted, left := map[string]bool{}, map[store.DocID]bool{}
	for _, d := range said {
		wanted[d.Content] = true
	}
	for _, d := range gone {
		left[d.ID] = true
	}
	heirs := map[string][]store.Document{}
	err := r.store.Documents(ctx, func(d store.Document) error {
		if wanted[d.Content] && !left[d.ID] && d.Prefix == r.opts.Prefix && d.Said.IsZero() {
			heirs[d.Content] = append(heirs[d.Content], d)
		}
		return ctx.Err()
	})
	return heirs, err
}

// edited returns the one new document that is most of d, if there is one, and d most of it.
func (r *run) edited(ctx context.Context, d store.Document) ([]store.Document, error) {
	fresh := r.sync.fresh
	if len(fresh) == 0 {
		return nil, nil
	}
	text, err := r.store.Text(ctx, d.ID)
	if errors.Is(err, store.ErrNoText) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g, err := gramsAgain(r.opts.Norms, &d, text, []int{r.opts.N}, r.store.Settings().Sample(), false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	defer g.release()
	hashes := g.distinct(r.opts.N)
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
		heir, err := r.store.Document(ctx, id)
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

// mostHeirs is how many documents may have an n-gram that says which one was edited.
const mostHeirs = 100

// distinct returns the n-grams of n words, rising, each once.
func (g *grams) distinct(n int) []store.Hash {
	var list []store.Hash
	for _, l := range g.sizes {
		if l.n == n {
			g.hashes(l, func(hashes []store.Hash) bool {
				list = append(list, hashes...)
				return true
			})
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// leave gives what is said of d to those of its heirs that can take it.
func (r *run) leave(ctx context.Context, d store.Document, heirs []store.Document) (given bool, err error) {
	for _, heir := range heirs {
		switch err := Describe(ctx, r.store, heir, d.Said); {
		case errors.Is(err, errNoText), errors.Is(err, store.ErrRefused):
		case err != nil:
			return given, err
		default:
			given = true
			r.note(d.Name(), []string{fmt.Sprintf("is gone: what is said of it is said of %s now", heir.Name())})
		}
	}
	return given, nil
}
