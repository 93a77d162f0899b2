package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// try sends a request and reports whether it was acknowledged. A killed server acknowledges nothing.
func (s *testServer) try(req *http.Request, out any) bool {
	s.t.Helper()
	resp, err := s.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return false
	}
	if resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s %s", req.Method, req.URL.Path, resp.Status, data)
	}
	return out == nil || json.Unmarshal(data, out) == nil
}

// restart starts the server again after it was killed.
func (s *testServer) restart() {
	s.t.Helper()
	_ = s.cmd.Wait()
	s.start()
}

// keyed returns an upload with an idempotency key, so that a repeated one counts once.
func (s *testServer) keyed(path, key, name, text string, fields ...string) *http.Request {
	req := s.uploadRequest(path, map[string]string{name: text}, fields)
	req.Header.Set("Idempotency-Key", key)
	return req
}

// killsOf returns how often a test kills a server: as OTISK_KILLS says, or few times, or many in a long run. It
// skips a short one. The number also determines the moments.
func killsOf(t *testing.T, few, many int) int {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	if kills, err := strconv.Atoi(os.Getenv("OTISK_KILLS")); err == nil {
		return kills
	}
	if need.All() {
		return many
	}
	return few
}

// TestServeKill kills a server at random moments while files are uploaded, checked and added, verdicts
// are set, decisions are stored, cases get comments, checks are exported and the server is backed up.
// Everything that was acknowledged exists exactly once, also in the backups, and every job ends.
func TestServeKill(t *testing.T) {
	kills := killsOf(t, 5, 100)
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, uint64(kills)))
	s := startServe(t, t.TempDir())
	s.first()
	id := s.collection("Theses", map[string]string{"zero.txt": manyWords(rng)})
	submissions, verdicts := map[string]string{}, map[string]string{} // names by submission; verdicts by check
	var comments []comment
	decisions := &decisionCounts{}
	backups := &backups{folder: t.TempDir()}
	documents := []string{"zero.txt"}
	n := 0
	pending := func() (*http.Request, func(map[string]any)) {
		key, name, text := fmt.Sprint("key", n), fmt.Sprintf("file%d.txt", n), fmt.Sprint(n, " ", manyWords(rng))
		switch {
		case n%3 == 1:
			return s.keyed("/collections/"+id+"/documents", key, name, text), func(map[string]any) { documents = append(documents, name) }
		default:
			return s.keyed("/submissions", key, name, text, "collection", id), func(a map[string]any) { submissions[a["id"].(string)] = name }
		}
	}
	for range kills {
		moment := time.Duration(rng.IntN(400)) * time.Millisecond
		process := s.cmd.Process
		time.AfterFunc(moment, func() { _ = process.Kill() })
		for alive := true; alive; n++ {
			req, done := pending()
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Fatal(err)
			}
			for {
				again := req.Clone(t.Context())
				again.Body, again.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
				var answer map[string]any
				if s.try(again, &answer) {
					done(answer)
					break
				}
				alive = false
				s.restart()
				req.URL.Host = strings.TrimPrefix(s.address, "http://")
				req.Host = req.URL.Host
			}
			s.judge(verdicts)
			s.comment(n, &comments)
			s.decideOn(decisions)
			s.export()
			if n%10 == 9 {
				backups.start(s, slices.Collect(maps.Keys(submissions)))
			}
		}
	}
	for sub, name := range submissions {
		if checks := s.finished(sub); len(checks) != 1 || checks[0].Name != name || checks[0].State != work.Done {
			t.Errorf("submission of %s has the checks %+v, want one that is done", name, checks)
		}
	}
	var all api.Checks
	s.call("GET", "/checks?limit=500", nil, http.StatusOK, &all)
	if all.Total != len(submissions) {
		t.Errorf("%d checks, want %d", all.Total, len(submissions))
	}
	for _, c := range all.Checks {
		if v := verdicts[c.ID]; v != "" && c.Verdict != v {
			t.Errorf("the verdict on %s is %q, want %q", c.Name, c.Verdict, v)
		}
	}
	s.sameComments(comments)
	s.sameDecisions(decisions)
	s.sameDocuments(id, documents)
	s.noLeftovers()
	backups.verify(s)
}

