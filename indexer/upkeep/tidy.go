package upkeep

import (
	"context"

	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

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
