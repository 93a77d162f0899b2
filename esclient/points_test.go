package esclient

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPointsDoNotWaitForEachOther opens the point in time of one part, which
// takes for ever, and then that of another.
func TestPointsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, func(_ int, r *http.Request) (int, string, error) {
			switch {
			case strings.Contains(r.URL.Path, "x-texts-1"):
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			case r.Method == http.MethodPost:
				return 200, `{"id":"a point"}`, nil
			}
			return 200, `{"found":true,"_source":{"head":{}}}`, nil
		})
		p := &points{c: f.conn, names: names{"x", 1}, list: map[string]*point{}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		for range 2 { // one opens it, the other waits for that
			go func() {
				_, err := p.get(ctx, "open", textsPart)
				done <- err
			}()
		}
		synctest.Wait()
		begin := time.Now()
		if id, err := p.get(t.Context(), "open", documentsPart); id != "a point" || err != nil || time.Since(begin) > 0 {
			t.Errorf("get of another part = %q, %v after %v, want the point at once", id, err, time.Since(begin))
		}
		cancel()
		for range 2 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("get that was cancelled = %v", err)
			}
		}
	})
}
