package esclient

import (
	"context"
	"testing"
	"time"
)

// LosePoints has the server forget what it keeps for r, as the failure of a
// node or a long pause does.
func (r *Reader) LosePoints(t *testing.T) {
	t.Helper()
	for part, id := range r.points.ids {
		if err := r.points.c.closePoint(context.Background(), id); err != nil {
			t.Fatalf("lose point in time of %s: %v", part, err)
		}
	}
}

// SetSettleAt changes how many documents a transaction holds in memory, for the
// duration of a test.
func SetSettleAt(t *testing.T, n int) {
	before := settleAt
	settleAt = n
	t.Cleanup(func() { settleAt = before })
}

// SetFirstPause changes how long a client waits before a second attempt, for
// the duration of a test.
func SetFirstPause(t *testing.T, d time.Duration) {
	before := firstPause
	firstPause = d
	t.Cleanup(func() { firstPause = before })
}

// LayoutVersion is the version of the layout.
const LayoutVersion = layoutVersion
