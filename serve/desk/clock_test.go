package desk

import (
	"context"
	"database/sql"
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
	err := f.Write(t.Context(), func(tx *sql.Tx) error {
		for _, query := range []string{
			`UPDATE sessions SET created = created + ?1, seen = seen + ?1`, `UPDATE audit SET at = at + ?1`, `UPDATE users SET totp_step = totp_step + ?1 / 30000 WHERE totp_step > 0`, `UPDATE deliveries SET ready = created + ?1`,
		} {
			if _, err := tx.ExecContext(context.WithoutCancel(t.Context()), query, by.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
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
