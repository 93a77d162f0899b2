package desk

import (
	"context"
	"errors"
	"sync"
	"testing"
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
