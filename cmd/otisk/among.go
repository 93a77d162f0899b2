package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// among checks the suspects against each other: they are put into an index of
// their own, in a temporary folder, and each is searched in it.
func (r *searchRun) among(suspects []suspect) (pairs []namedPair, err error) {
	dir, err := os.MkdirTemp("", "otisk-among-")
	if err != nil {
		return nil, fmt.Errorf("compare the texts with each other: %w", err)
	}
	defer os.RemoveAll(dir)
	ctx := r.cmd.Context()
	r.progress.say("comparing the texts with each other")
	w, err := segment.Create(filepath.Join(dir, "index"), r.session.storeSettings(), r.session.segmentOptions())
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, w)
	names := map[store.DocID]string{}
	var paths []string
	for _, sus := range suspects {
		names[store.IDOf("", canonical(sus.path))] = sus.name
		paths = append(paths, sus.path)
	}
	if _, err := indexer.Run(ctx, w, paths, indexer.Options{N: r.opts.n, Norms: r.session.norms, Read: r.session.readOptions()}); err != nil {
		return nil, err
	}
	return r.pairs(ctx, w, suspects, names)
}

// pairs searches each suspect among the others.
func (r *searchRun) pairs(ctx context.Context, among store.Reader, suspects []suspect, names map[store.DocID]string) ([]namedPair, error) {
	found := map[[2]string]*namedPair{}
	var mu sync.Mutex
	opts := r.opts.options(r.session)
	opts.Texts, opts.Detail = false, false
	searcher, err := search.New(ctx, among, r.session.norms, opts)
	if err != nil {
		return nil, err
	}
	err = r.each(suspects, func(ctx context.Context, sus suspect) error {
		doc, err := document.Open(ctx, sus.path, r.session.readOptions())
		if err != nil {
			return ctx.Err() // it is among the unread ones
		}
		result, err := searcher.Search(ctx, doc)
		if err != nil {
			return ctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		for _, src := range result.Sources {
			other := names[store.IDOf(src.Prefix, src.Path)]
			if src.Covered > 0 && other != "" && other != sus.name {
				addPair(found, sus.name, other, src)
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
func addPair(found map[[2]string]*namedPair, name, other string, src search.Source) {
	a, b := min(name, other), max(name, other)
	p := found[[2]string{a, b}]
	if p == nil {
		p = &namedPair{a: a, b: b}
		found[[2]string{a, b}] = p
	}
	p.Words = max(p.Words, src.Covered)
	if name == a {
		p.PercentA = src.Percent
	} else {
		p.PercentB = src.Percent
	}
}

func sortedPairs(found map[[2]string]*namedPair) []namedPair {
	var list []namedPair
	for _, p := range found {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(x, y namedPair) int {
		return cmp.Or(cmp.Compare(y.Words, x.Words), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return list
}
