package upkeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Upgrade indexes the documents of s by pairs of words, as the option Pairs of package indexer
// does when they are indexed. It makes the pairs from the kept texts, by the rules that the index was made
// with, and reads no files. Documents whose text is not kept are among the Failures of the
// summary. Upgrade commits repeatedly: after an interruption, a second call continues.
func Upgrade(ctx context.Context, s store.Store, norms *normalize.Set, progress func(ledger.Event)) (ledger.Summary, error) {
	j := newJob(s, norms, progress)
	ids, err := j.unpaired(ctx) // first, since reads after a commit see its changes
	workers, upgrading := group(ctx)
	for _, id := range ids {
		if err != nil || upgrading.Err() != nil {
			break
		}
		workers.Go(func() error { return j.upgrade(upgrading, id) })
	}
	return j.finish(ctx, workers, err)
}

// unpaired returns the documents that are not indexed by pairs, and counts the others as
// unchanged.
func (j *job) unpaired(ctx context.Context) (ids []store.DocID, err error) {
	err = j.store.Documents(ctx, "", func(d store.Document) error {
		if d.Paired {
			j.ledger.Done(d.Name(), d.Bytes, ledger.Outcome{Unchanged: true}, nil)
		} else {
			ids = append(ids, d.ID)
		}
		return nil
	})
	return ids, err
}

// upgrade indexes one document by its pairs.
func (j *job) upgrade(ctx context.Context, id store.DocID) error {
	d, err := store.Entry(ctx, j.store, id)
	if err != nil {
		return err
	}
	done, err := j.hold(ctx, d.Text)
	if err != nil {
		return err
	}
	defer done()
	text, err := store.TextOf(ctx, j.store, id)
	if errors.Is(err, store.ErrNoText) {
		return j.done(ctx, &d, ledger.Outcome{}, err)
	}
	if err != nil {
		return err
	}
	g, err := grams.Again(j.norms, &d, text, nil, j.store.Settings().Sample(), true)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name(), err)
	}
	d.Marks, d.Language = g.Marks, g.Code()
	if err := j.store.Add(ctx, d, text, g.All(), g.AllPairs()); errors.Is(err, store.ErrRefused) {
		return j.done(ctx, &d, ledger.Outcome{}, err)
	} else if err != nil {
		return phrase.Error("index.upgrade", "upgrade {name}: {cause}", "name", d.Name(), "cause", err)
	}
	return j.done(ctx, &d, ledger.Outcome{Words: g.Words, Text: d.Text}, nil)
}
