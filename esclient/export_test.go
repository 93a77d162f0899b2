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
	if err := r.points.c.closePoint(context.Background(), r.points.known()); err != nil {
		t.Fatalf("lose the point in time: %v", err)
	}
}

// set changes a variable for the duration of a test.
func set[T any](t *testing.T, variable *T, value T) {
	before := *variable
	*variable = value
	t.Cleanup(func() { *variable = before })
}

// SetSettleAt changes how many documents a transaction holds in memory.
func SetSettleAt(t *testing.T, n int) { set(t, &settleAt, n) }

// SetPages changes how many blocks and entries are fetched at once.
func SetPages(t *testing.T, n int) {
	set(t, &blockPage, n)
	set(t, &entriesPage, n)
	set(t, &gramsPage, n)
}

// SetBeatEvery changes how often a writer renews its lease.
func SetBeatEvery(t *testing.T, d time.Duration) { set(t, &beatEvery, d) }

// SetListed changes of how many documents of a part the generations are asked for at
// once.
func SetListed(t *testing.T, n int64) {
	set(t, &mostListed, n)
	set(t, &mostPicked, n)
}

// SetFewOf changes how few documents of a part have to be for the server to look
// among their blocks alone.
func SetFewOf(t *testing.T, n int64) { set(t, &fewOf, n) }

// SetMostAbout changes how much of what is known of documents the head has.
func SetMostAbout(t *testing.T, n int) { set(t, &mostAbout, n) }

// SetMostValues changes how many values are compared with a condition.
func SetMostValues(t *testing.T, n int) { set(t, &mostValues, n) }
