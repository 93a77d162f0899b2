package esclient

import (
	"context"
	"sync"
)

// A ticket collects what became of the items of one caller.
type ticket struct {
	open sync.WaitGroup
	mu   sync.Mutex
	err  error // the first one
}

func (t *ticket) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *ticket) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// wait returns when all items of t have been answered, or ctx ends.
func (t *ticket) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		t.open.Wait()
		close(done)
	}()
	select {
	case <-done:
		return t.failed()
	case <-ctx.Done():
		return ctx.Err()
	}
}
