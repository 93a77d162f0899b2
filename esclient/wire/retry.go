package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
)

// Attempts counts the attempts of one request, and decides when to give up.
type Attempts struct {
	c       *Conn
	op      string
	begin   time.Time
	count   int // attempts after the first one
	late    int // attempts that timed out
	retries int // most attempts after the first one
	slow    int // most attempts that time out
}

// SlowAttempts is how many timeouts of a request are allowed by default.
const SlowAttempts = 3

// firstAttempts is how many lost connections of a connection's first request are allowed.
const firstAttempts = 5

// Attempts returns a counter for a request, which is given up after slow timeouts, or
// SlowAttempts if slow is 0.
func (c *Conn) Attempts(op string, slow int) Attempts {
	return Attempts{c: c, op: op, begin: time.Now(), retries: max(c.cfg.Retries, 0), slow: cmp.Or(slow, SlowAttempts)}
}

// Progress notes that the server has done part of the work: counting starts again.
func (a *Attempts) Progress() { a.count, a.late, a.begin = 0, 0, time.Now() }

// The pause before attempt i+2 is about Config.Pause·2^i, at most lastPause. With the
// default of 200 ms, 11 attempts take up to 50 s.
const (
	lastPause = 10 * time.Second
	doublings = 6 // of Config.Pause
)

// notifyAfter is how long requests fail before Config.Waiting is called.
const notifyAfter = 5 * time.Second

// Next waits before another attempt after err. If there is to be none, because again is
// false, the attempts are used up or ctx is done, it returns an error.
func (a *Attempts) Next(ctx context.Context, err error, again bool) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", phrase.Fixed(a.op), ctx.Err())
	}
	if KindOf(err) == TimedOut {
		a.late++
	}
	if !again {
		return a.counted(err)
	}
	if a.count >= a.retries || a.late >= a.slow || a.c.health.down() {
		if a.slow >= SlowAttempts { // otherwise the caller continues with a smaller request
			a.c.health.givenUp(a.begin)
		}
		return a.counted(err)
	}
	wait := a.pause(err)
	a.count++
	if waiting := a.c.cfg.Waiting; waiting != nil && time.Since(a.begin)+wait > notifyAfter && a.c.health.notify() {
		waiting(err)
	}
	return a.wait(ctx, wait)
}

// counted adds the number of attempts and their duration to err.
func (a *Attempts) counted(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && a.count > 0 {
		e.Reason = phrase.Counted("cluster.attempts", "{cause} ({n} attempt in {time})", "{cause} ({n} attempts in {time})", a.count+1,
			"cause", e.Reason, "time", time.Since(a.begin).Round(100*time.Millisecond))
	}
	return err
}

// pause returns how long to wait, with jitter, so that clients that were rejected at the
// same time do not retry at the same time.
func (a *Attempts) pause(err error) time.Duration {
	wait := min(a.c.cfg.Pause<<min(a.count, doublings), lastPause)
	wait = wait/2 + rand.N(wait/2)
	if asked, ok := errors.AsType[*retryAfter](err); ok {
		wait = max(wait, min(asked.wait, lastPause))
	}
	return wait
}

func (a *Attempts) wait(ctx context.Context, d time.Duration) error {
	if pause.For(ctx, d) != nil {
		return fmt.Errorf("%w: %w", phrase.Fixed(a.op), ctx.Err())
	}
	return nil
}

// retryAfter is the cause of an error whose answer had the header Retry-After.
type retryAfter struct{ wait time.Duration }

func (r *retryAfter) Error() string { return "retry after " + r.wait.String() }

// Health records whether the server answers. If it answered no request while one was
// retried until it was given up, the server is down: later requests, which release what
// is held, are sent once until one is answered. Otherwise each of them would take
// minutes. A request that is rejected while others are answered does not count.
type health struct {
	mu       sync.Mutex
	answered time.Time // the last success
	gone     bool      // a request was given up since
	notified bool      // Config.Waiting was called since
}

func (h *health) notify() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.notified
	h.notified = true
	return first
}

func (h *health) fine() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered, h.gone, h.notified = time.Now(), false, false
}

// givenUp records that a request which began at that time was given up.
func (h *health) givenUp(begin time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = h.gone || !h.answered.After(begin)
}

func (h *health) down() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone
}
