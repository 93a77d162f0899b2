package format

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := Budget{Time: time.Minute}.Limit(t.Context())
		defer cancel()
		time.Sleep(50 * time.Second)
		first, second := Pause(ctx), Pause(ctx)
		time.Sleep(time.Hour)
		first()
		time.Sleep(time.Hour)
		second()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatalf("after 59 s and a pause: %v, want a context that goes on", context.Cause(ctx))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if err := context.Cause(ctx); !errors.Is(err, ErrTooLarge) {
			t.Errorf("after 61 s and a pause: cause %v, want %v", err, ErrTooLarge)
		}
	})
}

func TestPauseWithoutLimit(t *testing.T) { Pause(t.Context())() }
