package accounts

import (
	"strings"
	"testing"
	"time"
)

// TestLimiterForgets: keys of any length take the same memory, and leave when they no longer count.
func TestLimiterForgets(t *testing.T) {
	t.Parallel()
	l, at := NewLimiter(2, time.Second), time.Now()
	for i := range 1000 {
		l.Allow(at, strings.Repeat("x", 1000+i))
	}
	if n := len(l.keys); n != 1000 {
		t.Fatalf("%d keys, want 1000", n)
	}
	l.Allow(at.Add(sweepEach), "other")
	if n := len(l.keys); n != 1 {
		t.Errorf("%d keys after a minute, want 1", n)
	}
	l.Allow(at.Add(-time.Hour), "back") // a clock that was turned back
	if _, ok := l.Allow(at.Add(-time.Hour), "other"); !ok {
		t.Error("a second attempt of two is refused")
	}
	if _, ok := l.Allow(at.Add(-time.Hour), "other"); ok {
		t.Error("a third attempt of two is allowed")
	}
}
