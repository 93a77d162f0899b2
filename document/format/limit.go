package format

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// A clock ends a context when its time is over. It can be stopped while work is done that does
// not count.
type clock struct {
	mu      sync.Mutex
	left    time.Duration
	since   time.Time // start of the running period
	stopped int       // number of open stops
	timer   *time.Timer
}

type clockKey struct{}

// leastTime is the resolution of a timer.
const leastTime = time.Microsecond

// Limit bounds ctx by the time of the budget. The caller calls cancel after reading.
func (b Budget) Limit(ctx context.Context) (bounded context.Context, cancel context.CancelFunc) {
	bounded, end := context.WithCancelCause(ctx)
	over := func() {
		end(fmt.Errorf("%w: %w", ErrTooLarge, phrase.Error("said.takes-longer", "reading takes longer than {time}", "time", b.Time)))
	}
	c := &clock{left: b.Time, since: time.Now()}
	if b.Time < leastTime {
		over()
	}
	c.timer = time.AfterFunc(b.Time, over)
	return context.WithValue(bounded, clockKey{}, c), func() {
		c.timer.Stop()
		end(context.Canceled)
	}
}

// Pause stops the clock of a context that [Budget.Limit] returned. The caller calls goOn once
// to start it again.
func Pause(ctx context.Context) (goOn func()) {
	c, ok := ctx.Value(clockKey{}).(*clock)
	if !ok {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped++; c.stopped == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
	return c.goOn
}

func (c *clock) goOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped--; c.stopped == 0 {
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}
