package desk

import (
	"errors"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
)

// year is how far the clock of the tests is turned back.
const year = 365 * 24 * time.Hour

// turnBack moves the times of sessions, the audit log, codes and deliveries in the database into the future.
func turnBack(t *testing.T, f *storage.Folder, by time.Duration) {
	t.Helper()
	err := f.Write(t.Context(), func(tx *storage.Tx) {
		for _, query := range []string{
			`UPDATE sessions SET created = created + ?1, seen = seen + ?1`, `UPDATE audit SET at = at + ?1`, `UPDATE users SET totp_step = totp_step + ?1 / 30000 WHERE totp_step > 0`, `UPDATE deliveries SET ready = created + ?1`,
		} {
			tx.Exec(query, by.Milliseconds())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestClockBack: after the clock was turned back, the desk says so, sessions of the future have ended and
// users sign in again, codes are refused with the reason, recovery codes count, and deliveries do not wait.
func TestClockBack(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	ctx := t.Context()
	a := administrator(t, d)
	secret, recovery := withFactor(t, d, a)
	session, err := d.SecondFactor(ctx, ticket(t, d), recovery[0], "")
	if err != nil {
		t.Fatal(err)
	}
	if newest, err := d.ClockBack(ctx); err != nil || !newest.IsZero() {
		t.Errorf("ClockBack = %v, %v, want nothing", newest, err)
	}
	turnBack(t, f, clockError/2)
	if _, err := d.Actor(ctx, session); err != nil {
		t.Errorf("a session that is minutes ahead: %v, want that it goes on", err)
	}
	if newest, err := d.ClockBack(ctx); err != nil || !newest.IsZero() {
		t.Errorf("minutes ahead: ClockBack = %v, %v, want nothing", newest, err)
	}
	turnBack(t, f, year)
	if newest, err := d.ClockBack(ctx); err != nil || newest.Before(time.Now().Add(year-time.Hour)) {
		t.Errorf("ClockBack = %v, %v, want the time of the newest entry", newest, err)
	}
	if _, err := d.Actor(ctx, session); !errors.Is(err, ErrNotFound) {
		t.Errorf("a session of the future: %v, want that it ended", err)
	}
	if _, err := d.SecondFactor(ctx, ticket(t, d), accounts.TOTP(secret, d.opts.Now()), ""); !errors.Is(err, ErrClockBack) {
		t.Errorf("a code: %v, want ErrClockBack", err)
	}
	if session, err = d.SecondFactor(ctx, ticket(t, d), recovery[1], ""); err != nil {
		t.Fatalf("a recovery code: %v", err)
	}
	if again, err := d.Actor(ctx, session); err != nil || again.User != a.User {
		t.Errorf("the session after signing in again: %+v, %v", again, err)
	}
	log, err := d.Audit(ctx, a, 0, 100)
	if err != nil || len(log) < 4 {
		t.Errorf("the audit log has %d entries, %v", len(log), err)
	}
}

// TestDeliverClockBack: a delivery whose next try is a year away was queued before the clock was turned
// back, and is sent.
func TestDeliverClockBack(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	d.opts.Hooks = hooks.NewSender(ltitest.Network(t))
	id, _, err := d.NewWebhook(t.Context(), a, "https://127.0.0.1/", hooks.Events())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.TryWebhook(t.Context(), a, id); err != nil {
		t.Fatal(err)
	}
	turnBack(t, f, time.Hour)
	if n, err := d.deliverDue(t.Context(), "https://otisk.example.org"); err != nil || n != 0 {
		t.Errorf("%d deliveries, %v, want none before their time", n, err)
	}
	turnBack(t, f, year)
	if n, err := d.deliverDue(t.Context(), "https://otisk.example.org"); err != nil || n != 1 {
		t.Errorf("%d deliveries, %v, want one", n, err)
	}
}

// TestSteady: retention waits for an hour after the clock has jumped, forward or back, and after a start whose
// time is days after the last use. Small corrections change nothing.
func TestSteady(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	type step struct {
		run, ahead time.Duration
		want       bool
	}
	for name, tt := range map[string]struct {
		last  time.Time
		steps []step
	}{
		"no jump":              {start.Add(-time.Hour), []step{{0, 0, true}, {time.Hour, time.Minute, true}, {50 * time.Hour, -time.Minute, true}}},
		"a day ahead":          {start, []step{{0, 0, true}, {time.Minute, 24 * time.Hour, false}, {59 * time.Minute, 24 * time.Hour, false}, {62 * time.Minute, 24 * time.Hour, true}}},
		"ahead for a moment":   {start, []step{{0, 0, true}, {time.Minute, 10 * year, false}, {2 * time.Minute, 0, false}, {61 * time.Minute, 0, false}, {63 * time.Minute, 0, true}}},
		"an hour back":         {start, []step{{0, 0, true}, {time.Minute, -time.Hour, false}, {62 * time.Minute, -time.Hour, true}}},
		"a start after a week": {start.Add(-7 * 24 * time.Hour), []step{{0, 0, false}, {59 * time.Minute, 0, false}, {time.Hour, 0, true}}},
		"a new folder":         {time.Time{}, []step{{0, 0, true}}},
	} {
		var s steadiness
		s.unused(tt.last, start)
		for i, step := range tt.steps {
			if got := s.look(start.Add(step.run+step.ahead), step.run); got != step.want {
				t.Errorf("%s, step %d: steady = %t, want %t", name, i, got, step.want)
			}
		}
	}
}

// TestRetentionWaits: a check whose time has come stays while the clock may be wrong.
func TestRetentionWaits(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	finish(t, d, f, c)
	if err := f.Write(t.Context(), execute(`UPDATE checks SET keep = 1, created = created - 100000000, keep_set = 1 WHERE id = ?`, c.ID)); err != nil {
		t.Fatal(err)
	}
	d.steady()
	d.clock.wall = d.clock.wall.Add(-24 * time.Hour) // it jumps a day ahead
	if err := d.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(t.Context(), a, c.ID); err != nil {
		t.Errorf("after a jump of the clock: %v, want the check", err)
	}
	d.clock.until = 0
	if err := d.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(t.Context(), a, c.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("once the clock is steady: %v, want ErrNotFound", err)
	}
}
