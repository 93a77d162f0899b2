package esclient

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoWaitsForAPoint opens a point in time, which takes for ever, and has
// another goroutine wait for it. A goroutine that has one does not wait.
func TestWhoWaitsForAPoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, func(_ int, r *http.Request) (int, string, error) {
			<-r.Context().Done()
			return 0, "", r.Context().Err()
		})
		p := newPoints(f.conn, names{"x", 1}, head{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		for range 2 { // one opens it, the other waits for that
			go func() {
				_, err := p.get(ctx, "open")
				done <- err
			}()
		}
		synctest.Wait()
		if f.Sent() != 1 {
			t.Errorf("%d requests, want 1 of who opens it", f.Sent())
		}
		p.swap("", "a point")
		begin := time.Now()
		if id, err := p.get(t.Context(), "open"); id != "a point" || err != nil || time.Since(begin) > 0 {
			t.Errorf("get = %q, %v after %v, want the point at once", id, err, time.Since(begin))
		}
		cancel()
		for range 2 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("get that was cancelled = %v", err)
			}
		}
	})
}
