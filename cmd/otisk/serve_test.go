package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A testServer is a running otisk serve and a client of it.
type testServer struct {
	t       *testing.T
	data    string
	cmd     *exec.Cmd
	address string // without a path
	link    string // secret of the one-time link, "" if there is a user
	client  *http.Client
}

const testPassword = "correct horse battery"

// startServe starts a server on a data folder.
func startServe(t *testing.T, data string, flags ...string) *testServer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{t: t, data: data, client: &http.Client{Jar: jar}}
	s.start(flags...)
	t.Cleanup(s.kill)
	return s
}

func (s *testServer) start(flags ...string) {
	s.t.Helper()
	bucket, variables := bucketFlags(s.t, s.data)
	s.cmd = exec.Command(program(s.t), slices.Concat([]string{"serve", "--data", s.data, "--listen", "127.0.0.1:0"}, bucket, flags)...)
	s.cmd.Env = append(append(os.Environ(), variables...), session.DateVariable+"=1795262400")
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var errs bytes.Buffer
	s.cmd.Stderr = &errs
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.kill()
		s.t.Fatalf("serve printed no address: %v\n%s", err, errs.String())
	}
	s.announced(line)
}

// announced reads the address and the one-time link that a server prints.
func (s *testServer) announced(line string) {
	_, url, _ := strings.Cut(strings.TrimSpace(line), "http://")
	url, _, _ = strings.Cut("http://"+url, ";")
	s.address, s.link, _ = strings.Cut(url, "/link?secret=")
	s.address = strings.TrimSuffix(s.address, "/")
}

func (s *testServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// call sends a request and decodes the answer into out, which may be nil. It fails unless the
// answer has the status.
func (s *testServer) call(method, path string, in any, status int, out any) {
	s.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.address+api.Prefix+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(req, status, out)
}

func (s *testServer) send(req *http.Request, status int, out any) {
	s.t.Helper()
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != status {
		s.t.Fatalf("%s %s: %s %s, want %d", req.Method, req.URL.Path, resp.Status, data, status)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = data
	} else if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			s.t.Fatalf("%s %s: %v in %s", req.Method, req.URL.Path, err, data)
		}
	}
}

// upload sends files, and fields as pairs of name and value.
func (s *testServer) upload(path string, files map[string]string, fields []string, out any) {
	s.t.Helper()
	s.send(s.uploadRequest(path, files, fields), http.StatusAccepted, out)
}

func (s *testServer) uploadRequest(path string, files map[string]string, fields []string) *http.Request {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, content := range files {
		part, err := form.CreateFormFile("file", name)
		if err != nil {
			s.t.Fatal(err)
		}
		_, _ = io.WriteString(part, content)
	}
	if err := form.Close(); err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.address+api.Prefix+path, &body)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req
}

// first creates the first administrator.
func (s *testServer) first() {
	s.t.Helper()
	s.call("POST", "/first", api.First{Link: s.link, Login: "admin", Name: "Admin", Password: testPassword}, http.StatusNoContent, nil)
}

// collection creates a collection with documents.
func (s *testServer) collection(name string, files map[string]string) (id string) {
	s.t.Helper()
	var made api.ID
	s.call("POST", "/collections", api.NewCollection{Name: name}, http.StatusCreated, &made)
	s.upload("/collections/"+made.ID+"/documents", files, nil, nil)
	s.until(func() bool {
		var c desk.Collection
		s.call("GET", "/collections/"+made.ID, nil, http.StatusOK, &c)
		return c.Pending == 0
	})
	return made.ID
}

// until waits until done is true.
func (s *testServer) until(done func() bool) {
	s.t.Helper()
	s.untilWithin(time.Minute, done)
}

