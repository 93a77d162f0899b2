package accounts

import (
	"crypto/sha256"
	"sync"
	"time"
)

// A Limiter limits failed sign-ins, by any key such as a login or an address: a burst, then one
// each interval. It stores hashes of keys, until their attempts no longer count.
type Limiter struct {
	burst    int
	interval time.Duration

	mu    sync.Mutex
	keys  map[hashedKey]bucket
	swept time.Time // when keys without counted attempts were removed
}

type hashedKey [sha256.Size]byte

func hashKey(key string) hashedKey { return sha256.Sum256([]byte(key)) }

type bucket struct {
	used float64 // attempts that count, at the time at
	at   time.Time
}

// NewLimiter returns a limiter.
func NewLimiter(burst int, interval time.Duration) *Limiter {
	return &Limiter{burst: burst, interval: interval, keys: map[hashedKey]bucket{}}
}

// sweepEach is the time after which a limiter removes keys without counted attempts.
const sweepEach = time.Minute

// Allow counts an attempt with each key at the time now, and reports whether all of them have
// attempts left. If one has not, no attempt is counted, and wait is the time until it has one.
func (l *Limiter) Allow(now time.Time, keys ...string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		if used := l.used(hashKey(k), now); used > float64(l.burst-1) {
			wait = max(wait, time.Duration((used-float64(l.burst-1))*float64(l.interval)))
		}
	}
	if wait > 0 {
		return wait, false
	}
	for _, k := range keys {
		l.keys[hashKey(k)] = bucket{l.used(hashKey(k), now) + 1, now}
	}
	if since := now.Sub(l.swept); since >= sweepEach || since < 0 {
		l.swept = now
		for k := range l.keys {
			if l.used(k, now) == 0 {
				delete(l.keys, k)
			}
		}
	}
	return 0, true
}

// Forget removes the attempts with a key, after a sign-in that succeeded.
func (l *Limiter) Forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.keys, hashKey(key))
}

// Refund takes back one attempt with each key, after a sign-in that succeeded or was not tried: many
// users may share an address.
func (l *Limiter) Refund(now time.Time, keys ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		l.keys[hashKey(k)] = bucket{max(0, l.used(hashKey(k), now)-1), now}
	}
}

// used returns the attempts with a key that still count. A clock that was turned back does not add
// any.
func (l *Limiter) used(key hashedKey, now time.Time) float64 {
	b := l.keys[key]
	return max(0, b.used-max(0, float64(now.Sub(b.at))/float64(l.interval)))
}
