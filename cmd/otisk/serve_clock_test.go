package main

import (
	"bufio"
	"database/sql"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/api"
)

// TestServeClockBack: a server whose data are of the future says so, and works: a check that was queued
// then ends, and the user signs in again.
func TestServeClockBack(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	id := s.collection("Theses", map[string]string{"zero.txt": "one two three four five six seven eight"})
	var made api.ID
	s.upload("/submissions", map[string]string{"essay.txt": "one two three four five six seven eight"}, []string{"collection", id}, &made)
	s.kill()
	db, err := sql.Open("sqlite", filepath.Join(s.data, "otisk.db"))
	if err != nil {
		t.Fatal(err)
	}
	const year = 365 * 24 * 3600 * 1000
	for _, query := range []string{
		`UPDATE audit SET at = at + ?1`, `UPDATE sessions SET created = created + ?1, seen = seen + ?1`, `UPDATE jobs SET created = created + ?1, ready = ready + ?1`, `UPDATE checks SET created = created + ?1`, `UPDATE servers SET seen = seen + ?1`,
	} {
		if _, err := db.Exec(query, year); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "serve", "--data", s.data, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.cmd = cmd
	lines := bufio.NewReader(out)
	address, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	warning, err := lines.ReadString('\n')
	if err != nil || !strings.HasPrefix(warning, "The clock of this machine shows ") || !strings.Contains(warning, "Nothing is lost") {
		t.Errorf("the server prints %q, %v, want a warning about the clock", warning, err)
	}
	s.announced(address)
	s.call("GET", "/me", nil, http.StatusUnauthorized, nil)
	s.call("POST", "/session", api.SignIn{Login: "admin", Password: testPassword}, http.StatusNoContent, nil)
	if checks := s.finished(made.ID); len(checks) != 1 || checks[0].State != "done" {
		t.Errorf("the check that was queued then: %+v", checks)
	}
}
