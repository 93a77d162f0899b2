package esclient

import (
	"context"
	"sync"
)

// A ticket collects the outcomes of the items of one caller, and remembers the first error: then it takes no further
// items.
type ticket struct {
	open sync.WaitGroup // items without an outcome
	mu   sync.Mutex
	err  error // first error
}

// fail records err unless it is nil or an error was recorded before. Items of t that were not sent
// yet are dropped.
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

// wait returns when all items of t have an outcome, or ctx is done.
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
