package attack

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/front"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// smallDisk is the environment variable with a folder on a disk of 48 MB.
const smallDisk = "OTISK_TEST_SMALL_DISK"

// TestFullDisk runs [TestOnFullDisk] on a disk of its own, where the system allows to make one.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(storagetest.Variable) != "" || os.Getenv(storagetest.BucketVariable) != "" {
		t.Skip("the data are not on the disk")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("unshare", "-Urm", "mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("mount a small disk: %v %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", `mount -t tmpfs -o size=48m tmpfs "$1" && exec "$2" -test.run '^TestOnFullDisk$' -test.v`, "sh", dir, program)
	cmd.Env = append(os.Environ(), smallDisk+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestOnFullDisk") {
		t.Errorf("%v\n%s", err, out)
	}
}

// fill takes all space of a disk.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// TestOnFullDisk: on a full disk, users read and sign in, uploads are refused, and deletions make
// room. The server starts, and says that the disk is full.
func TestOnFullDisk(t *testing.T) {
	dir := os.Getenv(smallDisk)
	if dir == "" {
		t.Skip("runs in TestFullDisk")
	}
	f := buildIn(t, filepath.Join(dir, "data"), nil)
	if err := f.desk.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	librarian := f.users[ownGroup][accounts.Librarian]
	execute(t, f.folder, `UPDATE sessions SET seen = seen - 120000`) // their next use is noted
	fill(t, filepath.Join(dir, "filler"))
	want := func(what string, got, status int) {
		t.Helper()
		if got != status {
			t.Errorf("%s: %d, want %d", what, got, status)
		}
	}
	for range 3 {
		for role, session := range f.users[ownGroup] {
			if role == accounts.Student {
				continue
			}
			for _, path := range []string{api.Prefix + "/checks", "/checks", api.Prefix + "/me", "/checks/" + f.check[ownGroup]} {
				status, _ := f.ask("GET", path, session, nil)
				want(string(role)+" reads "+path, status, http.StatusOK)
			}
		}
	}
	if !f.folder.Full() {
		t.Fatal("nothing noticed that the disk is full")
	}
	status, _ := f.upload("/submissions", librarian, "a.txt", "text", "collection", f.collection[ownGroup])
	want("an upload", status, http.StatusInsufficientStorage)
	status, _ = f.ask("POST", api.Prefix+"/session", "", api.SignIn{Login: "otisk-reader", Password: password})
	want("signing in", status, http.StatusNoContent)
	_, answer := f.ask("GET", "/readyz", "", nil)
	if !strings.Contains(answer, `"disk":"full"`) {
		t.Errorf("/readyz answers %s, want that the disk is full", answer)
	}
	execute(t, f.folder, `UPDATE jobs SET state = 'done'`, `UPDATE checks SET state = 'failed'`)
	status, answer = f.ask("DELETE", api.Prefix+"/checks/"+f.check[ownGroup], librarian, nil)
	if status != http.StatusOK && status != http.StatusAccepted {
		t.Errorf("a deletion: %d %s, want success", status, answer)
	}

	// A start, with the reserve released before it and with one that the start releases.
	f.Server.Close()
	if err := f.folder.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "filler"))
	if err := os.Truncate(filepath.Join(dir, "filler"), 20<<20); err != nil { // some space for the reserve
		t.Fatal(err)
	}
	f.open(filepath.Join(dir, "data"))
	if err := f.folder.Reserve(0); err != nil || f.folder.Full() {
		t.Fatalf("the reserve: %v, full %v", err, f.folder.Full())
	}
	if err := f.folder.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "filler"))
	f.open(filepath.Join(dir, "data"))
	f.serve(nil)
	status, _ = f.ask("GET", "/checks", librarian, nil)
	want("reading after a start", status, http.StatusOK)
	if !f.folder.Full() {
		t.Error("the start does not say that the disk is full")
	}

	// Once there is room, uploads are accepted again.
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	if err := f.desk.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, _ = f.upload("/submissions", librarian, "a.txt", "text", "collection", f.collection[ownGroup])
	want("an upload after somebody made room", status, http.StatusAccepted)

	// A start without a reserve, after the last server has ended or was killed.
	killed := filepath.Join(dir, "killed")
	if err := os.CopyFS(killed, os.DirFS(filepath.Join(dir, "data"))); err != nil {
		t.Fatal(err)
	}
	f.Server.Close()
	if err := f.folder.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "data", "reserve")), os.Remove(filepath.Join(killed, "reserve"))); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "filler"))
	f.onlyReads(filepath.Join(dir, "data"))
	f.open(killed) // its log has space
	f.serve(nil)
	status, _ = f.ask("GET", "/checks", librarian, nil)
	want("reading after a server was killed", status, http.StatusOK)
	f.Server.Close()
	if err := f.folder.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	f.open(filepath.Join(dir, "data"))
	f.serve(nil)
	status, _ = f.upload("/submissions", librarian, "a.txt", "text", "collection", f.collection[ownGroup])
	want("an upload after a start with room", status, http.StatusAccepted)
	f.Server.Close()
	if err := f.folder.Close(); err != nil {
		t.Fatal(err)
	}

	// A disk that can only be read.
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("make the disk read-only: %v %s", err, out)
	}
	f.onlyReads(filepath.Join(dir, "data"))
}

