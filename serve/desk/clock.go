package desk

import (
	"context"
	"sync"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/storage"
)

// clockError is how far the clocks of servers may differ, or one may be turned back, without a
// consequence.
const clockError = 10 * time.Minute

// ErrClockBack is the error for a code of the second factor that may be right, while the last one that was
// used is of the future.
var ErrClockBack error = phrase.Error("account.clock-back", "the clock of the server was turned back, so it accepts no codes of the app: use a recovery code, and ask an administrator to set the clock")

// ClockBack returns the time of the latest entry of the audit log or use of a session, if it is in the
// future: the clock of this machine was turned back, or was ahead. It returns the zero time otherwise.
//
// Nothing is lost then. Sessions of the future have ended, jobs and webhooks do not wait for their time,
// and due times are those of the present clock.
func (d *Desk) ClockBack(ctx context.Context) (newest time.Time, err error) {
	newest, err = lastUse(ctx, d.folder)
	if err != nil || !newest.After(time.Now().Add(clockError)) {
		return time.Time{}, err
	}
	return newest, nil
}

// lastUse returns the time of the latest entry of the audit log or use of a session, the zero time if there is
// none.
func lastUse(ctx context.Context, f *storage.Folder) (time.Time, error) {
	var at int64
	err := f.Read.QueryRowContext(ctx, `SELECT coalesce(max(at), 0) FROM (SELECT at FROM audit WHERE number > (SELECT coalesce(max(number), 0) FROM audit) - 1000 UNION ALL SELECT seen FROM sessions) x`).Scan(&at)
	return timeOf(at), err
}

// steadyFor is how long the clock of the machine must run without a jump before retention deletes anything:
// most clocks that are wrong at the start of a machine are set by then.
const steadyFor = time.Hour

// unusedFor is the time without an entry of the audit log or use of a session after which a start is like a
// jump of the clock: the server may have been off, or its clock may be ahead.
const unusedFor = 24 * time.Hour

// A steadiness finds jumps of the clock of the machine by its monotonic clock. The zero value has seen
// none.
type steadiness struct {
	mu    sync.Mutex
	wall  time.Time     // of the last look
	run   time.Duration // monotonic time of the last look
	until time.Duration // monotonic time at which the clock counts as steady
}

// look reports whether the clock is steady when it shows wall, a time after the start by the monotonic clock.
func (s *steadiness) look(wall time.Time, run time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if jump := wall.Sub(s.wall) - (run - s.run); !s.wall.IsZero() && jump.Abs() > clockError {
		s.until = run + steadyFor
	}
	s.wall, s.run = wall, run
	return run >= s.until
}

// unused notes the last time at which the data were used before the start, the zero time if never.
func (s *steadiness) unused(last, start time.Time) {
	if !last.IsZero() && start.Sub(last) > unusedFor {
		s.until = steadyFor
	}
}

// steady reports whether the clock of the machine has run without a jump for long enough.
func (d *keeper) steady() bool {
	at := time.Now()
	return d.clock.look(at.Round(0), at.Sub(d.started))
}
