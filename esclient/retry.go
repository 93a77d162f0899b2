package esclient

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Attempts counts those of one request, and says when it is enough.
type attempts struct {
	c     *conn
	op    string
	begin time.Time
	count int // attempts after the first one
	late  int // that had no answer within the time-out
	limits
}

// Limits say when a request is given up.
type limits struct {
	retries int // attempts after the first one
	slow    int // attempts without an answer within the time-out
}

const (
	slowAttempts  = 3 // time-outs that a request may take
	firstAttempts = 5 // lost connections that the first request may take
)

func (c *conn) attempts(op string) attempts {
	return attempts{c: c, op: op, begin: time.Now(), limits: limits{c.cfg.Retries, slowAttempts}}
}

// progress says that the server has done something: patience starts again.
func (a *attempts) progress() { a.count, a.late, a.begin = 0, 0, time.Now() }

// Back-off before attempt i+2: about firstPause·2^i, at most lastPause. Ten
// attempts take up to 50 s. A node that was killed takes one or two minutes until
// it is back, and a writer waits for three: see writeRetries.
var firstPause = 200 * time.Millisecond // a test makes it shorter

const (
	lastPause = 10 * time.Second
	doublings = 6 // of firstPause
)

// tellAfter is how long a server is waited for in silence.
const tellAfter = 5 * time.Second

// next waits before another attempt after an error, or returns an error where
// there is to be none.
func (a *attempts) next(ctx context.Context, err error, again bool) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", a.op, ctx.Err())
	}
	if timedOut(err) {
		a.late++
	}
	if !again {
		return a.counted(err)
	}
	if a.count >= a.retries || a.late >= a.slow || a.c.health.down() {
		if a.slow >= slowAttempts { // else the caller asks in another way next
			a.c.health.givenUp(a.begin)
		}
		return a.counted(err)
	}
	wait := a.pause(err)
	a.count++
	if told := a.c.cfg.Waiting; told != nil && time.Since(a.begin)+wait > tellAfter && a.c.health.tell() {
		told(err)
	}
	return a.wait(ctx, wait)
}

// counted adds to err how often and how long it was tried.
func (a *attempts) counted(err error) error {
	var e *Error
	if errors.As(err, &e) && a.count > 0 {
		e.Reason += fmt.Sprintf(" (%d attempts in %v)", a.count+1, time.Since(a.begin).Round(100*time.Millisecond))
	}
	return err
}

// pause returns how long to wait now: with jitter, so that those who were
// refused together do not come again together.
func (a *attempts) pause(err error) time.Duration {
	wait := min(firstPause<<min(a.count, doublings), lastPause)
	wait = wait/2 + rand.N(wait/2)
	var asked *retryAfter
	if errors.As(err, &asked) {
		wait = max(wait, min(asked.wait, lastPause))
	}
	return wait
}

func (a *attempts) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", a.op, ctx.Err())
	case <-timer.C:
		return nil
	}
}

// retryAfter is the cause of an error that says how long to wait.
type retryAfter struct{ wait time.Duration }

func (r *retryAfter) Error() string { return "retry after " + r.wait.String() }

func timedOut(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == TimedOut
}

// Health is what is known of a server. Patience is with the server and not with
// each request: where it has answered nothing in all the time that one request
// was tried, those that follow, to leave things in order, are tried once. Else
// giving up would take many times as long. One request that is refused while
// others are answered changes nothing for those.
type health struct {
	mu       sync.Mutex
	answered time.Time // when it last did what it was asked
	gone     bool      // since then a request was given up
	told     bool      // since then somebody was told that it is waited for
}

// tell reports whether it is to be told that the server is waited for.
func (h *health) tell() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.told
	h.told = true
	return first
}

// fine notes an answer.
func (h *health) fine() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered, h.gone, h.told = time.Now(), false, false
}

// givenUp notes that a request which began then was given up.
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
