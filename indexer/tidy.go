package indexer

import (
	"context"

	"github.com/otisk/otisk/store"
)

// worthMerging is the share of an index, one part in so many, that a run adds
// at least for all of it to be merged.
const worthMerging = 8

// Tidy merges s after a run that added much, so that look-ups are as fast as
// after one commit. After a small run it does nothing: merging takes time in
// proportion to the whole index, and commits keep the number of parts small.
func Tidy(ctx context.Context, s store.Store, sum Summary) error {
	if sum.Added == 0 {
		return nil
	}
	info, err := s.Info(ctx)
	if err != nil {
		return err
	}
	var all int64
	for _, size := range info.Sizes {
		all += size.Grams
	}
	if sum.Grams*worthMerging < all {
		return nil
	}
	return s.Optimize(ctx)
}
