package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/need"
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

// killsOf returns how often a test kills a server: few times, or many in a long run. It skips a short
// one.
func killsOf(t *testing.T, few, many int) int {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	if need.All() {
		return many
	}
	return few
}

// TestServeKill kills a server at random moments while files are uploaded, checked and added, verdicts
// are set,
// and cases get comments. Everything that was acknowledged is there once, and every job ends.
func TestServeKill(t *testing.T) {
	kills := killsOf(t, 5, 100)
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, uint64(kills)))
	s := startServe(t, t.TempDir())
	s.first()
	id := s.collection("Theses", map[string]string{"zero.txt": manyWords(rng)})
	submissions, verdicts := map[string]string{}, map[string]string{} // names by submission; verdicts by check
	var comments []comment
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
	s.sameDocuments(id, documents)
	s.noLeftovers()
}

// A comment is one on a case, which a test sent.
type comment struct {
	check, text  string
	acknowledged bool
}

// comment adds a comment to the case of one of the finished checks, if the server is alive.
func (s *testServer) comment(n int, all *[]comment) {
	get, err := http.NewRequestWithContext(s.t.Context(), "GET", s.address+api.Prefix+"/checks?state=done&limit=1", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var found api.Checks
	if !s.try(get, &found) || len(found.Checks) == 0 {
		return
	}
	c := comment{check: found.Checks[0].ID, text: fmt.Sprint("comment ", n)}
	post, err := http.NewRequestWithContext(s.t.Context(), "POST", s.address+api.Prefix+"/checks/"+c.check+"/case", strings.NewReader(fmt.Sprintf(`{"kind": "comment", "text": %q}`, c.text)))
	if err != nil {
		s.t.Fatal(err)
	}
	c.acknowledged = s.try(post, nil)
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
	get, err := http.NewRequestWithContext(s.t.Context(), "GET", s.address+api.Prefix+"/checks?state=done&limit=1", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var found api.Checks
	if !s.try(get, &found) || len(found.Checks) == 0 {
		return
	}
	c := found.Checks[0].ID
	put, err := http.NewRequestWithContext(s.t.Context(), "PUT", s.address+api.Prefix+"/checks/"+c+"/verdict", strings.NewReader(`{"verdict": "minor", "comment": "x"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	if s.try(put, nil) {
		verdicts[c] = "minor"
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
	for folder, want := range map[string]int{storage.Files: all.Total, storage.Reports: all.Total, storage.Work: 0} {
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
