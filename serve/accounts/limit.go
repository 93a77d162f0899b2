package accounts

import (
	"sync"
	"time"
)

// A Limiter limits failed sign-ins, by any key such as a login or an address: a burst, then one
// each interval.
type Limiter struct {
	burst    int
	interval time.Duration

	mu   sync.Mutex
	keys map[string]bucket
}

type bucket struct {
	used float64 // attempts that count, at the time at
	at   time.Time
}

// NewLimiter returns a limiter.
func NewLimiter(burst int, interval time.Duration) *Limiter {
	return &Limiter{burst: burst, interval: interval, keys: map[string]bucket{}}
}

// mostKeys bounds the memory of a limiter. Beyond it, keys without counted attempts are forgotten.
const mostKeys = 100_000

// Allow counts an attempt with each key at the time now, and reports whether all of them have
// attempts left. If one has not, no attempt is counted, and wait is the time until it has one.
func (l *Limiter) Allow(now time.Time, keys ...string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range keys {
		if used := l.used(k, now); used > float64(l.burst-1) {
			wait = max(wait, time.Duration((used-float64(l.burst-1))*float64(l.interval)))
		}
	}
	if wait > 0 {
		return wait, false
	}
	for _, k := range keys {
		l.keys[k] = bucket{l.used(k, now) + 1, now}
	}
	if len(l.keys) > mostKeys {
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
	delete(l.keys, key)
}

// Refund takes back one attempt with a key, after a sign-in that succeeded: many users may share an
// address.
func (l *Limiter) Refund(key string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys[key] = bucket{max(0, l.used(key, now)-1), now}
}

// used returns the attempts with a key that still count. A clock that was turned back does not add
// any.
func (l *Limiter) used(key string, now time.Time) float64 {
	b := l.keys[key]
	return max(0, b.used-max(0, float64(now.Sub(b.at))/float64(l.interval)))
}
