package desk

import (
	"context"
	"runtime"
	"strings"

	"github.com/otisk/otisk/serve/accounts"
)

// mostHashes is the limit of passwords that are hashed at the same time, each of which takes 64 MB and
// one core.
const mostHashes = 4

// newHashing returns the slots for hashing passwords.
func newHashing() chan struct{} { return make(chan struct{}, min(mostHashes, runtime.GOMAXPROCS(0))) }

// slot waits for a slot for hashing, and returns a function that frees it, or an error if ctx ends before.
func (d *Desk) slot(ctx context.Context) (free func(), err error) {
	select {
	case d.hashing <- struct{}{}:
		return func() { <-d.hashing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash returns the hash of a password.
func (d *Desk) hash(ctx context.Context, password string) (string, error) {
	free, err := d.slot(ctx)
	if err != nil {
		return "", err
	}
	defer free()
	return d.opts.Passwords.Hash(password), nil
}

// An attempt is a password that a client entered.
type attempt struct {
	login, from string // from is the address of the client
	hash        string // of the right password, "" if there is none
	password    string
}

// verify reports whether the password of an attempt is right. Wrong ones count by login and by
// address. An attempt counts once it has a slot, so that those of many users behind one address do not
// exceed the limit while they wait.
func (d *Desk) verify(ctx context.Context, a attempt) (bool, error) {
	free, err := d.slot(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	keys := []string{"login " + strings.ToLower(a.login), "from " + a.from}
	if wait, ok := d.limits.Allow(d.opts.Now(), keys...); !ok {
		return false, &TooMany{wait}
	}
	if len(a.password) > accounts.MostPassword || !d.opts.Passwords.Verify(a.hash, a.password) {
		return false, nil
	}
	d.limits.Forget(keys[0])
	d.limits.Refund(keys[1], d.opts.Now())
	return true, nil
}
