package desk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otisk/otisk/serve/work"
)

// The rounds repeat what a server does without a request.
type rounds struct {
	room
	queue *work.Queue
}

// Numbers and times of assets, which platforms send as submissions.
const (
	fetchers   = 4               // assets that are fetched at the same time, and reports that are sent
	fetchStep  = time.Second     // between queries for due assets
	reportStep = 5 * time.Second // between queries for due reports; with 20,000 assets, one takes 56 ms of CPU
)

// repeat calls do until ctx ends: again at once if it had as much to do as it takes, else after a pause.
// Of several servers, one does so.
func (d *rounds) repeat(ctx context.Context, pause time.Duration, what string, do func(context.Context) (int, error)) {
	for ctx.Err() == nil {
		done, err := 0, error(nil)
		if d.queue.Leads() {
			done, err = do(ctx)
		}
		if err != nil && ctx.Err() == nil {
			d.opts.Log.Error(what, "cause", err)
		}
		if err == nil && done == fetchers {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// each calls do for all values at the same time.
func each[T any](all []T, do func(T) error) error {
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, x := range all {
		group.Go(func() { errs[i] = do(x) })
	}
	group.Wait()
	return errors.Join(errs...)
}
