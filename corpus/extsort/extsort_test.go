package extsort

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSorts compares with sorting in memory: records of all lengths, few and so
// many that runs of runs are merged.
func TestSorts(t *testing.T) {
	for _, count := range []int{0, 1, 1000, 300_000} {
		dir := t.TempDir()
		s := New(filepath.Join(dir, "run"), 0)
		s.memory = 1 << 15 // a few hundred runs
		r := rand.New(rand.NewPCG(1, uint64(count)))
		var want []string
		for range count {
			record := fmt.Sprintf("%0*d", r.IntN(30), r.IntN(count))
			want = append(want, record)
			if err := s.Add([]byte(record)); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(want)
		var got []string
		if err := s.Each(t.Context(), func(b []byte) error { got = append(got, string(b)); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d records come back in another order, or others", count)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files are left after %d records", len(left), count)
		}
	}
}

// TestStops has an error of the receiver, and a context that ends, stop it; no
// file stays.
func TestStops(t *testing.T) {
	stop := errors.New("enough")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		want error
	}{{t.Context(), stop}, {ended, context.Canceled}} {
		dir := t.TempDir()
		s := New(filepath.Join(dir, "run"), 0)
		s.memory = 1000
		for i := range 1000 {
			if err := s.Add(fmt.Appendf(nil, "%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Each(tt.ctx, func([]byte) error { return stop }); !errors.Is(err, tt.want) {
			t.Errorf("Each = %v, want %v", err, tt.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files are left", len(left))
		}
	}
}
