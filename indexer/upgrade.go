package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Upgrade indexes every document of a store by its pairs of words too, out of
// its kept text, where it is not yet. It needs the rules that the index was made
// with, and no file. Documents whose text is not kept are among the summary's
// Failures. It commits as it goes: one that was interrupted goes on where it was
// when it is called again.
func Upgrade(ctx context.Context, s store.Store, norms *normalize.Set, progress func(Event)) (Summary, error) {
	r := newRun(s, Options{Norms: norms, Progress: progress, Pairs: true})
	start := time.Now()
	var ids []store.DocID // first, since what is read must not depend on commits meanwhile
	err := s.Documents(ctx, func(d store.Document) error {
		if d.Paired {
			r.done(file{path: d.Name(), size: d.Bytes}, outcome{unchanged: true}, nil)
		} else {
			ids = append(ids, d.ID)
		}
		return nil
	})
	group, upgrading := errgroup.WithContext(ctx)
	group.SetLimit(copyWorkers)
	for _, id := range ids {
		if err != nil || upgrading.Err() != nil {
			break
		}
		group.Go(func() error { return r.upgrade(upgrading, id) })
	}
	return r.finish(ctx, group, start, err)
}

// upgrade indexes one document by its pairs.
func (r *run) upgrade(ctx context.Context, id store.DocID) error {
	d, err := r.store.Document(ctx, id)
	if err != nil {
		return err
	}
	weight := min(max(d.Text, 1), r.opts.Memory)
	if err := r.memory.Acquire(ctx, weight); err != nil {
		return err
	}
	defer r.memory.Release(weight)
	f := file{path: d.Name(), size: d.Bytes}
	text, err := r.store.Text(ctx, id)
	if errors.Is(err, store.ErrNoText) {
		r.done(f, outcome{}, err)
		return nil
	}
	if err != nil {
		return err
	}
	var sizes []int
	if d.TextSum != store.TextSum(text, d.Rules, d.NewLine) { // of an older program, which noted none
		sizes = sizesOf(&d)
	}
	g, err := gramsAgain(r.opts.Norms, &d, text, sizes, r.store.Settings().Sample(), true)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name(), err)
	}
	d.Marks = g.marks
	if err := r.store.Add(ctx, d, text, g.all(), g.allPairs()); errors.Is(err, store.ErrRefused) {
		r.done(f, outcome{}, err)
		return nil
	} else if err != nil {
		return fmt.Errorf("upgrade %s: %w", d.Name(), err)
	}
	r.done(f, outcome{words: g.words, text: d.Text}, nil)
	if r.due() {
		return r.commit(ctx)
	}
	return nil
}