// onlyReads starts a server on a folder that cannot be written: it shows its data, and says why it
// changes nothing.
func (f *fortress) onlyReads(data string) {
	f.t.Helper()
	f.open(data)
	if f.folder.ReadOnly() == nil {
		f.t.Fatalf("%s is open for writing", data)
	}
	f.serve(nil)
	session := f.users[ownGroup][accounts.Librarian]
	other := f.users[otherGroup][accounts.Librarian]
	for _, path := range []string{api.Prefix + "/checks", "/checks", "/checks/" + f.check[otherGroup]} {
		if status, answer := f.ask("GET", path, other, nil); status != http.StatusOK {
			f.t.Errorf("GET %s: %d %s", path, status, answer)
		}
	}
	for method, path := range map[string]string{"DELETE": "/checks/" + f.check[otherGroup], "POST": "/collections"} {
		status, answer := f.ask(method, api.Prefix+path, other, api.NewCollection{Name: "New"})
		if status != http.StatusServiceUnavailable || !strings.Contains(answer, "changes nothing") {
			f.t.Errorf("%s %s: %d %s, want the reason", method, path, status, answer)
		}
	}
	if status, answer := f.upload("/submissions", session, "a.txt", "text", "collection", f.collection[ownGroup]); status != http.StatusServiceUnavailable {
		f.t.Errorf("an upload: %d %s", status, answer)
	}
	if _, answer := f.ask("GET", "/readyz", "", nil); !strings.Contains(answer, `"folder":"read-only"`) {
		f.t.Errorf("/readyz answers %s", answer)
	}
	f.Server.Close()
	if err := f.folder.Close(); err != nil {
		f.t.Error(err)
	}
}

