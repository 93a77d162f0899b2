package fetch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/internal/pause"
)

// A host receives one request at a time, with pauses.
type host struct {
	turn chan struct{} // a semaphore with one slot

	mu    sync.Mutex // guards the following fields
	next  time.Time  // earliest time of the next request
	busy  *BusyError // set while the host has asked for a longer pause
	pause time.Duration
}

func (c *Client) hostOf(u *url.URL) *host {
	name := hostName(u.Hostname()) + ":" + port(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[name]
	if h == nil {
		h = &host{turn: make(chan struct{}, 1), pause: c.opts.Delay}
		c.hosts[name] = h
	}
	return h
}

// waitTurn waits for the host's turn. If the host has asked for a pause longer than
// Options.MaxWait, waitTurn returns a [*BusyError] at once.
func (h *host) waitTurn(ctx context.Context, c *Client) error {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	h.mu.Lock()
	wait, busy := h.next.Sub(c.clock.Now()), h.busy
	if busy != nil && wait <= 0 {
		h.busy, busy = nil, nil
	}
	h.mu.Unlock()
	err := error(busy)
	if busy == nil || wait <= c.opts.MaxWait {
		err = c.clock.Sleep(ctx, wait)
	}
	if err != nil {
		<-h.turn
	}
	return err
}

func (h *host) give(c *Client) {
	h.mu.Lock()
	if next := c.clock.Now().Add(h.pause); next.After(h.next) {
		h.next = next
	}
	h.mu.Unlock()
	<-h.turn
}

// slow lengthens the pauses of a host to the Crawl-delay of its robots.txt.
func (h *host) slow(pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pause = max(h.pause, pause)
}

// later records that a host asks for a pause, and returns the error for the request that it
// answered so.
func (h *host) later(u *url.URL, until time.Time, status int) *BusyError {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until.After(h.next) {
		h.next = until
	}
	h.busy = &BusyError{Host: u.Host, Until: h.next, Status: status}
	asked := *h.busy
	asked.Asked = true
	return &asked
}

// retryAfter returns how long to wait, from the Retry-After header, in seconds or
// as a date. Without either, the time doubles with each try.
func retryAfter(head http.Header, now time.Time, try int) time.Duration {
	value := strings.TrimSpace(head.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return firstWait << try
}

// firstWait is the first wait if a server does not state one.
const firstWait = 5 * time.Second

// A Clock returns the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits for d. If ctx ends first, it returns the error of ctx.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of the system.
var SystemClock Clock = system{}

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	return pause.For(ctx, d)
}
