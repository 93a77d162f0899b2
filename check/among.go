package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A Pair is two texts, by name, that share text.
type Pair struct {
	A, B string
	report.Pair
}

// Among checks the texts against each other: they are put into an index of
// their own, in a temporary folder, and each is searched in it.
func (b *Batch) Among(ctx context.Context) (pairs []Pair, err error) {
	dir, err := os.MkdirTemp("", "otisk-among-")
	if err != nil {
		return nil, fmt.Errorf("compare the texts with each other: %w", err)
	}
	defer os.RemoveAll(dir)
	settings := store.Settings{Normalization: b.reader.Settings().Normalization, KeepTexts: true}
	w, err := segment.Create(filepath.Join(dir, "index"), settings, segment.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	names := map[store.DocID]string{}
	for _, t := range b.texts {
		names[store.IDOf("", t.canonical)] = t.Name
	}
	err = b.each(ctx, Comparing, len(b.texts), func(ctx context.Context, i int) error {
		doc, err := b.texts[i].kept.document()
		if err != nil {
			return err
		}
		return indexer.Add(ctx, w, b.texts[i].canonical, doc, indexer.Options{N: b.opts.Search.N, Norms: b.opts.Norms})
	})
	if err != nil {
		return nil, err
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	return b.pairs(ctx, w, names)
}

// pairs searches each text among the others.
func (b *Batch) pairs(ctx context.Context, among store.Reader, names map[store.DocID]string) ([]Pair, error) {
	found := map[[2]string]*Pair{}
	var mu sync.Mutex
	opts := b.opts.Search
	opts.Texts, opts.Detail = false, false
	searcher, err := search.New(ctx, among, b.opts.Norms, opts)
	if err != nil {
		return nil, err
	}
	err = b.each(ctx, Comparing, len(b.texts), func(ctx context.Context, i int) error {
		doc, err := b.texts[i].kept.document()
		if err != nil {
			return err
		}
		result, err := searcher.Search(ctx, doc)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, src := range result.Sources {
			other := names[store.IDOf(src.Prefix, src.Path)]
			if src.Covered > 0 && other != "" && other != b.texts[i].Name {
				addPair(found, b.texts[i].Name, other, src)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sortedPairs(found), nil
}

// addPair notes what the first text has from the other.
func addPair(found map[[2]string]*Pair, name, other string, src search.Source) {
	one, two := min(name, other), max(name, other)
	p := found[[2]string{one, two}]
	if p == nil {
		p = &Pair{A: one, B: two}
		found[[2]string{one, two}] = p
	}
	p.Words = max(p.Words, src.Covered)
	if name == one {
		p.PercentA = src.Percent
	} else {
		p.PercentB = src.Percent
	}
}

func sortedPairs(found map[[2]string]*Pair) []Pair {
	var list []Pair
	for _, p := range found {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Words, x.Words), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return list
}
