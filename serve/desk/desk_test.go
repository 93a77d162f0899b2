package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// quick is the cost of passwords in tests: the recommended one takes 0.2 s of CPU time for each.
var quick = accounts.Cost{Time: 1, Memory: 8}

// TestPasswordCost: a desk stores hashes of the recommended cost unless another is given.
func TestPasswordCost(t *testing.T) {
	t.Parallel()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, _, err := New(t.Context(), f, work.Program{}, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	administrator(t, d)
	var hash string
	if err := f.Read.QueryRowContext(t.Context(), `SELECT password FROM users`).Scan(&hash); err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("the hash is %q, %v, want one of 64 MB and 3 passes", hash, err)
	}
}

// open opens a desk on a data folder. Its queue does not run.
func open(t *testing.T, dir string) (*Desk, *storage.Folder) {
	t.Helper()
	f, err := storagetest.Open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	return deskOn(t, f), f
}

// deskOn opens a desk on an open data folder, which the end of the test closes. Its queue does not run.
func deskOn(t *testing.T, f *storage.Folder) *Desk {
	t.Helper()
	t.Cleanup(func() { _ = f.Close() })
	d, _, err := New(t.Context(), f, work.Program{}, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// administrator creates the first administrator.
func administrator(t *testing.T, d *Desk) accounts.Actor {
	t.Helper()
	link, err := d.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, err := d.First(t.Context(), link, Person{Login: "admin", Name: "Ada", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Actor(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// submit queues the check of a file and returns the check.
func submit(t *testing.T, d *Desk, a accounts.Actor, name, text, key string) *Check {
	t.Helper()
	id, err := submitted(t, d, a, name, text, key)
	if err != nil {
		t.Fatal(err)
	}
	checks, _, err := d.Checks(t.Context(), a, Filter{Submission: id})
	if err != nil || len(checks) != 1 {
		t.Fatalf("Checks = %v, %v, want one", checks, err)
	}
	return &checks[0]
}

func submitted(t *testing.T, d *Desk, a accounts.Actor, name, text, key string) (string, error) {
	t.Helper()
	all, err := d.Collections(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		id, err := d.NewCollection(t.Context(), a, "Theses", false)
		if err != nil {
			t.Fatal(err)
		}
		all = []Collection{{ID: id}}
	}
	u, err := d.Receive(t.Context(), a, accounts.CheckTexts, name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d.Submit(t.Context(), a, Submission{Collection: all[0].ID}, key, []*Upload{u})
}

// finish records a report on a check, as a worker does.
func finish(t *testing.T, d *Desk, f *storage.Folder, c *Check) {
	t.Helper()
	r := &report.Report{Result: search.Result{Suspect: search.Suspect{Path: c.Path, Text: "six words of text for a check", Bytes: 29, Runes: 29, Words: 7, Paragraphs: 1, NewLine: "true"}}}
	var b bytes.Buffer
	if err := report.Write(&b, "json", r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.shelf.Put(t.Context(), reportName(c.ID, 1), func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{`UPDATE checks SET state = 'done', reported = 1, words = 7 WHERE id = ?`, `UPDATE jobs SET state = 'done' WHERE id = (SELECT job_id FROM checks WHERE id = ?)`} {
		if err := f.Write(t.Context(), execute(query, c.ID)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecide: who decided is set by the server. Decisions that are sent again keep who made them,
// and decisions on an older state are refused.
func TestDecide(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	finish(t, d, f, c)
	place := func(start int, by string) report.LeftOut {
		return report.LeftOut{Suspect: [2]int{start, start + 3}, Word: start / 4, Words: 1, Reason: "other", By: by}
	}
	decide := func(a accounts.Actor, base int64, places ...report.LeftOut) error {
		sent := report.Decisions{Kind: "decisions", Format: report.Version, By: "Forged", Places: places}
		sent.Suspect.Bytes, sent.Suspect.Words = 29, 7
		data, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Decide(t.Context(), a, c.ID, base, data)
		return err
	}
	if err := decide(a, 0, place(0, "Forged")); err != nil {
		t.Fatal(err)
	}
	other := a
	other.Name = "Bob"
	if err := decide(other, 0, place(0, "Forged")); !errors.Is(err, ErrLater) {
		t.Errorf("Decide on the state before other decisions = %v, want ErrLater", err)
	}
	if err := decide(other, 1, place(0, "Forged"), place(4, "Forged")); err != nil {
		t.Fatal(err)
	}
	data, number, err := d.Decisions(t.Context(), a, c.ID)
	if err != nil || number != 2 {
		t.Fatalf("Decisions = number %d, %v, want 2", number, err)
	}
	got, err := report.ReadDecisions(bytes.NewReader(data))
	if err != nil || len(got.Places) != 2 || got.By != "Bob" || got.Places[0].By != "Ada" || got.Places[1].By != "Bob" {
		t.Errorf("Decisions = %s, %v, want the first by Ada, the second and all by Bob", data, err)
	}
	if history, err := d.History(t.Context(), a, c.ID, lang.Of("en")); err != nil || len(history) != 2 || history[0].By != "admin" {
		t.Errorf("History = %+v, %v, want two entries", history, err)
	}
	if h, err := d.Histogram(t.Context(), a, Filter{}); err != nil || h[0] != 1 {
		t.Errorf("Histogram = %v, %v, want one check in the first range", h, err)
	}
}

// TestIdempotencyKey: a repeated upload is the same submission, and leaves no file. The key with
// another file is refused.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	first := submit(t, d, a, "novak.txt", "text", "key")
	if again := submit(t, d, a, "novak.txt", "text", "key"); again.ID != first.ID {
		t.Errorf("the repeated upload made check %s, want %s", again.ID, first.ID)
	}
	if _, err := submitted(t, d, a, "novak.txt", "other", "key"); !errors.Is(err, ErrKeyReused) {
		t.Errorf("the key with another file: %v, want ErrKeyReused", err)
	}
	if files := storagetest.Names(t, f, storage.Files); len(files) != 1 {
		t.Errorf("%d files, want 1", len(files))
	}
}

// TestNames: the name of an upload is shown and never used as a path.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, f := open(t, filepath.Join(dir, "data"))
	a := administrator(t, d)
	for name, want := range map[string]string{
		"../../evil.txt": "evil.txt", `..\..\evil.txt`: "evil.txt", "/etc/passwd": "passwd", "a\x00b\n.txt": "a_b_.txt",
		"x.p/../hp": "hp", "a.tar.gz": "a.tar.gz", "zip!/a.txt": "a.txt", "bad\xff.txt": "bad_.txt", "a.ev/il": "il", "   ": "_", "\u200b": "_",
	} {
		if c := submit(t, d, a, name, "text", ""); c.Name != want {
			t.Errorf("%q is shown as %q, want %q", name, c.Name, want)
		}
	}
	for _, name := range []string{"", ".", "..", "/", "-", strings.Repeat("a", 256)} {
		if _, err := d.Receive(t.Context(), a, accounts.CheckTexts, name, strings.NewReader("text")); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	for _, file := range storagetest.Names(t, f, storage.Files) {
		if strings.ContainsAny(file, "_ !/\\") {
			t.Errorf("the file %q has a name that the client chose", file)
		}
	}
	if outside, err := os.ReadDir(dir); err != nil || len(outside) != 1 {
		t.Errorf("beside the data folder are %v, %v", outside, err)
	}
}

// TestTooLarge: a file over the limit is refused and leaves nothing.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	_, err := d.Receive(t.Context(), a, accounts.CheckTexts, "a.txt", strings.NewReader(strings.Repeat("a", 1<<20+1)))
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("Receive = %v, want ErrTooLarge", err)
	}
	if files := storagetest.Names(t, f, storage.Files); len(files) != 0 {
		t.Errorf("files %v are left", files)
	}
}

// TestSignIn: sessions end by signing out, by disabling the user, and by age; attempts are limited.
func TestSignIn(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	_, link, err := d.Invite(t.Context(), a, Invitation{Login: "eva", Role: accounts.Checker})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Accept(t.Context(), link, "short"); !errors.As(err, new(*Invalid)) {
		t.Errorf("Accept with a short password = %v, want an Invalid", err)
	}
	session, err := d.Accept(t.Context(), link, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Accept(t.Context(), link, "correct horse battery"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a second use of the link = %v, want ErrNotFound", err)
	}
	eva, err := d.Actor(t.Context(), session)
	if err != nil || eva.Login != "eva" {
		t.Fatalf("Actor = %v, %v", eva, err)
	}
	ends := func(how string, end func() error) {
		t.Helper()
		session, err := d.SignIn(t.Context(), "eva", "correct horse battery", "1.2.3.4")
		if err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Actor(t.Context(), session); !errors.Is(err, ErrNotFound) {
			t.Errorf("after %s: Actor = %v, want ErrNotFound", how, err)
		}
	}
	ends("two hours without a request", func() error {
		return f.Write(t.Context(), execute(`UPDATE sessions SET seen = ?`, time.Now().Add(-sessionIdle-time.Minute).UnixMilli()))
	})
	ends("a reset", func() error {
		link, _, err := d.Reset(t.Context(), a, eva.User)
		if err != nil {
			return err
		}
		_, err = d.Accept(t.Context(), link, "correct horse battery")
		return err
	})
	ends("disabling", func() error {
		return d.ChangeUser(t.Context(), a, eva.User, UserChange{Role: accounts.Checker, Disabled: true})
	})
	if _, err := d.SignIn(t.Context(), "eva", "correct horse battery", "1.2.3.4"); !errors.Is(err, ErrCredentials) {
		t.Errorf("a disabled user: SignIn = %v, want ErrCredentials", err)
	}
	var many *TooMany
	for range 12 {
		if _, err = d.SignIn(t.Context(), "admin", "wrong", "5.6.7.8"); errors.As(err, &many) {
			break
		}
	}
	if many == nil {
		t.Errorf("12 wrong passwords: %v, want TooMany", err)
	}
}

// execute returns a transaction that executes one statement.
func execute(query string, args ...any) func(tx *storage.Tx) {
	return func(tx *storage.Tx) { tx.Exec(query, args...) }
}

// TestLastAdministrator: nobody can lock everybody out.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	for _, err := range []error{
		d.ChangeUser(t.Context(), a, a.User, UserChange{Role: accounts.Reader}),
		d.ChangeUser(t.Context(), a, a.User, UserChange{Role: accounts.Administrator, Disabled: true}),
	} {
		if !errors.As(err, new(*Invalid)) {
			t.Errorf("SetUser of the last administrator = %v, want an Invalid", err)
		}
	}
}

// TestManyFromOneAddress: sign-ins that succeed do not use up the attempts of an address, which many
// users may share. Failed ones do.
func TestManyFromOneAddress(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	administrator(t, d)
	for i := range 12 {
		if _, err := d.SignIn(t.Context(), "admin", "correct horse battery", "192.0.2.1"); err != nil {
			t.Fatalf("sign-in %d: %v", i+1, err)
		}
	}
	long := strings.Repeat("x", accounts.MostPassword+1) // refused before it is hashed
	var err error
	for i := range 101 {
		_, err = d.SignIn(t.Context(), fmt.Sprint("user", i), long, "192.0.2.1")
	}
	if !errors.As(err, new(*TooMany)) {
		t.Errorf("the 101st failed sign-in from an address: %v, want too many", err)
	}
}
