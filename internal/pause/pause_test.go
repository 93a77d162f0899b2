package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := For(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("For = %v after %v, want nil after a minute", err, time.Since(start))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		time.AfterFunc(time.Second, func() { cancel(stop) })
		start = time.Now()
		if err := For(ctx, time.Minute); err != stop || time.Since(start) != time.Second {
			t.Errorf("For = %v after %v, want %v after a second", err, time.Since(start), stop)
		}
	})
}
