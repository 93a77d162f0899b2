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

// Copy puts every document of one store into another, under all its sizes. It
// needs the original texts, not the files, and the rules that from was made
// with. Documents that to has with the same content and sizes already are
// skipped, so an interrupted copy goes on where it was. It commits as it goes
// and reports each document to progress.
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

// finish waits for the workers of a run that began at start, and commits what
// they did. err is why no more of them were started, if not all were.
func (r *run) finish(ctx context.Context, group *errgroup.Group, start time.Time, err error) (Summary, error) {
	if first := group.Wait(); first != nil {
		err = first
	}
	err = r.end(ctx, err)
	r.summary.Elapsed = time.Since(start)
	return r.summary, err
}

// copyBases gives to the bases of from that it lacks.
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

// copyWorkers is how many documents are copied at once. A cluster, on either
// side, takes its time to answer each of them.
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

// alike reports whether the entry has is indexed by what d is by in the store
// from, of which it may have another sample, and the same is said of both.
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
		r.done(f, outcome{}, takenError{d.Name(), "another document of the index that is copied to"})
		return nil
	}
	text, err := from.Text(ctx, d.ID)
	if err != nil {
		return err
	}
	sum, stays := store.TextSum(text, d.Rules, d.NewLine), store.Document{}
	if has.TextSum == sum {
		stays = has // what it is indexed by stays, so the marks have to count that
	}
	if stays.TextSum == sum && r.alike(has, from, d) {
		r.done(f, outcome{unchanged: true}, nil) // from an index that had no such sums yet
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
