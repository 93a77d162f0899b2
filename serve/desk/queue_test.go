package desk

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// TestMain is also the worker process of the tests: the name of a file selects its behaviour.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[len(os.Args)-1] == work.Command {
		os.Exit(fakeWorker())
	}
	os.Exit(m.Run())
}

func fakeWorker() int {
	task, err := work.ReadTask(os.Stdin)
	if err != nil {
		return 1
	}
	o := new(work.Outcome)
	for i, f := range task.Files {
		switch name, _, _ := strings.Cut(f.Name, "."); name {
		case "crash":
			os.Stderr.WriteString("fatal error: runtime: out of memory\nsecret of a thesis\n")
			return 2
		case "stall":
			time.Sleep(time.Hour)
		case "once": // crashes once
			mark := filepath.Join(filepath.Dir(task.Out), "..", "once")
			if _, err := os.Stat(mark); err != nil {
				_ = os.WriteFile(mark, nil, 0o600)
				return 2
			}
			fallthrough
		default:
			_ = os.WriteFile(filepath.Join(task.Out, f.Name), []byte("{}"), 0o600)
			o.Texts = append(o.Texts, work.Text{File: i, Path: f.Name, Report: f.Name, Row: report.Row{RowCount: &report.RowCount{Percent: 12, Words: 7}}})
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(work.Line{Outcome: o})
	return 0
}

// TestSetAside: a file whose process crashes is tried twice and set aside with the reason, which has
// nothing of its text. The others are checked.
func TestSetAside(t *testing.T) {
	t.Parallel()
	got := process(t, time.Minute, "crash.txt", "good.txt", "once.txt")
	for name, want := range map[string]Check{
		"crash.txt": {State: work.Failed, Reason: "set aside after 2 tries: the worker process ended early: fatal error: runtime: out of memory"},
		"good.txt":  {State: work.Done, Score: 12, Words: 7}, "once.txt": {State: work.Done, Score: 12, Words: 7},
	} {
		c := got[name]
		if c.State != want.State || c.Reason != want.Reason || c.Score != want.Score || c.Words != want.Words {
			t.Errorf("%s: %s, %q, score %v of %d words; want %s, %q, %v of %d", name, c.State, c.Reason, c.Score, c.Words, want.State, want.Reason, want.Score, want.Words)
		}
	}
}

// TestStall: a process without progress is ended, twice.
func TestStall(t *testing.T) {
	t.Parallel()
	c := process(t, 300*time.Millisecond, "stall.txt")["stall.txt"]
	if want := "set aside after 2 tries: no progress for 300ms"; c.State != work.Failed || c.Reason != want {
		t.Errorf("%s, %q; want %s, %q", c.State, c.Reason, work.Failed, want)
	}
}

// TestUnrecorded: if the end of a job cannot be recorded, as on a full disk, that is repeated.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	d, f, q := queue(t, time.Minute, "crash.txt")
	change := func(query string) {
		if err := f.Write(t.Context(), execute(query)); err != nil {
			t.Error(err)
		}
	}
	change(storagetest.Refusal("full_disk", "BEFORE UPDATE ON checks WHEN NEW.state = 'failed'"))
	logged := make(chan struct{}, 100)
	d.opts.Log.Handler().(*errorsLogged).errors = logged
	go func() {
		<-logged
		change(storagetest.Dropped("full_disk"))
	}()
	if c := run(t, d, q)["crash.txt"]; c.State != work.Failed {
		t.Errorf("the check is %s: %s", c.State, c.Reason)
	}
}

// errorsLogged is a log that sends to a channel for each error.
type errorsLogged struct {
	slog.Handler
	errors chan struct{}
}

// Enabled implements [slog.Handler].
func (e *errorsLogged) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (e *errorsLogged) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelError && e.errors != nil {
		e.errors <- struct{}{}
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (e *errorsLogged) WithAttrs([]slog.Attr) slog.Handler { return e }

// process runs the queue on files and returns their checks.
func process(t *testing.T, stall time.Duration, names ...string) map[string]Check {
	t.Helper()
	d, _, q := queue(t, stall, names...)
	return run(t, d, q)
}

// queue returns a desk with checks of files, and its queue.
func queue(t *testing.T, stall time.Duration, names ...string) (*Desk, *storage.Folder, *work.Queue) {
	t.Helper()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	program := work.Program{Path: os.Args[0], Stall: stall, Memory: 1 << 30}
	log := slog.New(&errorsLogged{Handler: slog.DiscardHandler})
	d, q, err := New(t.Context(), f, program, Options{MaxFile: 1 << 20, Passwords: quick, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	a := administrator(t, d)
	for _, name := range names {
		submit(t, d, a, name, "text", "")
	}
	return d, f, q
}

// run runs a queue until all checks are finished, and returns them.
func run(t *testing.T, d *Desk, q *work.Queue) map[string]Check {
	t.Helper()
	var a accounts.Actor
	err := d.folder.Read.QueryRowContext(t.Context(), `SELECT id, role, group_id FROM users`).Scan(&a.User, &a.Role, &a.Group)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx, 2) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	return finished(t, d, a)
}

// finished waits until no check is queued or running.
func finished(t *testing.T, d *Desk, a accounts.Actor) map[string]Check {
	t.Helper()
	for {
		checks, _, err := d.Checks(t.Context(), a, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		open, all := 0, map[string]Check{}
		for _, c := range checks {
			all[c.Name] = c
			if c.State == work.Queued || c.State == work.Running {
				open++
			}
		}
		if open == 0 {
			return all
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestRestart: jobs that ran when a server stopped run again, without using up a try.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, f := open(t, dir)
	a := administrator(t, d)
	submit(t, d, a, "good.txt", "text", "")
	if err := f.Write(t.Context(), execute(`UPDATE jobs SET state = 'running', tries = 2`)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := storagetest.Open(t, dir); err != nil {
		t.Fatal(err)
	} else {
		defer f.Close()
		program := work.Program{Path: os.Args[0], Stall: time.Minute, Memory: 1 << 30}
		d, q, err := New(t.Context(), f, program, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if c := run(t, d, q)["good.txt"]; c.State != work.Done {
			t.Errorf("after the restart the check is %s: %s", c.State, c.Reason)
		}
	}
}

// TestClockTurnedBack: a job that waits for some seconds does not wait for a year if the clock was turned
// back by a year.
func TestClockTurnedBack(t *testing.T) {
	t.Parallel()
	d, f, q := queue(t, time.Minute, "good.txt")
	later := time.Now().AddDate(1, 0, 0).UnixMilli()
	if err := f.Write(t.Context(), execute(`UPDATE jobs SET ready = ?, created = ?`, later, later)); err != nil {
		t.Fatal(err)
	}
	if c := run(t, d, q)["good.txt"]; c.State != work.Done {
		t.Errorf("the check is %s: %s", c.State, c.Reason)
	}
}
