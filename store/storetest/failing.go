package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/otisk/otisk/store"
)

// ErrInjected is the cause of commits that fail by [FailOnce].
var ErrInjected = errors.New("a failure that passes")

// FailOnce returns a store in which one commit fails, the given one counted from 1, as on a
// disk that was full for a moment. The failing commit behaves as a failing commit of s.
func FailOnce(s store.Store, commit int) *Failing { return &Failing{Store: s, left: commit} }

// A Failing is a store returned by [FailOnce].
type Failing struct {
	store.Store

	mu   sync.Mutex
	left int // commits before the failing one
}

// Failed reports whether the failing commit has been called.
func (f *Failing) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.left <= 0
}

// Commit implements [store.Store].
func (f *Failing) Commit(ctx context.Context) error {
	f.mu.Lock()
	f.left--
	fails := f.left == 0
	f.mu.Unlock()
	if !fails {
		return f.Store.Commit(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(ErrInjected)
	if err := f.Store.Commit(ctx); !errors.Is(err, ErrInjected) {
		return fmt.Errorf("a commit with a context that is done = %v, want %w", err, ErrInjected)
	}
	return ErrInjected
}
