package format

import (
	"bytes"
	"context"
	"io"
)

// A Pulse looks at a context every so many steps.
type Pulse struct {
	ctx   context.Context
	steps int
}

// NewPulse returns a pulse that looks at ctx.
func NewPulse(ctx context.Context) *Pulse { return &Pulse{ctx: ctx} }

// pulseSteps are the steps between two looks at the context.
const pulseSteps = 256

// Err counts a step. It returns why the context ended, nil as long as it has not
// or nobody looked.
func (p *Pulse) Err() error {
	if p.steps++; p.steps%pulseSteps != 1 {
		return nil
	}
	return Ended(p.ctx)
}

// Ended returns why ctx ended, nil if it has not.
func Ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// NewReader reads data until ctx ends.
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
