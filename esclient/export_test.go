package esclient

import (
	"context"
	"testing"
	"time"
)

// The sizes of blocks.
const (
	BlockGrams    = blockGrams
	BlockPairs    = blockPairs
	RepeatedPairs = repeatedPairs
	ChunkBytes    = chunkBytes
)

// LosePoints has the server release the points in time of r, as a failed node or a long pause
// does.
func (r *Reader) LosePoints(t *testing.T) {
	t.Helper()
	if err := r.points.c.closePoint(context.Background(), r.points.known()); err != nil {
		t.Fatalf("lose the point in time: %v", err)
	}
}

// limited returns a copy of the limits of cfg, which it sets in cfg.
func limited(cfg *Config) *limits {
	l := defaultLimits
	if cfg.limits != nil {
		l = *cfg.limits
	}
	cfg.limits = &l
	return &l
}

// LimitSettle sets how many changes a transaction holds in memory.
func LimitSettle(cfg *Config, n int) { limited(cfg).settleAt = n }

// LimitPages sets how many blocks and entries are in one answer.
func LimitPages(cfg *Config, n int) {
	l := limited(cfg)
	l.blockPage, l.entriesPage, l.gramsPage, l.nearPage, l.nearAll, l.nearTerms = n, n, n, n, n, 40*n
}

// LimitBeat sets how often a writer renews its lease.
func LimitBeat(cfg *Config, d time.Duration) { limited(cfg).beatEvery = d }

// LimitListed sets of how many documents of a part the generations are listed.
func LimitListed(cfg *Config, n int64) {
	l := limited(cfg)
	l.mostListed, l.mostPicked = n, n
}

// LimitFewOf sets which share of the documents is small.
func LimitFewOf(cfg *Config, n int64) { limited(cfg).fewOf = n }

// LimitAbout sets how many values the head lists.
func LimitAbout(cfg *Config, n int) { limited(cfg).mostAbout = n }

// LimitValues sets how many values are compared with a condition.
func LimitValues(cfg *Config, n int) { limited(cfg).mostValues = n }
