package ordered

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func count(n int) func(put func(int) bool) error {
	return func(put func(int) bool) error {
		for i := range n {
			if !put(i) {
				return context.Canceled
			}
		}
		return nil
	}
}

// TestOrder checks that results come in order although workers take different times.
func TestOrder(t *testing.T) {
	var got, want []int
	double := func() func(int) (int, error) {
		return func(i int) (int, error) {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
			return 2 * i, nil
		}
	}
	if err := Run(t.Context(), count(1000), double, func(i int) error { got = append(got, i); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		want = append(want, 2*i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Run returns %d results, want 1000 in the order of the input", len(got))
	}
}

// TestEnds checks that an error of each function and a cancelled context end Run.
func TestEnds(t *testing.T) {
	stop := errors.New("stop")
	same := func() func(int) (int, error) { return func(i int) (int, error) { return i, nil } }
	broken := func() func(int) (int, error) { return func(int) (int, error) { return 0, stop } }
	take := func(int) error { return nil }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"reader":   Run(t.Context(), func(func(int) bool) error { return stop }, same, take),
		"worker":   Run(t.Context(), count(1<<20), broken, take),
		"receiver": Run(t.Context(), count(1<<20), same, func(int) error { return stop }),
		"each":     Each(t.Context(), 100, func() int { return 0 }, func(context.Context, int, int) error { return stop }, func(int) error { return nil }),
	} {
		if !errors.Is(err, stop) {
			t.Errorf("after an error of the %s, Run returns %v", name, err)
		}
	}
	if err := Run(cancelled, count(1<<20), same, take); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context, Run returns %v", err)
	}
}

// TestEach checks that Each calls work once for each number.
func TestEach(t *testing.T) {
	var sum, ended atomic.Int64
	err := Each(t.Context(), 100, func() *int { return new(int) },
		func(_ context.Context, s *int, i int) error { *s += i; return nil },
		func(s *int) error { sum.Add(int64(*s)); ended.Add(1); return nil })
	if err != nil || sum.Load() != 4950 || ended.Load() == 0 {
		t.Errorf("Each gives %d from %d goroutines (%v), want 4950", sum.Load(), ended.Load(), err)
	}
}
