package crawl

import (
	"cmp"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/testing/newsroom"
)

// TestFullDisk lets each step and all later ones fail. The summary counts the articles
// that are stored, the error names its cause once, and the next run fetches the others.
func TestFullDisk(t *testing.T) {
	room := newsroom.Open(t, 40)
	stored := 0
	every := 11
	if testing.Short() {
		every = 37
	}
	for at := 6; ; at += every {
		dir := t.TempDir()
		o := options(t, dir, room.Feeds()[:30])
		steps, where := 0, ""
		o.Step = func(op, path string) error {
			if steps++; steps >= at {
				where = cmp.Or(where, op)
				return syscall.ENOSPC
			}
			return nil
		}
		first, err := Run(t.Context(), o)
		if steps < at {
			if stored == 0 {
				t.Error("no run that failed had stored articles before")
			}
			return
		}
		if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), syscall.ENOSPC.Error()) != 1 {
			t.Errorf("step %d: Run = %v, want the cause once", at, err)
		}
		o.Step = nil
		second, err := Run(t.Context(), o)
		count := first.New + second.New
		if err != nil || count > 90 || count < 90 && where != "updated" || len(records(t, dir)) != 90 { // a failed sync may have stored more
			t.Errorf("step %d, %s: %d new articles, then %d, %v; want 90 in all", at, where, first.New, second.New, err)
		}
		stored += first.New
		if t.Failed() {
			return
		}
	}
}