// TestDatabaseBusy: while another process writes to the database, users read, writing waits, and what
// waits too long is refused with the time to try again. Nothing is lost.
func TestDatabaseBusy(t *testing.T) {
	t.Parallel()
	if os.Getenv(storagetest.Variable) != "" {
		t.Skip("the database is not a file")
	}
	f := build(t, nil)
	librarian := f.users[ownGroup][accounts.Librarian]
	other, err := sql.Open("sqlite", f.folder.Path("otisk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock := func() (release func()) {
		conn, err := other.Conn(t.Context())
		if err == nil {
			_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
				t.Error(err)
			}
			_ = conn.Close()
		}
	}
	release := lock()
	accepted := make(chan string, 5)
	var group sync.WaitGroup
	for range cap(accepted) {
		group.Go(func() {
			status, answer := f.upload("/submissions", librarian, "a.txt", "text", "collection", f.collection[ownGroup])
			if status != http.StatusAccepted {
				t.Errorf("an upload that waits: %d %s", status, answer)
			}
			accepted <- answer
		})
	}
	time.Sleep(2 * time.Second)
	if status, _ := f.ask("GET", "/checks", librarian, nil); status != http.StatusOK {
		t.Errorf("reading: %d", status)
	}
	release()
	group.Wait()
	close(accepted)
	for answer := range accepted {
		var made api.ID
		if err := json.Unmarshal([]byte(answer), &made); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		if status, answer := f.ask("GET", api.Prefix+"/submissions/"+made.ID, librarian, nil); status != http.StatusOK {
			t.Errorf("an accepted upload: %d %s", status, answer)
		}
	}

	release = lock()
	defer release()
	before := len(storagetest.Names(t, f.folder, storage.Files))
	for _, path := range []string{api.Prefix + "/checks/", "/checks/"} {
		group.Go(func() {
			r := f.request("DELETE", path+f.check[ownGroup], librarian, nil)
			if path == "/checks/" {
				r = f.request("POST", path+f.check[ownGroup]+"/delete", librarian, strings.NewReader("sure=1"))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
				t.Errorf("%s waits too long: %d, Retry-After %q", r.URL.Path, resp.StatusCode, resp.Header.Get("Retry-After"))
			}
		})
	}
	group.Wait()
	if got := len(storagetest.Names(t, f.folder, storage.Files)); got != before {
		t.Errorf("%d files instead of %d after deletions that were refused", got, before)
	}
}

// TestQuota: two uploads at once cannot exceed the quota of a group or a user. A deletion makes room,
// and nothing stays of a refused file.
func TestQuota(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*front.Options, *desk.Options){
		"group": func(_ *front.Options, d *desk.Options) { d.GroupQuota = 1000 },
		"user":  func(_ *front.Options, d *desk.Options) { d.UserQuota = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := build(t, set)
			session := f.users[ownGroup][accounts.Checker]
			before := len(storagetest.Names(t, f.folder, storage.Files))
			statuses := make(chan int, 4)
			var group sync.WaitGroup
			for range cap(statuses) {
				group.Go(func() {
					status, _ := f.upload("/submissions", session, "a.txt", strings.Repeat("x", 400), "collection", f.collection[ownGroup])
					statuses <- status
				})
			}
			group.Wait()
			close(statuses)
			count := map[int]int{}
			for status := range statuses {
				count[status]++
			}
			if count[http.StatusAccepted] != 2 || count[http.StatusInsufficientStorage] != 2 {
				t.Errorf("four uploads of 400 bytes at once: %v, want two that are accepted", count)
			}
			if got := len(storagetest.Names(t, f.folder, storage.Files)) - before; got != 2 {
				t.Errorf("%d files are kept, want 2", got)
			}
			other := f.users[otherGroup][accounts.Checker]
			if status, answer := f.upload("/submissions", other, "a.txt", strings.Repeat("x", 400), "collection", f.collection[otherGroup]); status != http.StatusAccepted {
				t.Errorf("an upload of another group: %d %s", status, answer)
			}
		})
	}
}

// TestUseIsOptional: reading works if the use of a session cannot be noted.
func TestUseIsOptional(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	execute(t, f.folder, `UPDATE sessions SET seen = seen - 120000`, storagetest.Refusal("no_use", "BEFORE UPDATE ON sessions"))
	if _, err := f.desk.Actor(t.Context(), f.users[ownGroup][accounts.Reader]); err != nil {
		t.Errorf("the use cannot be noted: %v, want the user", err)
	}
	if status, _ := f.ask("GET", "/checks", f.users[ownGroup][accounts.Reader], nil); status != http.StatusOK {
		t.Errorf("the list: %d, want %d", status, http.StatusOK)
	}
}
