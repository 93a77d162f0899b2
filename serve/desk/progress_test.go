package desk

import (
	"errors"
	"testing"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/serve/accounts"
)

// TestProgress: the share counts the texts of the check that runs, and not those of an earlier one; an estimate needs a
// pace.
func TestProgress(t *testing.T) {
	t.Parallel()
	c := newTerm(t, false)
	ctx := t.Context()
	progress := func() *Progress {
		t.Helper()
		p, err := c.d.Progress(ctx, c.a, c.id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := progress(); p != nil {
		t.Errorf("of an empty course: %+v", p)
	}
	c.handIn("a.txt", "b.txt")
	if p := progress(); p != nil {
		t.Errorf("before the date: %+v", p)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.execute()
	time.Sleep(2 * time.Millisecond) // times are stored in milliseconds
	c.handIn("c.txt", "d.txt", "e.txt", "f.txt")
	c.due()
	if p := progress(); p == nil || p.Share != 0 || p.Left != 0 {
		t.Errorf("at the start: %+v, want nothing done and no estimate", p)
	}
	for range 3 {
		j, task := c.claim()
		if err := c.d.Finish(ctx, j, task, c.outcome(task)); err != nil {
			t.Fatal(err)
		}
	}
	if p := progress(); p == nil || p.Share != 0.75 || p.Left <= 0 || p.Left > time.Minute {
		t.Errorf("after three of four: %+v, want three quarters and an estimate", p)
	}
	c.execute()
	if p := progress(); p != nil {
		t.Errorf("at the end: %+v", p)
	}
	if _, err := c.d.Progress(ctx, accounts.Actor{Role: accounts.Administrator, Group: "other"}, c.id); !errors.Is(err, ErrNotFound) {
		t.Errorf("of another group: %v, want ErrNotFound", err)
	}
}

func TestShareOf(t *testing.T) {
	last := -1.0
	for _, at := range []check.Progress{{}, {Stage: check.Reading, Done: 1, Total: 2}, {Stage: check.Comparing, Done: 9, Total: 9}, {Stage: check.Searching, Done: 1, Total: 20}, {Stage: check.Searching, Done: 20, Total: 20}} {
		got := shareOf(at)
		if got <= last || got > 1 {
			t.Errorf("shareOf(%+v) = %v after %v, want more and at most 1", at, got, last)
		}
		last = got
	}
}