func (s *testServer) untilWithin(limit time.Duration, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(limit); !done(); {
		if time.Now().After(end) {
			s.t.Fatalf("the jobs are not done after %v", limit)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// check uploads files, waits, and returns the checks.
func (s *testServer) check(files map[string]string, fields ...string) []desk.Check {
	s.t.Helper()
	var made api.ID
	s.upload("/submissions", files, fields, &made)
	return s.finished(made.ID)
}

// finished waits for the checks of a submission.
func (s *testServer) finished(id string) []desk.Check {
	s.t.Helper()
	var sub api.Submission
	s.until(func() bool {
		sub = api.Submission{}
		s.call("GET", "/submissions/"+id, nil, http.StatusOK, &sub)
		return sub.Finished
	})
	return sub.Checks
}

// sample returns a file of the samples.
func sample(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../samples", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sampleSources returns the collection of the samples, by base names.
func sampleSources(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	err := filepath.WalkDir("../../samples/collection", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		sources[filepath.Base(path)] = string(data)
		return err
	})
	if err != nil || len(sources) == 0 {
		t.Fatal(len(sources), err)
	}
	return sources
}

// TestServe checks texts on a server. Each report is, byte for byte, what otisk search writes with
// the same settings.
func TestServe(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	id := s.collection("Theses", sampleSources(t))
	text := sample(t, "suspects/czech-essay.txt")
	given := sample(t, "suspects/czech-essay.txt")[:2000]
	var ids api.IDs
	s.send(s.uploadRequest("/given", map[string]string{"given.txt": given}, nil), http.StatusCreated, &ids)
	var preset api.ID
	settings := work.Preset{Exclude: []string{"declaration", "abstract"}, MinPassage: 9, Given: ids.IDs}
	s.call("POST", "/presets", api.PresetChange{Name: "Bachelor theses", Label: "2026", Settings: settings}, http.StatusCreated, &preset)
	file := filepath.Join(t.TempDir(), "given.txt")
	if err := os.WriteFile(file, []byte(given), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fields, flags []string
	}{
		{nil, nil},
		{[]string{"given", ids.IDs[0]}, []string{"--template", file, "--exclude", "template"}},
		{[]string{"preset", preset.ID}, []string{"--template", file, "--exclude", "declaration,abstract,template", "--min-passage", "9"}},
		{[]string{"exact", "true", "exclude", "quotation,bibliography", "min_passage", "12", "min_source", "20", "min_source_percent", "0.5"},
			[]string{"--exact", "--exclude", "quotation,bibliography", "--min-passage", "12", "--min-source", "20", "--min-source-percent", "0.5"}},
	} {
		checks := s.check(map[string]string{"essay.txt": text}, append(tt.fields, "collection", id, "label", "2026")...)
		if len(checks) != 1 || checks[0].State != work.Done || checks[0].Label != "2026" {
			t.Fatalf("checks = %+v, want one that is done", checks)
		}
		var got []byte
		s.call("GET", "/checks/"+checks[0].ID+"/report", nil, http.StatusOK, &got)
		if want := searched(t, s.data, id, text, tt.flags); !bytes.Equal(got, want) {
			t.Errorf("with %v: the report differs from that of otisk search %v: %d and %d bytes", tt.fields, tt.flags, len(got), len(want))
		}
	}
}

// TestServeCollections checks a text against two collections: the report is, byte for byte, that of
// otisk search with --also.
func TestServeCollections(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	halves := []map[string]string{{}, {}}
	for name, text := range sampleSources(t) {
		halves[len(name)%2][name] = text
	}
	first, second := s.collection("Theses", halves[0]), s.collection("Articles", halves[1])
	var empty api.ID
	s.call("POST", "/collections", api.NewCollection{Name: "Nothing yet"}, http.StatusCreated, &empty)
	text := sample(t, "suspects/czech-essay.txt")
	checks := s.check(map[string]string{"essay.txt": text}, "collection", first, "collection", second, "collection", empty.ID)
	if len(checks) != 1 || checks[0].State != work.Done || checks[0].CollectionName != "Theses, Articles, Nothing yet" {
		t.Fatalf("checks = %+v, want one that is done, against three collections", checks)
	}
	var got []byte
	s.call("GET", "/checks/"+checks[0].ID+"/report", nil, http.StatusOK, &got)
	if want := searched(t, s.data, first, text, []string{"--also", "./" + second, "--also", "./" + empty.ID}, second, empty.ID); !bytes.Equal(got, want) {
		t.Errorf("the report differs from that of otisk search --also: %d and %d bytes", len(got), len(want))
	}
	s.call("DELETE", "/collections/"+second, nil, http.StatusConflict, nil)
	s.call("DELETE", "/checks/"+checks[0].ID, nil, http.StatusOK, nil)
	s.call("DELETE", "/collections/"+second, nil, http.StatusNoContent, nil)
}

// searched returns the report of otisk search on a text, against a collection. It makes the folders
// of further collections available to the flags.
func searched(t *testing.T, data, collection, text string, flags []string, further ...string) []byte {
	t.Helper()
	dir := t.TempDir() // names of files are relative to the working directory, as that of the index is
	for _, id := range append(further, collection) {
		if err := os.Symlink(filepath.Join(data, storage.Collections, id), filepath.Join(dir, id)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "essay.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), append([]string{"search", "--index", "./" + collection, "--format", "json", "essay.txt"}, flags...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), session.DateVariable+"=1795262400")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("search: %w", err))
	}
	for _, id := range append(further, collection) {
		out = bytes.Replace(out, []byte("./"+id), []byte(id), 1)
	}
	return out
}

// TestServeBackup: a backup of a running server is a data folder with the same checks, reports and
// documents.
func TestServeBackup(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	text := sample(t, "suspects/czech-essay.txt")
	id := s.collection("Theses", map[string]string{"source.txt": text})
	checks := s.check(map[string]string{"essay.txt": text}, "collection", id)
	var want []byte
	s.call("GET", "/checks/"+checks[0].ID+"/report", nil, http.StatusOK, &want)
	out := filepath.Join(t.TempDir(), "backup")
	otisk(t, "serve", "backup", "--data", s.data, out)
	copied := startServe(t, out)
	copied.call("POST", "/session", api.SignIn{Login: "admin", Password: testPassword}, http.StatusNoContent, nil)
	var got []byte
	copied.call("GET", "/checks/"+checks[0].ID+"/report", nil, http.StatusOK, &got)
	if !bytes.Equal(got, want) {
		t.Errorf("the report in the backup has %d bytes, want the same %d", len(got), len(want))
	}
	again := copied.check(map[string]string{"essay.txt": text}, "collection", id)
	if len(again) != 1 || again[0].Score != checks[0].Score || again[0].Score < 90 {
		t.Errorf("a check against the copied collection: %+v, want the score %v", again, checks[0].Score)
	}
}

// TestCheckServer: otisk check prints the reports of a server, and exits as otisk search does.
func TestCheckServer(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	text := sample(t, "suspects/czech-essay.txt")
	s.collection("Theses", map[string]string{"source.txt": text})
	var token api.CreatedToken
	s.call("POST", "/tokens", api.NewToken{Name: "cron", Scopes: []accounts.Scope{accounts.ScopeCheck, accounts.ScopeRead}}, http.StatusCreated, &token)
	dir := t.TempDir()
	for name, content := range map[string]string{"token": token.Secret + "\n", "wrong": "guess", "essay.txt": text, "short.txt": "two words"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	both, err := os.ReadFile(archive(t, "both.zip", map[string]string{"a.txt": text, "b.txt": text}))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "both.zip"), both, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		token  string
		args   []string
		status int
		want   string
	}{
		{"token", []string{"essay.txt"}, 0, "source.txt"},
		{"token", []string{"essay.txt"}, 0, "compared with Theses: 1 document"}, // not the folder on the server
		{"token", []string{"essay.txt", "--fail-over", "20"}, statusOver, "source.txt"},
		{"token", []string{"essay.txt", "short.txt"}, statusSome, "source.txt"},
		{"token", []string{"short.txt"}, statusFailed, ""},
		{"token", []string{"essay.txt", "--collection", "none"}, statusUsage, ""},
		{"wrong", []string{"essay.txt"}, statusServer, ""},
		{"token", []string{"essay.txt", "--format", "junit", "--fail-over", "20"}, statusOver, `failures="1"`},
		{"token", []string{"essay.txt", "--format", "sarif"}, 0, `"level": "note"`},
		{"token", []string{"essay.txt", "-o", "essay.junit.xml", "--fail-over", "20"}, statusOver, "wrote essay.junit.xml"},
		{"token", []string{"essay.txt", "essay.txt", "--format", "html,json", "-o", "reports", "--summary-file", "all.csv"}, 0, "wrote reports"},
		{"token", []string{"essay.txt", "essay.txt", "--format", "json"}, statusUsage, ""},
		{"token", []string{"both.zip", "-o", "one.html"}, statusUsage, ""},
		{"token", []string{"essay.txt", "-o", "essay.docx"}, statusUsage, ""},
		{"token", []string{"essay.txt", "--summary-file", "token.csv", "--format", "none"}, statusUsage, ""},
	} {
		cmd := exec.Command(program(t), append([]string{"check", "--server", s.address, "--token-file", tt.token}, tt.args...)...)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != tt.status || !strings.Contains(string(out), tt.want) {
			t.Errorf("check %v: status %d, want %d\n%s%s", tt.args, got, tt.status, out, errs.String())
		}
	}
	for _, name := range []string{"essay.junit.xml", "reports/essay.txt.out.html", "reports/essay.txt~2.out.json", "reports/index.html", "all.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "one.html")); err == nil {
		t.Error("one file has the report of one of two texts")
	}
}

// TestServeShortDocument: a document that is too short for an index is skipped with the reason, and the
// others of its archive are added.
func TestServeShortDocument(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	zipped, err := os.ReadFile(archive(t, "theses.zip", map[string]string{"short.txt": "two words", "long.txt": textNumber(1, 0)}))
	if err != nil {
		t.Fatal(err)
	}
	id := s.collection("Theses", map[string]string{"theses.zip": string(zipped)})
	x := s.added(id)[0]
	if x.State != work.Done || x.Added != 1 || len(x.Skipped) != 1 || x.Skipped[0].Path != "theses.zip!/short.txt" {
		t.Errorf("addition %+v, want one document and the other skipped", x)
	}
}

// TestServeArchives: an archive gives one check a text, and texts can be sources for each other.
func TestServeArchives(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	text := sample(t, "suspects/czech-essay.txt")
	id := s.collection("Theses", map[string]string{"other.txt": sample(t, "suspects/california-code-1851.txt")})
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a.txt", "b/c.txt", "short.txt", "../../evil.txt"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		content := text
		if name == "short.txt" {
			content = "two words"
		}
		_, _ = io.WriteString(w, content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	checks := s.check(map[string]string{"class.zip": b.String()}, "collection", id, "among", "true")
	done, failed := 0, 0
	for _, c := range checks {
		switch {
		case c.State == work.Done && c.Score > 90:
			done++
		case c.State == work.Failed && c.Reason != "":
			failed++
		}
	}
	if len(checks) != 4 || done != 2 || failed != 2 {
		t.Errorf("checks %+v, want two with a high score and two that failed", checks)
	}
}

// TestServeMembers: a member of an archive has its path in it as a name, a table describes it by the name
// of its file if no other has that, and a content is added once, under whichever name it comes.
func TestServeMembers(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	read := func(name string, members map[string]string) string {
		data, err := os.ReadFile(archive(t, name, members))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	members := map[string]string{"2025/a.txt": textNumber(1, 0), "2026/a.txt": textNumber(2, 0), "2026/b.txt": textNumber(3, 0)}
	id := s.collection("Theses", map[string]string{"theses.zip": read("theses.zip", members)})
	names := func() (list []string) {
		for name, d := range s.documents(id) {
			list = append(list, name+"="+d.Title)
		}
		slices.Sort(list)
		return list
	}
	if got, want := names(), []string{"2025/a.txt=", "2026/a.txt=", "2026/b.txt="}; !slices.Equal(got, want) {
		t.Fatalf("documents %q, want %q", got, want)
	}
	members["c.txt"] = textNumber(1, 0) // the content of 2025/a.txt
	members["d.txt"], members["e.txt"] = textNumber(4, 0), textNumber(4, 0)
	members["2026/b.txt"] = textNumber(5, 0) // another content under a name that there is
	s.upload("/collections/"+id+"/documents", map[string]string{"again.zip": read("again.zip", members)}, nil, nil)
	if x := s.added(id)[0]; x.State != work.Done || x.Added != 2 || x.Unchanged != 4 {
		t.Errorf("the second archive: %+v, want 2 added and 4 there", x)
	}
	s.upload("/collections/"+id+"/metadata", map[string]string{"table.csv": "path,title\nb.txt,Unique\na.txt,Twice\n"}, nil, nil)
	if x := s.added(id)[0]; x.State != work.Done || x.Added != 1 || len(x.Skipped) != 1 || x.Skipped[0].Path != "a.txt" {
		t.Errorf("the table: %+v, want one described, and a.txt skipped", x)
	}
	got := names()
	for _, want := range []string{"2026/b.txt=Unique", "2026/b.txt~2="} {
		if !slices.Contains(got, want) {
			t.Errorf("documents %q, want %q", got, want)
		}
	}
	if len(got) != 5 {
		t.Errorf("documents %q, want 5", got)
	}
}
