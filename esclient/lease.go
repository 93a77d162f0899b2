package esclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/otisk/otisk/store"
)

// A lease is the right to write, which the head records. It is kept up by
// heart-beats, and lost when another writer finds it expired.
type lease struct {
	c *conn

	mu     sync.Mutex // held while the head is written
	names  names
	at     place
	head   head
	unsure bool // whether the last write of the head came through
	lost   error
	until  time.Time // by our clock

	stop chan struct{}
	done sync.WaitGroup
}

const leaseTime = time.Minute

// clockSlack is how far clocks are apart that are taken for the same.
const clockSlack = 2 * time.Second

var beatEvery = 10 * time.Second // a test makes it shorter

// change applies fn to the head and writes it.
func (l *lease) change(ctx context.Context, fn func(h *head)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if err := l.settle(ctx); err != nil {
			return err
		}
		h := l.head
		fn(&h)
		begin := time.Now()
		h.Expires = begin.Add(leaseTime).UTC().Truncate(time.Millisecond)
		at, err := l.c.writeHead(ctx, l.names, l.at, h)
		if err == nil {
			l.at, l.head, l.until = at, h, begin.Add(leaseTime)
			return nil
		}
		l.unsure = true
		if !errors.Is(err, errConflict) {
			return err
		}
		// Another writer, or an earlier attempt of ours that came late.
	}
}

// settle reads the head again after a write of it whose outcome is not known.
func (l *lease) settle(ctx context.Context) error {
	if l.lost != nil || !l.unsure {
		return l.lost
	}
	h, at, err := l.c.readHead(ctx, l.names)
	if err != nil {
		return err
	}
	if h.Session != l.head.Session {
		l.lost = fmt.Errorf("write to index %s: %s took it over: %w", l.names.documents(), h.writer(), store.ErrLocked)
		return l.lost
	}
	l.head, l.at, l.unsure = h, at, false
	return nil
}

// current returns the head as it is, asking for it where that is not known.
func (l *lease) current(ctx context.Context) (head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.settle(ctx)
	return l.head, err
}

// check makes sure that nobody else writes before something is written. After a
// long silence it asks.
func (l *lease) check(ctx context.Context) error {
	l.mu.Lock()
	lost, until := l.lost, l.until
	l.mu.Unlock()
	if lost != nil || time.Now().Before(until) {
		return lost
	}
	return l.change(ctx, func(*head) {})
}

// beat renews the lease until release.
func (l *lease) beat() {
	l.stop = make(chan struct{})
	l.done.Go(func() {
		ticker := time.NewTicker(beatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-ticker.C:
			}
			ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
			// An error shows at the next write, which checks the lease.
			_ = l.change(ctx, func(*head) {})
			cancel()
		}
	})
}

// get returns the head as this writer last wrote or read it.
func (l *lease) get() head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// move has the lease go on with the head of another index.
func (l *lease) move(n names, at place, h head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names, l.at, l.head, l.unsure = n, at, h, false
}

// release gives the lease back. Where something was left undone, the name of
// the owner stays, so that the next writer cleans up.
func (l *lease) release(ctx context.Context, clean bool) error {
	close(l.stop)
	l.done.Wait()
	defer sessions.Delete(l.get().Session)
	err := l.change(ctx, func(h *head) {
		h.PID = 0
		if clean {
			h.Owner, h.Home, h.Clean = "", "", (h.Session+1)<<genBits
		}
	})
	if errors.Is(err, store.ErrLocked) {
		return nil // it is not ours to give back
	}
	return err
}

// acquire takes the lease of the index, and returns the head that it found.
func (c *conn) acquire(ctx context.Context, n names) (*lease, head, error) {
	before, at, err := c.readHead(ctx, n)
	if err != nil {
		return nil, before, err
	}
	if err := c.free(ctx, n, before, at); err != nil {
		return nil, before, err
	}
	l, err := c.take(ctx, n, before, at)
	return l, before, err
}

// take makes this process the writer of the index.
func (c *conn) take(ctx context.Context, n names, before head, at place) (*lease, error) {
	h := before
	h.Session, h.Owner, h.Home, h.PID = nextSession(before.Session, time.Now()), owner(), home(), os.Getpid()
	if before.Owner != "" {
		h.abort(before.Tx) // whatever its writer did
	}
	for h.Tx <= h.Epoch || slices.Contains(h.Aborted, h.Tx) {
		h.Tx++
	}
	begin := time.Now()
	h.Expires = begin.Add(leaseTime).UTC().Truncate(time.Millisecond)
	at, err := c.writeHead(ctx, n, at, h)
	if errors.Is(err, errConflict) {
		return nil, fmt.Errorf("open index %s for writing: another writer was faster: %w", n.base, store.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	sessions.Store(h.Session, true)
	l := &lease{c: c, names: n, at: at, head: h, until: begin.Add(leaseTime)}
	l.beat()
	return l, nil
}

// nextSession returns the number of a new session: the milliseconds since firstSession.
// If the catalogue is restored from a snapshot and the blocks are not, numbers after its
// own have been used, and blocks of forgotten documents would be taken for those of new
// ones. A number that the clock gives is never used again, since a session takes longer
// than a millisecond to open; one that counts sessions, or seconds, is.
func nextSession(last int64, now time.Time) int64 {
	return max(last+1, now.UnixMilli()-firstSession)
}

// firstSession is the beginning of 2020 in milliseconds: there are numbers for 69 years.
const firstSession = 1_577_836_800_000

// free returns an error wrapping store.ErrLocked while somebody writes to the
// index.
func (c *conn) free(ctx context.Context, n names, h head, at place) error {
	if h.Owner == "" || h.PID == 0 || h.dead() {
		return nil
	}
	silence := beatEvery + beatEvery/2
	switch wait := time.Until(h.Expires); {
	case wait > leaseTime+clockSlack:
		silence = leaseTime // nobody takes it for longer: the clock of the owner is fast, or ours slow
	case wait > 0:
		return fmt.Errorf("open index %s for writing: %s has it, until %v at least: %w",
			n.base, h.Owner, h.Expires.Local().Format(time.TimeOnly), store.ErrLocked)
	}
	// It is expired, or nobody knows: the clock of the owner is another. Is it silent?
	timer := time.NewTimer(silence)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, now, err := c.readHead(ctx, n)
	if err == nil && now != at {
		err = fmt.Errorf("open index %s for writing: %s has it: %w", n.base, h.Owner, store.ErrLocked)
	}
	return err
}
