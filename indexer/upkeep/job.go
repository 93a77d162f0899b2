// Package upkeep maintains an index from the texts that it keeps, without the files: [Copy] copies it
// to another store, [Upgrade] adds pairs of words, [VerifyTexts] computes its n-grams again and
// compares them, and [Tidy] merges it after much was added.
package upkeep

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// maxTexts limits the total size of the texts that a job has in memory, in bytes.
const maxTexts = 256 << 20

// workers is the number of documents that a job processes in parallel. It hides the latency of a
// cluster.
const workers = 8

// A job changes the documents of a store one by one.
type job struct {
	store  store.Store
	norms  *normalize.Set
	memory *semaphore.Weighted
	ledger *ledger.Ledger
}

func newJob(s store.Store, norms *normalize.Set, progress func(ledger.Event)) *job {
	return &job{
		store: s, norms: norms, memory: semaphore.NewWeighted(maxTexts),
		ledger: ledger.New(ledger.Options{Commit: s.Commit, Progress: progress}),
	}
}

// group returns a group of workers and their context.
func group(ctx context.Context) (*errgroup.Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	return g, ctx
}

// hold waits until a text of that many bytes may be in memory. The caller calls done when it no
// longer is.
func (j *job) hold(ctx context.Context, text int64) (done func(), err error) {
	weight := min(max(text, 1), maxTexts)
	if err := j.memory.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { j.memory.Release(weight) }, nil
}

// done counts a document, and commits if a commit is due.
func (j *job) done(ctx context.Context, d *store.Document, o ledger.Outcome, err error) error {
	j.ledger.Done(d.Name(), d.Bytes, o, err)
	if j.ledger.Due(false) {
		return j.ledger.Commit(ctx)
	}
	return nil
}

// finish waits for the workers and commits. err is the reason why no more work was started, if
// there is one.
func (j *job) finish(ctx context.Context, group *errgroup.Group, err error) (ledger.Summary, error) {
	if first := group.Wait(); first != nil {
		err = first
	}
	return j.ledger.End(ctx, err)
}

// worthMerging is the divisor of the size of an index that gives the least number of n-grams a
// run must add for the index to be merged.
const worthMerging = 8

// Tidy merges s after a run that added much, so that look-ups are as fast as after a single
// commit. After a small run it does nothing: merging takes time proportional to the whole index, and
// commits limit the number of segments anyway.
func Tidy(ctx context.Context, s store.Store, sum ledger.Summary) error {
	if sum.Added == 0 {
		return nil
	}
	info, err := s.Info(ctx)
	if err != nil {
		return err
	}
	all := lists.Sum(info.Sizes, func(size store.SizeInfo) int64 { return size.Grams })
	if sum.Grams*worthMerging < all {
		return nil
	}
	return s.Optimize(ctx)
}
