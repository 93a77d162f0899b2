package format

import (
	"bytes"
	"context"
	"io"
)

// A Pulse checks a context every pulseSteps steps.
type Pulse struct {
	ctx   context.Context
	steps int
}

// NewPulse returns a pulse that checks ctx.
func NewPulse(ctx context.Context) *Pulse { return &Pulse{ctx: ctx} }

// pulseSteps is the number of steps between two checks of the context.
const pulseSteps = 256

// Err counts a step. On every pulseSteps-th it returns the cause if the context has ended,
// otherwise nil.
func (p *Pulse) Err() error {
	if p.steps++; p.steps%pulseSteps != 1 {
		return nil
	}
	return Ended(p.ctx)
}

// Ended returns the cause if ctx has ended, otherwise nil.
func Ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// NewReader returns a reader of data that fails once ctx has ended.
func NewReader(ctx context.Context, data []byte) io.Reader {
	return &reader{ctx, bytes.NewReader(data)}
}

type reader struct {
	ctx  context.Context
	data *bytes.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := Ended(r.ctx); err != nil {
		return 0, err
	}
	return r.data.Read(p)
}