// A comment is one on a case, which a test sent.
type comment struct {
	check, text  string
	acknowledged bool
}

// comment adds a comment to the case of one of the finished checks, if the server is alive.
func (s *testServer) comment(n int, all *[]comment) {
	id := s.latest()
	if id == "" {
		return
	}
	c := comment{check: id, text: fmt.Sprint("comment ", n)}
	c.acknowledged = s.try(s.request("POST", "/checks/"+id+"/case", fmt.Sprintf(`{"kind": "comment", "text": %q}`, c.text)), nil)
	*all = append(*all, c)
}

// sameComments expects each comment that was acknowledged once, and the others at most once.
func (s *testServer) sameComments(all []comment) {
	s.t.Helper()
	times := map[string]int{}
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.check] {
			continue
		}
		seen[c.check] = true
		var steps []desk.Step
		s.call("GET", "/checks/"+c.check+"/case", nil, http.StatusOK, &steps)
		for _, step := range steps {
			if step.Kind == desk.CommentStep {
				times[c.check+step.Text]++
			}
		}
	}
	for _, c := range all {
		if n := times[c.check+c.text]; n > 1 || n == 0 && c.acknowledged {
			s.t.Errorf("the case of %s has %d times %q, acknowledged: %v", c.check, n, c.text, c.acknowledged)
		}
	}
}

// judge sets a verdict on one of the finished checks, if the server is alive.
func (s *testServer) judge(verdicts map[string]string) {
	s.t.Helper()
	if c := s.latest(); c != "" && s.try(s.request("PUT", "/checks/"+c+"/verdict", `{"verdict": "minor", "comment": "x"}`), nil) {
		verdicts[c] = "minor"
	}
}

// request returns a request with a body in JSON.
func (s *testServer) request(method, path, body string) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.address+api.Prefix+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

// latest returns the id of the latest finished check, "" if there is none or the server is not alive.
func (s *testServer) latest() string {
	s.t.Helper()
	var found api.Checks
	if !s.try(s.request("GET", "/checks?state=done&limit=1", ""), &found) || len(found.Checks) == 0 {
		return ""
	}
	return found.Checks[0].ID
}

// decisionCounts are the requests that stored decisions, by check.
type decisionCounts struct{ sent, acknowledged map[string]int }

// decideOn stores decisions on one of the finished checks, if the server is alive.
func (s *testServer) decideOn(all *decisionCounts) {
	s.t.Helper()
	c := s.latest()
	var r struct {
		Suspect struct{ Bytes, Words int }
	}
	if c == "" || !s.try(s.request("GET", "/checks/"+c+"/report", ""), &r) {
		return
	}
	if all.sent == nil {
		all.sent, all.acknowledged = map[string]int{}, map[string]int{}
	}
	d := report.Decisions{Kind: "decisions", Format: report.Version}
	d.Suspect.Bytes, d.Suspect.Words = r.Suspect.Bytes, r.Suspect.Words
	data, err := json.Marshal(d)
	if err != nil {
		s.t.Fatal(err)
	}
	all.sent[c]++
	if s.try(s.request("PUT", "/checks/"+c+"/decisions", string(data)), nil) {
		all.acknowledged[c]++
	}
}

// sameDecisions expects all decisions that were acknowledged, and no more than were sent.
func (s *testServer) sameDecisions(all *decisionCounts) {
	s.t.Helper()
	for c, sent := range all.sent {
		var stored []desk.Decided
		s.call("GET", "/checks/"+c+"/history", nil, http.StatusOK, &stored)
		if len(stored) < all.acknowledged[c] || len(stored) > sent {
			s.t.Errorf("%d decisions on %s, want %d to %d", len(stored), c, all.acknowledged[c], sent)
		}
	}
}

