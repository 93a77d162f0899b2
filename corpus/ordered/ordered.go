// Package ordered processes a stream in several goroutines and returns the results in
// the order of the stream.
package ordered

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Run calls read, which passes items to put until put returns false. Workers process
// the items concurrently, and Run calls receive with their results in the order of the
// items. It calls newWorker once for each goroutine. Run stops at the first error and
// returns it.
func Run[A, B any](ctx context.Context, read func(put func(A) bool) error, newWorker func() func(A) (B, error), receive func(B) error) error {
	type piece struct {
		in   A
		out  B
		done chan struct{}
	}
	workers := runtime.GOMAXPROCS(0)
	todo, order := make(chan *piece, workers), make(chan *piece, 2*workers)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(order)
		defer close(todo)
		return read(func(a A) bool {
			p := &piece{in: a, done: make(chan struct{})}
			for _, to := range []chan *piece{todo, order} {
				select {
				case to <- p:
				case <-ctx.Done():
					return false
				}
			}
			return true
		})
	})
	for range workers {
		work := newWorker()
		g.Go(func() (err error) {
			for p := range todo {
				if p.out, err = work(p.in); err != nil {
					return err
				}
				close(p.done)
			}
			return nil
		})
	}
	g.Go(func() error {
		for p := range order {
			select {
			case <-p.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if err := receive(p.out); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// Each calls work with the numbers 0 to count-1 concurrently. Each goroutine has its
// own state from newState, which is passed to end after its last call. Each stops at
// the first error and returns it.
func Each[S any](ctx context.Context, count int, newState func() S, work func(ctx context.Context, s S, i int) error, end func(S) error) error {
	next := make(chan int)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(next)
		for i := range count {
			select {
			case next <- i:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			s := newState()
			for i := range next {
				if err := work(ctx, s, i); err != nil {
					return err
				}
			}
			return end(s)
		})
	}
	return g.Wait()
}
