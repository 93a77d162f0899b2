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

// Upgrade makes, out of its kept text, what a document lacks of what indexing it
// now would give it: its pairs of words, and the marks of its text. It needs the
// rules that the index was made with, and no file. Documents that lack pairs and
// whose text is not kept are among the summary's Failures. It commits as it goes:
// one that was interrupted goes on where it was when it is called again.
func Upgrade(ctx context.Context, s store.Store, norms *normalize.Set, progress func(Event)) (Summary, error) {
	r := newRun(s, Options{Norms: norms, Progress: progress, Pairs: true})
	start := time.Now()
	ids, err := r.lacking(ctx) // first, since what is read must not depend on commits meanwhile
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

// marksAtOnce is how many documents are asked for their marks together.
const marksAtOnce = 256

// lacking returns the documents that lack something. The others are done.
func (r *run) lacking(ctx context.Context) (ids []store.DocID, err error) {
	var paired []store.Document
	err = r.store.Documents(ctx, func(d store.Document) error {
		switch {
		case !d.Paired:
			ids = append(ids, d.ID)
		case d.NoText || d.Text == 0: // has nothing to mark
			r.done(file{path: d.Name(), size: d.Bytes}, outcome{unchanged: true}, nil)
		default:
			paired = append(paired, store.Document{ID: d.ID, Path: d.Name(), Bytes: d.Bytes})
		}
		return nil
	})
	for some := range slices.Chunk(paired, marksAtOnce) {
		if err == nil {
			ids, err = r.unmarked(ctx, some, ids)
		}
	}
	return ids, err
}

// unmarked appends those of some documents whose texts have no marks.
func (r *run) unmarked(ctx context.Context, some []store.Document, ids []store.DocID) ([]store.DocID, error) {
	asked := make([]store.DocID, len(some))
	for i, d := range some {
		asked[i] = d.ID
	}
	none := func(int, *store.Marks) ([]store.Piece, error) { return nil, nil }
	err := r.store.Pieces(ctx, asked, none, func(i int, _ []string, err error) error {
		if errors.Is(err, store.ErrNoMarks) {
			ids = append(ids, asked[i])
			return nil
		}
		if err == nil {
			r.done(file{path: some[i].Path, size: some[i].Bytes}, outcome{unchanged: true}, nil)
		}
		return err
	})
	return ids, err
}

// upgrade indexes one document by its pairs, and marks its text.
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
	pairs := g.allPairs()
	if d.Paired && sizes == nil {
		pairs = nil // it has them
	}
	d.Marks = g.marks
	if err := r.store.Add(ctx, d, text, g.all(), pairs); errors.Is(err, store.ErrRefused) {
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
