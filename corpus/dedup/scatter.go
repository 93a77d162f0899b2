package dedup

import (
	"cmp"
	"context"

	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/spill"
)

// scatterStep is the first pass: all n-grams are on disk, divided by their hashes,
// with the tokens that end them, counted from 1 over the whole collection.
const scatterStep = "scatter"

func (r *run) scatter(ctx context.Context) (total int64, err error) {
	files, err := spill.Create(r.dir.Path(scatterStep), occur.Parts)
	if err != nil {
		return 0, err
	}
	w := occur.NewWriter(files)
	done := int64(0)
	p := pass{run: r, hash: true, turn: func(b *block) error {
		for _, g := range b.grams {
			if err := w.Add(g.hash, uint64(total)+uint64(g.token)+1); err != nil {
				return err
			}
		}
		total += int64(b.toks)
		done += int64(len(b.Data))
		r.progress(1, done)
		return nil
	}}
	err = p.walk(ctx)
	if err == nil {
		err = w.Flush()
	}
	err = cmp.Or(err, files.Close())
	if err != nil {
		return 0, err
	}
	return total, r.dir.Finish(scatterStep, total, files.Names()...)
}
