package desk

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// A testClock is a clock that tests turn.
type testClock struct{ at time.Time }

func (c *testClock) now() time.Time { return c.at }

// openAt opens a desk with a clock on a new data folder. Its queue does not run.
func openAt(t *testing.T, clock *testClock, roots ...string) (*Desk, *storage.Folder) {
	t.Helper()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	d, _, err := New(t.Context(), f, work.Program{}, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler), Now: clock.now, Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	return d, f
}

// endAll ends the open jobs as failed.
func endAll(t *testing.T, f *storage.Folder) {
	t.Helper()
	for _, rows := range []string{"jobs", "additions", "checks"} {
		if err := f.Write(t.Context(), execute(`UPDATE `+rows+` SET state = 'failed' WHERE state IN ('queued', 'running')`)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchedule: a source is read when its time has come, also after a failed run, and after the clock
// was turned back; never twice at once.
func TestSchedule(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	clock := &testClock{time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	d, f := openAt(t, clock)
	a := administrator(t, d)
	collection, err := d.NewCollection(ctx, a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	oai := Source{Kind: work.OAISource, Address: "https://repository.example.org/oai", Hours: 24}
	daily, err := d.AddSource(ctx, a, collection, oai)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddSource(ctx, a, collection, Source{Kind: work.FeedSource, Address: "https://news.example.org/rss"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddSource(ctx, a, collection, oai); !errors.Is(err, ErrInUse) {
		t.Errorf("the same source again: %v, want ErrInUse", err)
	}
	for _, s := range []Source{
		{Kind: "disk", Address: "https://example.org"}, {Kind: work.OAISource, Address: "file:///etc/passwd"},
		{Kind: work.FolderSource, Address: t.TempDir()}, {Kind: work.FeedSource, Address: "https://example.org", Hours: -1},
	} {
		if _, err := d.AddSource(ctx, a, collection, s); !errors.As(err, new(*Invalid)) {
			t.Errorf("AddSource(%+v) = %v, want an Invalid", s, err)
		}
	}
	open := func() (n int) {
		t.Helper()
		if err := d.Due(ctx); err != nil {
			t.Fatal(err)
		}
		if err := f.Read.QueryRowContext(ctx, `SELECT count(*) FROM jobs WHERE state = 'queued'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, step := range []struct {
		turn time.Duration
		want int
	}{{0, 2}, {23 * time.Hour, 0}, {2 * time.Hour, 1}, {-400 * 24 * time.Hour, 1}, {time.Hour, 0}, {24 * time.Hour, 1}} {
		clock.at = clock.at.Add(step.turn)
		for range 2 {
			if got := open(); got != step.want {
				t.Errorf("at %v: %d jobs are open, want %d", clock.at, got, step.want)
			}
		}
		endAll(t, f)
	}
	if err := d.RunSource(ctx, a, daily); err != nil {
		t.Fatal(err)
	}
	if err := d.RunSource(ctx, a, daily); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v, want ErrBusy", err)
	}
	other := accounts.Actor{Role: accounts.Administrator, Group: "other"}
	for name, err := range map[string]error{"run": d.RunSource(ctx, other, daily), "delete": d.DeleteSource(ctx, other, daily)} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s a source of another group: %v, want ErrNotFound", name, err)
		}
	}
	if err := d.DeleteSource(ctx, a, daily); err != nil {
		t.Fatal(err)
	}
	if got := open(); got != 0 {
		t.Errorf("after the source was deleted, %d jobs are open", got)
	}
}

// TestFolderRoots: only folders below those that the administrator named are sources.
func TestFolderRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"archive/theses", "archive2", "private"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d, _ := openAt(t, &testClock{time.Now()}, filepath.Join(dir, "archive"))
	a := administrator(t, d)
	collection, err := d.NewCollection(t.Context(), a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"archive": true, "archive/theses": true, "archive2": false, "private": false, "archive/../private": false, "archive/missing": false, ".": false} {
		_, err := d.AddSource(t.Context(), a, collection, Source{Kind: work.FolderSource, Address: filepath.Join(dir, path)})
		if (err == nil) != want {
			t.Errorf("AddSource of %s: %v, want it allowed: %v", path, err, want)
		}
	}
}
