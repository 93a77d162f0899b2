package search

import (
	"context"
	"slices"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A resort is another n-gram size, used for documents that lack the requested size.
type resort struct {
	n    int
	docs map[store.DocID]bool
}

// resorts returns the other sizes, rising, each with the documents that are
// looked up there. Each document has one: the largest below n, or else the
// smallest above. A document of an index without any is in none.
func resorts(ctx context.Context, reader store.Catalogue, n int) ([]resort, error) {
	docs := map[int]map[store.DocID]bool{}
	err := reader.Documents(ctx, "", func(d store.Document) error {
		if m := instead(d.NGrams(), n); m > 0 {
			if docs[m] == nil {
				docs[m] = map[store.DocID]bool{}
			}
			docs[m][d.ID] = true
		}
		return nil
	})
	var list []resort
	for m, of := range docs {
		list = append(list, resort{m, of})
	}
	slices.SortFunc(list, func(a, b resort) int { return a.n - b.n })
	return list, err
}

// instead returns the size of n-grams that stands in for n in a document with
// these rising sizes: 0 where it has n itself, or none with an n-gram.
func instead(sizes []store.Size, n int) (best int) {
	for _, s := range sizes {
		switch {
		case s.N == n:
			return 0
		case s.Grams > 0 && (s.N < n || best == 0):
			best = s.N
		}
	}
	return best
}

// gramLists returns the n-grams to look up: first those of the size that was
// asked for, then those of the resorts.
func (s *Searcher) gramLists(paragraphs []normalize.Paragraph) []grams {
	lists := []grams{gramsOf(paragraphs, s.opts.N)}
	for _, r := range s.resorts {
		lists = append(lists, gramsOf(paragraphs, r.n))
	}
	return lists
}

// skips returns the documents to leave out of each look-up, so that no document is in two. The
// index has no n-grams of the first size of those in resorts, but their texts, which a sampled
// index has read, do.
func (s *Searcher) skips() []func(store.DocID) bool {
	list := []func(store.DocID) bool{s.opts.Skip}
	if len(s.resorts) > 0 {
		list[0] = func(id store.DocID) bool {
			return slices.ContainsFunc(s.resorts, func(r resort) bool { return r.docs[id] }) || s.skipped(id)
		}
	}
	for _, r := range s.resorts {
		list = append(list, func(id store.DocID) bool { return !r.docs[id] || s.skipped(id) })
	}
	return list
}

// skipped reports whether a document is to be left out of the search.
func (s *Searcher) skipped(id store.DocID) bool { return s.opts.Skip != nil && s.opts.Skip(id) }

// searched returns the index with what was searched of it: documents of a size
// that the suspect has no n-gram of were not.
func (s *Searcher) searched(found answers) Index {
	x := s.index
	for i, r := range s.resorts {
		if len(found[i+1].list) > 0 {
			x.Sizes = append(x.Sizes, IndexSize{N: r.n, Documents: int64(len(r.docs))})
			x.Searched += int64(len(r.docs))
		}
	}
	return x
}
