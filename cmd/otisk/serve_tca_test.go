package main

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/report/paper"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/tca"
)

// A tcaStep is a step of a recorded conversation: a request, one that is repeated until its answer is as
// wanted, a page that a browser opens, or an event that the client receives.
type tcaStep struct {
	Do, Until, Open, Event string
	Body                   json.RawMessage
	Raw                    string // body that is not JSON
	Type, Disposition      string // headers of Raw
	Status                 int
	Want                   map[string]any    // fields of the answer, with dots between levels
	Save                   map[string]string // names of variables, and fields
}

// A tcaClient is a client of an integration, which receives its events.
type tcaClient struct {
	s    *testServer
	key  string
	hook *httptest.Server
	vars []string // as of strings.NewReplacer

	mu     sync.Mutex
	secret string
	events []tcaEvent
}

type tcaEvent struct {
	kind string
	body map[string]any
}

// startTCA starts a server, and returns it with an address that its webhooks may reach.
func startTCA(t *testing.T, data string) (s *testServer, c *tcaClient) {
	t.Helper()
	c = &tcaClient{}
	c.hook = httptest.NewServer(http.HandlerFunc(c.receive))
	t.Cleanup(c.hook.Close)
	s = startServe(t, data, "--allow-webhook", c.hook.Listener.Addr().String())
	c.s = s
	s.first()
	return s, c
}

// integration creates an integration that adds texts to its collection.
func (s *testServer) integration(name, collection string) string {
	s.t.Helper()
	var made api.CreatedIntegration
	s.call("POST", "/integrations", desk.NewIntegration{Name: name, Collections: []string{collection}, Index: collection, Viewers: desk.ViewInstructors}, http.StatusCreated, &made)
	return made.Key
}

