package desk

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// TestServerKilled: a server executes the jobs of another that was killed, and not those of one that
// lives. Sessions are valid at both.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	storagetest.NeedPostgres(t)
	ctx, dir := t.Context(), t.TempDir()
	server := func() (*Desk, *work.Queue) {
		f, err := storagetest.Open(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		program := work.Program{Path: os.Args[0], Stall: time.Minute, Memory: 1 << 30}
		d, q, err := New(ctx, f, program, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return d, q
	}
	first, _ := server()
	session := must(first.First(ctx, must(first.FirstLink(ctx)), Person{Login: "admin", Name: "Ada", Password: "correct horse battery"}))
	a := must(first.Actor(ctx, session))
	for _, name := range []string{"queued.txt", "killed.txt", "living.txt"} {
		submit(t, first, a, name, "text", "")
	}
	for _, s := range []string{"killed", "living"} {
		if _, err := first.folder.Beat(ctx, s); err != nil {
			t.Fatal(err)
		}
		if err := first.folder.Write(ctx, execute(`UPDATE jobs SET state = 'running', server = ?1, tries = 2 WHERE id = (SELECT job_id FROM checks WHERE name = ?1 || '.txt')`, s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.folder.Write(ctx, execute(`UPDATE servers SET seen = seen - 60000 WHERE id = 'killed'`)); err != nil {
		t.Fatal(err)
	}
	second, q := server()
	if b, err := second.Actor(ctx, session); err != nil || b.User != a.User {
		t.Errorf("the session at the second server is of %q, %v", b.User, err)
	}
	if oldest, err := second.folder.Beat(ctx, "young"); err != nil || oldest {
		t.Errorf("the youngest server schedules: %v, %v", oldest, err)
	}
	var runs string
	if err := second.folder.Read.QueryRowContext(ctx, `SELECT server FROM jobs WHERE state = 'running'`).Scan(&runs); err != nil || runs != "living" {
		t.Errorf("a job runs at %q, %v, want living", runs, err)
	}
	if err := second.folder.Write(ctx, execute(`UPDATE jobs SET state = 'done' WHERE server = 'living'`)); err != nil {
		t.Fatal(err)
	}
	if err := second.folder.Write(ctx, execute(`UPDATE checks SET state = 'done' WHERE name = 'living.txt'`)); err != nil {
		t.Fatal(err)
	}
	for name, c := range run(t, second, q) {
		if c.State != work.Done {
			t.Errorf("%s is %s: %s", name, c.State, c.Reason)
		}
	}
	var servers int
	if err := second.folder.Read.QueryRowContext(ctx, `SELECT count(*) FROM servers WHERE id NOT IN ('living', 'young')`).Scan(&servers); err != nil || servers != 0 {
		t.Errorf("%d servers are left after the second has stopped, %v", servers, err)
	}
}

// TestFirstSign: a server that starts records one sign of life.
func TestFirstSign(t *testing.T) {
	t.Parallel()
	storagetest.NeedPostgres(t)
	d, f, q := queue(t, time.Minute, "good.txt")
	for _, statement := range []string{
		"CREATE TABLE signs (at BIGINT NOT NULL)",
		storagetest.Trigger("signs_first", "AFTER INSERT ON servers", "INSERT INTO signs (at) VALUES (NEW.seen)"),
		storagetest.Trigger("signs_next", "AFTER UPDATE ON servers", "INSERT INTO signs (at) VALUES (NEW.seen)"),
	} {
		if err := f.Write(t.Context(), execute(statement)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, d, q)
	var signs int
	if err := f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM signs`).Scan(&signs); err != nil || signs != 1 {
		t.Errorf("%d signs of life within the first seconds, %v, want 1", signs, err)
	}
}
