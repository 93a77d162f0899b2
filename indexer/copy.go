package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Copy copies every document of one store to another, with all its sizes of n-grams. It needs
// the kept texts, not the files, and norms must be the rules of from. It skips documents
// that to already has with the same content and sizes, so an interrupted copy can be
// repeated. It commits at intervals and reports each document to progress.
func Copy(ctx context.Context, from store.Reader, to store.Store, norms *normalize.Set, progress func(Event)) (Summary, error) {
	r := newRun(to, Options{Norms: norms, Progress: progress})
	if err := checkSample(to); err != nil {
		return r.summary, err
	}
	start := time.Now()
	if err := copyBases(ctx, from, to); err != nil {
		return r.summary, err
	}
	group, copying := errgroup.WithContext(ctx)
	group.SetLimit(copyWorkers)
	err := from.Documents(copying, func(d store.Document) error {
		weight := min(max(d.Text, 1), r.opts.Memory)
		if err := r.memory.Acquire(copying, weight); err != nil {
			return err
		}
		group.Go(func() error {
			defer r.memory.Release(weight)
			return r.copyAndCommit(copying, from, d)
		})
		return nil
	})
	return r.finish(ctx, group, start, err)
}

// finish waits for the workers of a run that began at start, and commits. err is the reason
// why no more work was started, if there is one.
func (r *run) finish(ctx context.Context, group *errgroup.Group, start time.Time, err error) (Summary, error) {
	if first := group.Wait(); first != nil {
		err = first
	}
	err = r.end(ctx, err)
	r.summary.Elapsed = time.Since(start)
	return r.summary, err
}

// copyBases adds to to the bases of from that it lacks.
func copyBases(ctx context.Context, from store.Reader, to store.Store) error {
	has, err := to.Info(ctx)
	if err != nil {
		return err
	}
	more, err := from.Info(ctx)
	if err != nil {
		return err
	}
	n := newNamer(has)
	if len(more.Bases) == 0 && more.Documents > 0 && len(n.bases) > 0 && !n.whole {
		n.add(store.Base{Key: wholePaths})
	}
	for _, b := range more.Bases {
		if !n.has(b.Key) {
			n.bases, n.changed = append(n.bases, b), true
		}
	}
	if !n.changed {
		return nil
	}
	return to.SetBases(ctx, n.bases)
}

// copyWorkers is the number of documents copied in parallel. It hides the latency of a cluster
// on either side.
const copyWorkers = 8

func (r *run) copyAndCommit(ctx context.Context, from store.Reader, d store.Document) error {
	if err := r.copy(ctx, from, d); err != nil {
		return fmt.Errorf("copy %s: %w", d.Name(), err)
	}
	if r.due() {
		return r.commit(ctx)
	}
	return nil
}

// alike reports whether has has the same sizes, pairs and description as d has in from. The
// samples of the two stores may differ.
func (r *run) alike(has store.Document, from store.Reader, d store.Document) bool {
	sizes := slices.Equal(has.Sizes, d.Sizes)
	if r.store.Settings().Sample() != from.Settings().Sample() {
		sizes = slices.Equal(sizesOf(&has), sizesOf(&d))
	}
	return sizes && (has.Paired || !d.Paired) && has.Said.Equal(d.Said)
}

// copy copies one document.
func (r *run) copy(ctx context.Context, from store.Reader, d store.Document) error {
	f := file{path: d.Name(), size: d.Bytes}
	has, err := r.store.Document(ctx, d.ID)
	if err == nil && has.TextSum == d.TextSum && r.alike(has, from, d) {
		r.done(f, outcome{unchanged: true}, nil)
		return nil
	}
	if err == nil && has.Base != d.Base && has.Content != d.Content {
		r.done(f, outcome{}, takenError{d.Name(), "another document of the target index"})
		return nil
	}
	text, err := from.Text(ctx, d.ID)
	if err != nil {
		return err
	}
	sum, stays := store.TextSum(text, d.Rules, d.NewLine), store.Document{}
	if has.TextSum == sum {
		stays = has // its sizes stay, so the marks must count them
	}
	if stays.TextSum == sum && r.alike(has, from, d) {
		r.done(f, outcome{unchanged: true}, nil) // source index without checksums of texts
		return nil
	}
	g, err := gramsAgain(r.opts.Norms, &d, text, sizesOf(&d), r.store.Settings().Sample(), d.Paired || stays.Paired, sizesOf(&stays)...)
	if err != nil {
		return err
	}
	d.Marks = g.marks
	if err := r.store.Add(ctx, d, text, g.all(), g.allPairs()); errors.Is(err, store.ErrRefused) {
		r.done(f, outcome{}, err)
		return nil
	} else if err != nil {
		return err
	}
	r.done(f, outcome{words: g.words, grams: g.total(), text: d.Text}, nil)
	return nil
}
