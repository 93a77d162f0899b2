package extsort

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// TestSorts compares with sorting in memory: records of all lengths, few and so
// many that runs of runs are merged.
func TestSorts(t *testing.T) {
	for _, count := range []int{0, 1, 1000, need.Rounds(300_000)} {
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
			t.Errorf("%d records: Each returns other records or another order than sorting in memory", count)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files remain after sorting %d records, want 0", len(left), count)
		}
	}
}

// TestStops checks that an error of the receiver and a cancelled context stop Each,
// and that no file remains.
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
			t.Errorf("%d files remain, want 0", len(left))
		}
	}
}

// TestSortsAlike sorts records with common prefixes, records that are prefixes of others, records
// that end with zero bytes, empty records, and records longer than a piece of the arena.
func TestSortsAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	starts := []string{"", "\x00", "of the ", "of the people ", strings.Repeat("of ", 100), strings.Repeat("x", pieceBytes+1), strings.Repeat("y", pieceBytes)}
	s := New(filepath.Join(t.TempDir(), "run"), 0)
	s.memory = 8 << 20
	var want []string
	for range 3000 {
		record := starts[r.IntN(len(starts)-2)]
		if r.IntN(200) == 0 {
			record = starts[r.IntN(len(starts))]
		}
		for range r.IntN(12) {
			record += string(rune('a' - 1 + r.IntN(3))) // "`", "a" or "b"
		}
		record += strings.Repeat("\x00", r.IntN(10)*r.IntN(2))
		want = append(want, record)
		if err := s.Add([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	at := 0
	err := s.Each(t.Context(), func(b []byte) error {
		if string(b) != want[at] {
			t.Fatalf("record %d is %.40q of %d bytes, want %.40q of %d", at, b, len(b), want[at], len(want[at]))
		}
		at++
		return nil
	})
	if err != nil || at != len(want) {
		t.Errorf("Each returns %d records and error %v, want %d and none", at, err, len(want))
	}
}
