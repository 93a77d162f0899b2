package fetch

import (
	"context"
	"time"

	"github.com/otisk/otisk/internal/pause"
)

// A Clock returns the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits for d. If ctx ends first, it returns the error of ctx.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of the system.
var SystemClock Clock = system{}

type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	return pause.For(ctx, d)
}
