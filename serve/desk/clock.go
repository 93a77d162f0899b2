package desk

import (
	"context"
	"time"

	"github.com/otisk/otisk/internal/phrase"
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
	var at int64
	err = d.folder.Read.QueryRowContext(ctx, `SELECT coalesce(max(at), 0) FROM (SELECT at FROM audit WHERE number > (SELECT coalesce(max(number), 0) FROM audit) - 1000 UNION ALL SELECT seen FROM sessions) x`).Scan(&at)
	if err != nil || at <= time.Now().Add(clockError).UnixMilli() {
		return time.Time{}, err
	}
	return timeOf(at), nil
}
