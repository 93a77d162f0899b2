package desk

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// TestSignInAtOnce: users behind one address who sign in at the same time do not exceed the limit of
// failed attempts. A sign-in whose client has gone does not wait.
func TestSignInAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	administrator(t, d)
	for range cap(d.hashing) { // others are hashed
		d.hashing <- struct{}{}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := d.SignIn(gone, "admin", "correct horse battery", "192.0.2.1"); !errors.Is(err, context.Canceled) {
		t.Errorf("SignIn for a client that has gone = %v, want context.Canceled", err)
	}
	const users = 30
	errs := make([]error, users)
	var group sync.WaitGroup
	for i := range users {
		group.Go(func() { _, errs[i] = d.SignIn(t.Context(), "admin", "correct horse battery", "192.0.2.1") })
	}
	for range cap(d.hashing) {
		<-d.hashing
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Errorf("SignIn of %d users at once: %v", users, err)
	}
}

// TestSignInLimitClock: the limit of failed sign-ins counts by the clock of the desk.
func TestSignInLimitClock(t *testing.T) {
	t.Parallel()
	clock := &testClock{at: time.Now()}
	d, _ := openAt(t, clock)
	administrator(t, d)
	attempt := func() error {
		_, err := d.SignIn(t.Context(), "admin", "wrong password", "192.0.2.1")
		return err
	}
	for range 10 {
		if err := attempt(); !errors.Is(err, ErrCredentials) {
			t.Fatalf("SignIn = %v, want ErrCredentials", err)
		}
	}
	var many *TooMany
	if err := attempt(); !errors.As(err, &many) {
		t.Fatalf("SignIn after ten failed attempts = %v, want TooMany", err)
	}
	clock.at = clock.at.Add(many.Wait)
	if err := attempt(); !errors.Is(err, ErrCredentials) {
		t.Errorf("SignIn after the wait of %v = %v, want ErrCredentials", many.Wait, err)
	}
}