// receive stores an event whose signature is that of the client's key.
func (c *tcaClient) receive(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	key, _ := base64.StdEncoding.DecodeString(c.secret)
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(data)
	var body map[string]any
	if err != nil || hex.EncodeToString(mac.Sum(nil)) != r.Header.Get("X-Turnitin-Signature") || json.Unmarshal(data, &body) != nil {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	c.events = append(c.events, tcaEvent{r.Header.Get("X-Turnitin-EventType"), body})
}

// request returns a request to the protocol.
func (c *tcaClient) request(method, path string, body io.Reader) *http.Request {
	c.s.t.Helper()
	req, err := http.NewRequestWithContext(c.s.t.Context(), method, c.s.address+tca.Prefix+"/"+path, body)
	if err != nil {
		c.s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("X-Turnitin-Integration-Name", "test")
	req.Header.Set("X-Turnitin-Integration-Version", "1")
	return req
}

// field returns a field of an answer, with dots between levels.
func field(v any, name string) any {
	for part := range strings.SplitSeq(name, ".") {
		m, _ := v.(map[string]any)
		v = m[part]
	}
	return v
}

// matches returns the first field that is not as wanted.
func (c *tcaClient) matches(answer map[string]any, want map[string]any) (name string, ok bool) {
	for name, value := range want {
		if text, is := value.(string); is {
			value = c.expand(text)
		}
		if fmt.Sprint(field(answer, name)) != fmt.Sprint(value) {
			return name, false
		}
	}
	return "", true
}

func (c *tcaClient) expand(text string) string { return strings.NewReplacer(c.vars...).Replace(text) }

// run does a step.
func (c *tcaClient) run(step tcaStep) {
	t := c.s.t
	t.Helper()
	if step.Event != "" {
		c.s.until(func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, e := range c.events {
				if _, ok := c.matches(e.body, step.Want); ok && e.kind == step.Event {
					return true
				}
			}
			return false
		})
		return
	}
	if step.Open != "" {
		resp, err := http.Get(c.expand(step.Open))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if page, _ := io.ReadAll(resp.Body); resp.StatusCode != step.Status || !bytes.Contains(page, []byte("<!doctype html>")) {
			t.Fatalf("the viewer: %s %.300s, want a report", resp.Status, page)
		}
		return
	}
	method, path, _ := strings.Cut(c.expand(step.Do+step.Until), " ")
	send := func() (answer map[string]any) {
		body := []byte(c.expand(string(step.Body) + step.Raw))
		req := c.request(method, path, bytes.NewReader(body))
		if step.Raw == "" && method != "GET" {
			step.Type = "application/json"
		}
		req.Header.Set("Content-Type", step.Type)
		if step.Disposition != "" {
			req.Header.Set("Content-Disposition", step.Disposition)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, _ := io.ReadAll(resp.Body)
		if step.Until == "" && resp.StatusCode != step.Status {
			t.Fatalf("%s %s: %s %s, want %d", method, path, resp.Status, data, step.Status)
		}
		_ = json.Unmarshal(data, &answer) // a list or nothing
		return answer
	}
	if step.Until != "" {
		c.s.until(func() bool { _, ok := c.matches(send(), step.Want); return ok })
		return
	}
	answer := send()
	if name, ok := c.matches(answer, step.Want); !ok {
		t.Fatalf("%s %s: %v, want %s %v", method, path, answer, name, step.Want[name])
	}
	for name, of := range step.Save {
		c.vars = append(c.vars, "{"+name+"}", fmt.Sprint(answer[of]))
	}
	if secret, _ := field(decoded(step.Body), "signing_secret").(string); secret != "" {
		c.mu.Lock()
		c.secret = secret
		c.mu.Unlock()
	}
}

func decoded(data []byte) (v any) {
	_ = json.Unmarshal(data, &v) // nil for no body
	return v
}

// foxes is the text that the conversations send.
const foxes = "The quick brown fox jumps over the lazy dog while the old farmer watches from his porch and wonders how such a small animal can be so fast on a cold winter morning."

// TestTCAConversations replays a conversation of each client, as its source code has it. The second text
// of the same owner, and the text itself when it is checked again, are no sources.
func TestTCAConversations(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ojs", "openedx", "moodle"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := startTCA(t, t.TempDir())
			collection := s.collection("Papers", map[string]string{"fox.txt": foxes})
			c.key, c.vars = s.integration(name, collection), []string{"{HOOK}", c.hook.URL, "{TEXT}", foxes}
			data, err := os.ReadFile(filepath.Join("testdata", "tca", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var steps []tcaStep
			if err := json.Unmarshal(data, &steps); err != nil {
				t.Fatal(err)
			}
			for _, step := range steps {
				c.run(step)
			}
		})
	}
}

// text sends a text of an owner, asks for the report, and returns its id and its percentage.
func (c *tcaClient) text(owner, name, text string, settings string) (id string, percent int) {
	c.s.t.Helper()
	c.run(tcaStep{Do: "POST submissions", Body: json.RawMessage(fmt.Sprintf(`{"owner":%q,"title":%q}`, owner, name)), Status: 201, Save: map[string]string{"ID": "id"}})
	id = c.vars[len(c.vars)-1]
	c.vars = c.vars[:len(c.vars)-2]
	c.run(tcaStep{Do: "PUT submissions/" + id + "/original", Raw: text, Type: "binary/octet-stream", Disposition: `inline; filename="` + name + `"`, Status: 202})
	return id, c.report(id, settings)
}

// report asks for the report on a text, and returns its percentage.
func (c *tcaClient) report(id, settings string) int {
	c.s.t.Helper()
	c.run(tcaStep{Do: "PUT submissions/" + id + "/similarity", Body: json.RawMessage(settings), Status: 202})
	var found tca.Similarity
	c.s.until(func() bool {
		found = tca.Similarity{}
		req := c.request("GET", "submissions/"+id+"/similarity", nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			c.s.t.Fatal(err)
		}
		defer resp.Body.Close()
		return json.NewDecoder(resp.Body).Decode(&found) == nil && found.Status != tca.StateProcessing
	})
	if found.Percent == nil {
		c.s.t.Fatalf("the report on %s: %+v, want a percentage", id, found)
	}
	return *found.Percent
}

// TestTCASources: a text that was added to the collection is a source for others, and not for itself or,
// in the scope that the client chooses, for its owner. When it is deleted, nothing of it is left.
func TestTCASources(t *testing.T) {
	t.Parallel()
	s, c := startTCA(t, t.TempDir())
	collection := s.collection("Papers", map[string]string{"other.txt": "One other document with some more words than the size of an n-gram needs."})
	c.key = s.integration("ojs", collection)
	const add = `{"indexing_settings":{"add_to_index":true},"generation_settings":{"auto_exclude_self_matching_scope":"ALL"}}`
	first, percent := c.text("ada", "fox.txt", foxes, add)
	if percent != 0 {
		t.Errorf("the first text has %d %%, want 0", percent)
	}
	documents := func() (n int) {
		var all []desk.Document
		s.call("GET", "/collections/"+collection+"/documents", nil, http.StatusOK, &all)
		return len(all)
	}
	s.until(func() bool { return documents() == 2 })
	if percent := c.report(first, add); percent != 0 {
		t.Errorf("the text checked again has %d %%, want 0", percent)
	}
	if _, percent := c.text("ada", "fox2.txt", foxes, `{"generation_settings":{"auto_exclude_self_matching_scope":"ALL"}}`); percent != 0 {
		t.Errorf("another text of the owner has %d %%, want 0", percent)
	}
	if _, percent := c.text("ada", "fox3.txt", foxes, `{"generation_settings":{"auto_exclude_self_matching_scope":"NONE"}}`); percent != 100 {
		t.Errorf("without a scope, another text of the owner has %d %%, want 100", percent)
	}
	copied, percent := c.text("bob", "copy.txt", foxes, `{"generation_settings":{"auto_exclude_self_matching_scope":"ALL"}}`)
	if percent != 100 {
		t.Errorf("a copy has %d %%, want 100", percent)
	}
	var listed api.Checks
	s.call("GET", "/checks?q=bob", nil, http.StatusOK, &listed)
	if listed.Total != 1 || !strings.HasPrefix(listed.Checks[0].By, "bob@") {
		t.Errorf("checks of bob: %+v, want one of his", listed)
	}
	for _, id := range []string{first, copied} {
		c.run(tcaStep{Do: "DELETE submissions/" + id, Status: 204})
		c.run(tcaStep{Do: "GET submissions/" + id, Status: 404})
	}
	s.until(func() bool { return documents() == 1 })
	c.run(tcaStep{Do: "GET eula/v2", Status: 404})
	s.kill()
	folder, err := storage.Open(t.Context(), s.data, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var texts int
	if err := folder.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM integration_texts WHERE id IN (?, ?)`, first, copied).Scan(&texts); err != nil || texts != 0 {
		t.Errorf("%d rows of deleted texts, %v, want 0", texts, err)
	}
}

// TestTCAOfPKP runs the class of PKP's plugin under PHP, from key to report. The file of the class is not
// in this repository, since it has another licence: OTISK_PKP_CLASS names it.
func TestTCAOfPKP(t *testing.T) {
	class := os.Getenv("OTISK_PKP_CLASS")
	php, err := exec.LookPath("php")
	if class == "" || err != nil {
		t.Skip("no class of PKP in OTISK_PKP_CLASS, or no PHP: see docs/INTEGRATIONS.md")
	}
	t.Parallel()
	s, _ := startTCA(t, t.TempDir())
	key := s.integration("ojs", s.collection("Papers", map[string]string{"fox.txt": foxes}))
	text := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(text, []byte(foxes), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), php, filepath.Join("testdata", "tca", "ojs.php"), class, s.address+tca.Root, key, text).CombinedOutput()
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || lines[len(lines)-1] != "100" {
		t.Fatalf("the client of OJS: %v\n%s\nwant 100", err, out)
	}
}

// TestTCAOpenEdx runs the client of the plugin of Open edX under Python against a server. It is not in this repository,
// since it has another licence: OTISK_EDX_CLIENT names its folder, and OTISK_PYTHON a Python that has requests.
func TestTCAOpenEdx(t *testing.T) {
	folder, python := os.Getenv("OTISK_EDX_CLIENT"), cmp.Or(os.Getenv("OTISK_PYTHON"), "python3")
	if folder == "" || exec.Command(python, "-c", "import requests").Run() != nil {
		t.Skip("no client of Open edX in OTISK_EDX_CLIENT, or no Python with requests: see docs/INTEGRATIONS.md")
	}
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	key := s.integration("edx", s.collection("Papers", map[string]string{"fox.txt": foxes}))
	text := filepath.Join(t.TempDir(), "essay.txt")
	if err := os.WriteFile(text, []byte(foxes), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "tca", "openedx.py"), folder, s.address+tca.Root, key, text).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "100" {
		t.Fatalf("the client of Open edX: %v\n%s\nwant 100", err, out)
	}
}

// TestTCAKill sends texts by eight clients while one answer in nine is lost and the server is killed. Each
// text ends once, and each is in the collection once.
func TestTCAKill(t *testing.T) {
	kills := killsOf(t, 1, 5)
	t.Parallel()
	texts := 4 * 8 * kills
	if kills > 1 {
		texts = 200
	}
	s, c := startTCA(t, t.TempDir())
	collection := s.collection("Papers", map[string]string{"fox.txt": foxes})
	c.key = s.integration("ojs", collection)
	var address atomic.Value
	address.Store(s.address)
	rng := rand.New(rand.NewPCG(7, uint64(texts)))
	words := make([]string, texts)
	for i := range words {
		words[i] = manyWords(rng)
	}
	// send repeats a request until its answer arrives. The server may have done what it asked before.
	var lost atomic.Int64
	send := func(method, path, body string, out any) (status int) {
		for try := 0; try < 600; try++ {
			req, err := http.NewRequestWithContext(t.Context(), method, address.Load().(string)+tca.Prefix+"/"+path, strings.NewReader(body))
			if err != nil {
				return 0
			}
			req.Header.Set("Authorization", "Bearer "+c.key)
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				data, e := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if e == nil && lost.Add(1)%9 != 0 && resp.StatusCode < 500 {
					_ = json.Unmarshal(data, out)
					return resp.StatusCode
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		return 0
	}
	var group sync.WaitGroup
	errs := make([]string, 8)
	for client := range 8 {
		group.Go(func() {
			for i := client; i < texts; i += 8 {
				var made tca.Submission
				var found tca.Similarity
				name := fmt.Sprintf("text%d.txt", i)
				if status := send("POST", "submissions", fmt.Sprintf(`{"owner":"o%d","title":%q}`, i, name), &made); status != http.StatusCreated {
					errs[client] = fmt.Sprintf("create %s: %d", name, status)
					return
				}
				if status := send("PUT", "submissions/"+made.ID+"/original", words[i], nil); status != http.StatusAccepted {
					errs[client] = fmt.Sprintf("upload %s: %d", name, status)
					return
				}
				if status := send("PUT", "submissions/"+made.ID+"/similarity", `{"indexing_settings":{"add_to_index":true}}`, nil); status != http.StatusAccepted {
					errs[client] = fmt.Sprintf("report on %s: %d", name, status)
					return
				}
				for n := 0; found.Status != tca.StateComplete && n < 1200; n++ {
					time.Sleep(100 * time.Millisecond)
					found = tca.Similarity{}
					send("GET", "submissions/"+made.ID+"/similarity", "", &found)
				}
				if found.Status != tca.StateComplete {
					errs[client] = fmt.Sprintf("%s ends as %+v", name, found)
					return
				}
			}
		})
	}
	for range kills {
		time.Sleep(time.Duration(1000+rng.IntN(2000)) * time.Millisecond)
		s.kill()
		s.start("--allow-webhook", c.hook.Listener.Addr().String())
		address.Store(s.address)
	}
	group.Wait()
	for _, err := range errs {
		if err != "" {
			t.Error(err)
		}
	}
	count := func() int {
		var found desk.Collection
		s.call("GET", "/collections/"+collection, nil, http.StatusOK, &found)
		return int(found.Documents)
	}
	s.untilWithin(3*time.Minute, func() bool { return count() >= texts+1 })
	var listed api.Checks
	s.call("GET", "/checks?state=done&limit=1", nil, http.StatusOK, &listed)
	if listed.Total != texts || count() != texts+1 {
		t.Errorf("%d checks and %d documents, want %d and %d", listed.Total, count(), texts, texts+1)
	}
}

// TestServeBeside: an operator creates tokens and integrations while the server runs, for users that exist
// and with the rights that these have.
func TestServeBeside(t *testing.T) {
	t.Parallel()
	s, c := startTCA(t, t.TempDir())
	s.collection("Papers", map[string]string{"fox.txt": foxes})
	beside := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program(t), append([]string{"serve", args[0], "--data", s.data}, args[1:]...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	var me api.Me
	s.call("GET", "/me", nil, http.StatusOK, &me)
	token, err := beside("token", "--user", me.Login, "--scope", "read")
	if err != nil {
		t.Fatalf("serve token: %v %s", err, token)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.address+api.Prefix+"/checks", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	s.send(req, http.StatusOK, nil)
	if c.key, err = beside("integration", "--user", me.Login, "--name", "OJS", "--collection", "Papers", "--add-to", "Papers"); err != nil {
		t.Fatalf("serve integration: %v %s", err, c.key)
	}
	c.run(tcaStep{Do: "GET features-enabled", Status: http.StatusOK})
	for want, args := range map[string][]string{
		"the server has no such user": {"token", "--user", "nobody", "--scope", "read"},
		"unknown scope":               {"token", "--user", me.Login, "--scope", "integration"},
		"the name is in use":          {"integration", "--user", me.Login, "--name", "OJS", "--collection", "Papers"},
		"Papers":                      {"integration", "--user", me.Login, "--name", "Other", "--collection", "Nothing"},
		"name a user by --user":       {"token", "--scope", "read"},
	} {
		if out, err := beside(args...); err == nil || !strings.Contains(out, want) {
			t.Errorf("serve %v: %v %q, want an error with %q", args, err, out, want)
		}
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("correct horse battery\nand more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := beside("admin", "--user", "other", "--password-file", password); err == nil || !strings.Contains(out, "has users already") {
		t.Errorf("a second first administrator: %v %q", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), program(t), "serve", "token", "--data", t.TempDir(), "--user", "a", "--scope", "read").CombinedOutput(); err == nil {
		t.Errorf("a token in an empty folder: %s, want an error", out)
	}
}

// TestServeAdmin: the first administrator is created before the server starts, or while it runs, and signs in. A
// refused password leaves the link of the server as it is.
func TestServeAdmin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"good": "correct horse battery\r\n", "short": "short\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	admin := func(data, password string) (string, error) {
		out, err := exec.CommandContext(t.Context(), program(t), "serve", "admin", "--data", data, "--user", "admin", "--password-file", filepath.Join(dir, password)).CombinedOutput()
		return string(out), err
	}
	before := filepath.Join(dir, "before")
	if out, err := admin(before, "good"); err != nil {
		t.Fatalf("serve admin in a new folder: %v %s", err, out)
	}
	for _, data := range []string{before, filepath.Join(dir, "beside")} {
		s := startServe(t, data)
		if data != before {
			if out, err := admin(data, "good"); err != nil {
				t.Fatalf("serve admin beside a server: %v %s", err, out)
			}
		}
		s.call("POST", "/session", api.SignIn{Login: "admin", Password: "correct horse battery"}, http.StatusNoContent, nil)
	}
	s := startServe(t, filepath.Join(dir, "refused"))
	if out, err := admin(s.data, "short"); err == nil || !strings.Contains(out, "a password has") {
		t.Errorf("a short password: %v %s", err, out)
	}
	s.first()
}

// onlyOtisk returns a folder for PATH with otisk alone.
func onlyOtisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	binary, err := exec.LookPath(program(t))
	if err == nil {
		binary, err = filepath.Abs(binary)
	}
	if err == nil {
		err = os.Symlink(binary, filepath.Join(dir, "otisk"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTCAPDF: a client downloads the report as PDF, as that of Open edX does, in a language of the server. Without
// Chromium, the answer is 501.
func TestTCAPDF(t *testing.T) {
	printer := paper.Program()
	t.Setenv("OTISK_CHROMIUM", printer)
	programs := []string{printer, ""}
	if printer == "" {
		programs = []string{""}
		t.Log("no Chromium: no PDF is made")
	}
	for _, program := range programs {
		if program == "" {
			t.Setenv("OTISK_CHROMIUM", "")
			t.Setenv("PATH", onlyOtisk(t))
		}
		s, c := startTCA(t, t.TempDir())
		c.key = s.integration("edx", s.collection("Papers", map[string]string{"fox.txt": foxes}))
		c.run(tcaStep{Do: "POST submissions", Body: json.RawMessage(`{"owner":"o","title":"t.txt"}`), Status: http.StatusCreated, Save: map[string]string{"ID": "id"}})
		c.run(tcaStep{Do: "PUT submissions/{ID}/original", Raw: foxes, Status: http.StatusAccepted})
		c.run(tcaStep{Until: "GET submissions/{ID}", Want: map[string]any{"status": "COMPLETE"}})
		c.run(tcaStep{Do: "POST submissions/{ID}/similarity/pdf", Status: http.StatusConflict})
		c.run(tcaStep{Do: "PUT submissions/{ID}/similarity", Body: json.RawMessage(`{}`), Status: http.StatusAccepted})
		c.run(tcaStep{Until: "GET submissions/{ID}/similarity", Want: map[string]any{"status": "COMPLETE"}})
		if program == "" {
			c.run(tcaStep{Do: "POST submissions/{ID}/similarity/pdf", Status: http.StatusNotImplemented})
			c.run(tcaStep{Do: "GET submissions/{ID}/similarity/pdf/en", Status: http.StatusNotImplemented})
			continue
		}
		c.run(tcaStep{Do: "POST submissions/{ID}/similarity/pdf", Body: json.RawMessage(`{"locale":"tlh"}`), Status: http.StatusAccepted, Want: map[string]any{"id": "en"}})
		c.run(tcaStep{Do: "POST submissions/{ID}/similarity/pdf", Body: json.RawMessage(`{"locale":"de_DE"}`), Status: http.StatusAccepted, Save: map[string]string{"PDF": "id"}})
		c.run(tcaStep{Do: "POST submissions/{ID}/similarity/pdf", Status: http.StatusAccepted}) // Open edX sends no body
		c.run(tcaStep{Do: "GET submissions/{ID}/similarity/pdf/{PDF}/status", Status: http.StatusOK, Want: map[string]any{"status": "SUCCESS"}})
		c.run(tcaStep{Do: "GET submissions/{ID}/similarity/pdf/other", Status: http.StatusNotFound})
		resp, err := http.DefaultClient.Do(c.request("GET", c.expand("submissions/{ID}/similarity/pdf/{PDF}"), nil))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		if _ = resp.Body.Close(); err != nil || !bytes.HasPrefix(data, []byte("%PDF")) || resp.Header.Get("Content-Type") != "application/pdf" {
			t.Errorf("the PDF: %s %v %.100s", resp.Status, err, data)
		}
		var checks api.Checks
		s.call("GET", "/checks", nil, http.StatusOK, &checks)
		for format, begins := range map[string]string{"pdf": "%PDF", "junit": "<?xml", "sarif": "{"} {
			var data []byte
			if s.call("GET", "/checks/"+checks.Checks[0].ID+"/report?format="+format, nil, http.StatusOK, &data); !bytes.HasPrefix(data, []byte(begins)) {
				t.Errorf("the report as %s: %.100s", format, data)
			}
		}
	}
}

// TestIntegrationsTyped types docs/INTEGRATIONS.md: the requests to a server, and the commands that harvest a
// repository and search it, with the hosts and folders of the test.
func TestIntegrationsTyped(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "curl", "python3"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Skip(t, "no "+name+" to type the document with")
		}
	}
	page, err := os.ReadFile("../../docs/INTEGRATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(page)) {
		if command := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "15 2 * * *")); strings.HasPrefix(line, "    ") && !strings.HasPrefix(command, "make ") {
			commands = append(commands, command)
		}
	}
	dir := t.TempDir()
	s := startServe(t, filepath.Join(dir, "otisk"))
	s.first()
	s.collection("Papers", map[string]string{"source.txt": foxes})
	var made api.CreatedToken
	s.call("POST", "/tokens", api.NewToken{Name: "ci", Scopes: []accounts.Scope{accounts.ScopeCheck, accounts.ScopeRead}}, http.StatusCreated, &made)
	files.Write(t, filepath.Join(dir, "token.txt"), made.Secret+"\n")
	for _, name := range []string{"paper.pdf", "thesis.pdf", "thesis.tex"} {
		files.Write(t, filepath.Join(dir, name), foxes) // formats are recognized by content
	}
	repository := dspace(t)
	var all strings.Builder
	for _, command := range commands {
		command = strings.NewReplacer("/srv", dir, "https://otisk.example.org", s.address, "otisk harvest", "otisk harvest --delay 1ms --allow-host "+strings.TrimPrefix(repository, "http://"),
			"https://repository.example.org", repository, "/UUID", "/1").Replace(command)
		switch command {
		case "tca $TEXT", "tca $TEXT/similarity":
			command = "until " + command + " | grep COMPLETE; do sleep .1; done"
		}
		if strings.Contains(command, "--fail-over") { // the text is a copy
			command += fmt.Sprintf(" || [ $? = %d ]", statusOver)
		}
		all.WriteString(command + "\n")
	}
	path := "PATH=" + onlyOtisk(t) + string(os.PathListSeparator) + os.Getenv("PATH")
	status, out := script(t, dir, []string{path, "JWT=token", "CSRF=csrf"}, "bash", "-euxo", "pipefail", "-c", all.String())
	if status != 0 {
		t.Fatalf("status %d\n%s", status, out)
	}
	for _, part := range []string{`"overall_match_percentage":100`, "/shared/", `PATCH: [{"op":"add","path":"/metadata/dc.description.provenance/-","value":{"value":"Otisk: 100 %"}}]`} {
		if !strings.Contains(out, part) {
			t.Errorf("the output has no %s:\n%s", part, out)
		}
	}
}

// dspace starts a repository with an item, whose changes it repeats.
func dspace(t *testing.T) (address string) {
	t.Helper()
	answers := map[string]string{
		"Identify":            "<Identify><repositoryName>R</repositoryName><protocolVersion>2.0</protocolVersion><deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>",
		"ListMetadataFormats": "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat></ListMetadataFormats>",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodPatch:
			var change any
			if json.NewDecoder(r.Body).Decode(&change) != nil || r.Header.Get("Authorization") != "Bearer token" || r.Header.Get("X-XSRF-TOKEN") != "csrf" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			text, _ := json.Marshal(change)
			fmt.Fprintf(w, "PATCH: %s\n", text)
		case r.URL.Path == "/thesis.txt":
			_, _ = io.WriteString(w, foxes)
		case r.URL.Path != "/server/oai/request":
			w.WriteHeader(http.StatusNotFound)
		case q.Get("from") != "":
			_, _ = io.WriteString(w, `<OAI-PMH><error code="noRecordsMatch"/></OAI-PMH>`)
		default:
			item := fmt.Sprintf("<ListRecords><record><header><identifier>oai:r:1</identifier><datestamp>2020-01-01T00:00:00Z</datestamp></header><metadata><dc><title>A thesis</title><identifier>http://%s/thesis.txt</identifier></dc></metadata></record></ListRecords>", r.Host)
			fmt.Fprintf(w, "<OAI-PMH><responseDate>%s</responseDate>%s</OAI-PMH>", time.Now().UTC().Format(time.RFC3339), cmp.Or(answers[q.Get("verb")], item))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
