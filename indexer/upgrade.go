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

// Upgrade indexes the documents of s by pairs of words, as [Options.Pairs] does when they
// are indexed. It makes the pairs from the kept texts, by the rules that the index was made
// with, and reads no files. Documents whose text is not kept are among the Failures of the
// summary. Upgrade commits repeatedly: after an interruption, a second call continues.
func Upgrade(ctx context.Context, s store.Store, norms *normalize.Set, progress func(Event)) (Summary, error) {
	r := newRun(s, Options{Norms: norms, Progress: progress, Pairs: true})
	start := time.Now()
	ids, err := r.unpaired(ctx) // first, since reads after a commit see its changes
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

// unpaired returns the documents that are not indexed by pairs, and counts the others as
// unchanged.
func (r *run) unpaired(ctx context.Context) (ids []store.DocID, err error) {
	err = r.store.Documents(ctx, func(d store.Document) error {
		if d.Paired {
			r.done(file{path: d.Name(), size: d.Bytes}, outcome{unchanged: true}, nil)
		} else {
			ids = append(ids, d.ID)
		}
		return nil
	})
	return ids, err
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
	g, err := gramsAgain(r.opts.Norms, &d, text, nil, r.store.Settings().Sample(), true)
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