// export exports one of the finished checks. An archive that was cut off does not open.
func (s *testServer) export() {
	s.t.Helper()
	c := s.latest()
	if c == "" {
		return
	}
	resp, err := s.client.Do(s.request("GET", "/checks/"+c+"/export", ""))
	if err != nil {
		return
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	z, failed := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if (err == nil) != (failed == nil) || resp.StatusCode != http.StatusOK {
		s.t.Errorf("the export of %s has status %d and %d bytes: read %v, open %v", c, resp.StatusCode, len(data), err, failed)
	}
	if failed == nil {
		if _, err := fs.Stat(z, "report.json"); err != nil {
			s.t.Errorf("the export of %s: %v", c, err)
		}
	}
}

// backups are backups that ran while the server was killed, with the submissions that were acknowledged
// before.
type backups struct {
	folder string
	want   [][]string
	ended  []chan error
}

func (b *backups) path(i int) string { return filepath.Join(b.folder, fmt.Sprint(i)) }

// start starts a backup. Each second one is killed soon.
func (b *backups) start(s *testServer, submissions []string) {
	s.t.Helper()
	i := len(b.want)
	bucket, variables := bucketFlags(s.t, s.data)
	cmd := exec.Command(program(s.t), append([]string{"serve", "backup", "--data", s.data, b.path(i)}, bucket...)...)
	cmd.Env = append(os.Environ(), variables...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	if i%2 == 1 {
		time.AfterFunc(time.Duration(i)*10*time.Millisecond, func() { _ = cmd.Process.Kill() })
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	b.want, b.ended = append(b.want, submissions), append(b.ended, ended)
}

// verify starts a server on each complete backup: it has every submission of that time, and each completes. One
// that was killed has no database.
func (b *backups) verify(s *testServer) {
	s.t.Helper()
	complete := 0
	for i, want := range b.want {
		err := <-b.ended[i]
		if _, missing := os.Stat(filepath.Join(b.path(i), "otisk.db")); err != nil {
			if missing == nil && i%2 == 0 {
				s.t.Errorf("backup %d failed and has a database: %v", i, err)
			}
			continue
		}
		complete++
		copied := startServe(s.t, b.path(i))
		copied.call("POST", "/session", api.SignIn{Login: "admin", Password: testPassword}, http.StatusNoContent, nil)
		for _, id := range want {
			if checks := copied.finished(id); len(checks) != 1 || checks[0].State != work.Done {
				s.t.Errorf("backup %d: the submission %s has the checks %+v", i, id, checks)
			}
		}
		copied.kill()
	}
	if complete == 0 {
		s.t.Errorf("none of %d backups is complete", len(b.want))
	}
}

// sameDocuments compares the documents of a collection with names, after all additions are done.
func (s *testServer) sameDocuments(collection string, names []string) {
	s.t.Helper()
	s.until(func() bool {
		var c desk.Collection
		s.call("GET", "/collections/"+collection, nil, http.StatusOK, &c)
		return c.Pending == 0
	})
	var found []desk.Document
	s.call("GET", "/collections/"+collection+"/documents?limit=500", nil, http.StatusOK, &found)
	var got []string
	for _, d := range found {
		got = append(got, d.Name)
	}
	slices.Sort(names)
	if !slices.Equal(got, names) {
		s.t.Errorf("documents %v, want %v", got, names)
	}
	if out := otisk(s.t, "verify", "--index", filepath.Join(s.data, storage.Collections, collection)); out != "sound\n" {
		s.t.Errorf("verify says %s", out)
	}
}

// noLeftovers restarts the server, which removes files of interrupted requests: then each check has
// its file and its report, and there are no others.
func (s *testServer) noLeftovers() {
	s.t.Helper()
	s.kill()
	s.start()
	var all api.Checks
	s.call("GET", "/checks", nil, http.StatusOK, &all)
	want := map[string]int{storage.Files: all.Total, storage.Reports: all.Total, storage.Work: 0}
	if flags, _ := bucketFlags(s.t, s.data); flags != nil { // files without a row stay for a day
		if got := len(keysIn(s.t, s.data)); got < 2*all.Total {
			s.t.Errorf("%d files in the bucket, want at least %d", got, 2*all.Total)
		}
		want = map[string]int{storage.Files: 0, storage.Reports: 0, storage.Work: 0}
	}
	for folder, want := range want {
		if files, err := os.ReadDir(filepath.Join(s.data, folder)); err != nil || len(files) != want {
			s.t.Errorf("%d files in %s, %v, want %d", len(files), folder, err, want)
		}
	}
}

// manyWords returns a text of 200 random words.
func manyWords(rng *rand.Rand) string {
	var b strings.Builder
	for range 200 {
		fmt.Fprintf(&b, "w%d ", rng.IntN(5000))
	}
	return b.String()
}
