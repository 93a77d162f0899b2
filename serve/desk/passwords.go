package desk

import (
	"context"
	"net/netip"
	"runtime"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// The passwords are hashed and verified, within limits.
type passwords struct {
	room
	hashing chan struct{}     // slots for hashing
	limits  *accounts.Limiter // by login and address
	general *accounts.Limiter // by login or address
}

func newPasswords(r room) *passwords {
	slots := make(chan struct{}, min(mostHashes, runtime.GOMAXPROCS(0)))
	return &passwords{r, slots, accounts.NewLimiter(10, 30*time.Second), accounts.NewLimiter(100, 10*time.Second)}
}

// mostHashes is the limit of passwords that are hashed at the same time, each of which takes 64 MB and
// one core.
const mostHashes = 4

// slot waits for a slot for hashing, and returns a function that frees it, or an error if ctx ends before.
func (d *passwords) slot(ctx context.Context) (free func(), err error) {
	select {
	case d.hashing <- struct{}{}:
		return func() { <-d.hashing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash returns the hash of a password.
func (d *passwords) hash(ctx context.Context, password string) (string, error) {
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

// verify reports whether the password of an attempt is right. Wrong ones count for a login from an
// address and, with a higher limit, for each of both: a faculty may have one address, and somebody
// many. An attempt counts once it has a slot, so that those of many users behind one address do not
// exceed the limit while they wait.
func (d *passwords) verify(ctx context.Context, a attempt) (bool, error) {
	free, err := d.slot(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	login, from := "login "+storage.Fold(a.login), "from "+network(a.from)
	both, each := login+"\n"+from, []string{login, from}
	at := d.opts.Now()
	if wait, ok := d.limits.Allow(at, both); !ok {
		return false, &TooMany{wait}
	}
	if wait, ok := d.general.Allow(at, each...); !ok {
		d.limits.Refund(at, both)
		return false, &TooMany{wait}
	}
	if len(a.password) > accounts.MostPassword || !d.opts.Passwords.Verify(a.hash, a.password) {
		return false, nil
	}
	d.limits.Forget(both)
	d.general.Refund(d.opts.Now(), each...)
	return true, nil
}

// network returns an address or, for IPv6, the network of 64 bits that one subscriber has.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	prefix, _ := ip.WithZone("").Prefix(64) // an IPv6 address has one
	return prefix.String()
}

// verifyAgain checks the password of the actor, who has a session. Attempts count as those of signing in.
func (d *passwords) verifyAgain(ctx context.Context, a accounts.Actor, password, from string) error {
	var hash string
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT password FROM users WHERE id = ?`, a.User).Scan(&hash); err != nil {
		return found(err)
	}
	right, err := d.verify(ctx, attempt{a.Login, from, hash, password})
	if err != nil {
		return err
	}
	if !right {
		d.refused("password", a.User, from)
		return Wrong("password", "account.wrong-password", "wrong password")
	}
	return nil
}

// refused logs a sign-in that failed, with the id of the user, "" if there is none.
func (d *passwords) refused(what, user, from string) {
	d.opts.Log.Warn("sign-in refused", "wrong", what, "user", user, "address", from)
}
