package desk

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
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

// TestCommonPassword: a common password is refused wherever a user chooses one.
func TestCommonPassword(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	const common = "Qwerty123456"
	link, err := d.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, first := d.First(t.Context(), link, Person{Login: "admin", Name: "Ada", Password: common})
	a := administrator(t, d)
	_, invited, err := d.Invite(t.Context(), a, Invitation{Login: "jana", Name: "Jana", Role: accounts.Reader})
	if err != nil {
		t.Fatal(err)
	}
	_, linked := d.Accept(t.Context(), invited, common)
	for what, err := range map[string]error{
		"the first administrator": first, "an invited user": linked, "a change": d.ChangePassword(t.Context(), a, PasswordChange{Current: "correct horse battery", Password: common}, "192.0.2.1"),
	} {
		var wrong *Invalid
		if !errors.As(err, &wrong) || wrong.Field != "password" {
			t.Errorf("%s: %v, want an error about the password", what, err)
		}
	}
}
