package upkeep

import (
	"context"
	"errors"
	"slices"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Copy copies every document of one store to another, with all its sizes of n-grams. It needs
// the kept texts, not the files, and norms must be the rules of from. It skips documents
// that to already has with the same content and sizes, so an interrupted copy can be
// repeated, and replaces a version with another text. It commits at intervals and reports each document to progress.
func Copy(ctx context.Context, from store.Reader, to store.Store, norms *normalize.Set, progress func(ledger.Event)) (ledger.Summary, error) {
	if err := to.Settings().Check(); err != nil {
		return ledger.Summary{}, err
	}
	j := newJob(to, norms, progress)
	if err := copyBases(ctx, from, to); err != nil {
		return ledger.Summary{}, err
	}
	workers, copying := group(ctx)
	err := from.Documents(copying, "", func(d store.Document) error {
		done, err := j.hold(copying, d.Text)
		if err != nil {
			return err
		}
		workers.Go(func() error {
			defer done()
			if err := j.copy(copying, from, d); err != nil {
				return phrase.Error("index.copy", "copy {name}: {cause}", "name", d.Name(), "cause", err)
			}
			return nil
		})
		return nil
	})
	return j.finish(ctx, workers, err)
}

// copyBases adds to to the bases of from that it lacks.
func copyBases(ctx context.Context, from store.Summary, to store.Store) error {
	has, err := to.Info(ctx)
	if err != nil {
		return err
	}
	more, err := from.Info(ctx)
	if err != nil {
		return err
	}
	if bases := joinBases(has, more); len(bases) > len(has.Bases) {
		return to.SetBases(ctx, bases)
	}
	return nil
}

// joinBases returns the bases of has and those of more that it lacks. Documents named by their
// absolute path beside bases need the pseudo-base [store.WholePaths].
func joinBases(has, more store.Info) []store.Base {
	bases := slices.Clone(has.Bases)
	add := func(b store.Base) {
		if !slices.ContainsFunc(bases, func(old store.Base) bool { return old.Key == b.Key }) {
			bases = append(bases, b)
		}
	}
	if len(bases) == 0 && has.Documents > 0 || len(bases) > 0 && len(more.Bases) == 0 && more.Documents > 0 {
		add(store.Base{Key: store.WholePaths})
	}
	for _, b := range more.Bases {
		add(b)
	}
	return bases
}

// errTaken means that the name of a document belongs to another one in the target index.
var errTaken error = phrase.Error("cause.name-taken", "the target index has a different document with this name")

// alike reports whether has has the same sizes, pairs and description as d has in from. The
// samples of the two stores may differ.
func (j *job) alike(has store.Document, from store.Summary, d store.Document) bool {
	sizes := slices.Equal(has.Sizes, d.Sizes)
	if j.store.Settings().Sample() != from.Settings().Sample() {
		sizes = slices.Equal(grams.SizesOf(&has), grams.SizesOf(&d))
	}
	return sizes && (has.Paired || !d.Paired) && has.Said.Equal(d.Said)
}

// copy copies one document.
func (j *job) copy(ctx context.Context, from store.Reader, d store.Document) error {
	has, err := store.Entry(ctx, j.store, d.ID)
	exists := err == nil
	if exists && has.TextSum == d.TextSum && j.alike(has, from, d) {
		return j.done(ctx, &d, ledger.Outcome{Unchanged: true}, nil)
	}
	if exists && has.Base != d.Base && has.Content != d.Content {
		return j.done(ctx, &d, ledger.Outcome{}, errTaken)
	}
	text, err := store.TextOf(ctx, from, d.ID)
	if err != nil {
		return err
	}
	sum, stays := store.TextSum(text, d.Rules, d.NewLine), store.Document{}
	if has.TextSum == sum {
		stays = has // its sizes stay, so the marks must count them
	}
	if stays.TextSum == sum && j.alike(has, from, d) {
		return j.done(ctx, &d, ledger.Outcome{Unchanged: true}, nil) // source index without checksums of texts
	}
	g, err := grams.Again(j.norms, &d, text, grams.SizesOf(&d), j.store.Settings().Sample(), d.Paired || stays.Paired, grams.SizesOf(&stays)...)
	if err != nil {
		return err
	}
	d.Marks, d.Language = g.Marks, g.Code()
	if err := j.store.Add(ctx, d, text, g.All(), g.AllPairs()); errors.Is(err, store.ErrRefused) {
		return j.done(ctx, &d, ledger.Outcome{}, err)
	} else if err != nil {
		return err
	}
	return j.done(ctx, &d, ledger.Outcome{Replaced: exists && has.TextSum != sum, Words: g.Words, Grams: g.Total(), Text: d.Text}, nil)
}
