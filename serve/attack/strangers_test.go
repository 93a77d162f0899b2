package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/front"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/outgoing"
	"github.com/otisk/otisk/serve/pages"
)

// TestForeignHost: a page of a name that leads to this server cannot use it. Names of the server,
// addresses, and names that only the network of the server knows are accepted, so that proxies need no
// setting.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	f := build(t, func(o *front.Options, _ *desk.Options) {
		o.Address, o.Names = "https://otisk.example.org", []string{"Texts.example.org"}
	})
	for host, want := range map[string]int{
		"otisk.example.org": http.StatusOK, "otisk.example.org:8080": http.StatusOK, "OTISK.example.org.": http.StatusOK, "texts.example.org:443": http.StatusOK,
		"localhost:8080": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:8080": http.StatusOK, "otisk:8080": http.StatusOK, "otisk.localhost": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "otisk.example.org.evil.example": http.StatusMisdirectedRequest, "evil.example:8080": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/healthz", "/sign-in"} {
			r := f.request("GET", path, "", nil)
			r.Host = host
			if got, _ := f.send(r); got != want {
				t.Errorf("GET %s of the host %q: %d, want %d", path, host, got, want)
			}
		}
	}
}

// TestMetrics: only the token of the operator and administrators read /metrics, also on this machine.
func TestMetrics(t *testing.T) {
	t.Parallel()
	f := build(t, func(o *front.Options, _ *desk.Options) { o.Metrics = "figures" })
	ask := func(f *fortress, session, authorization string) int {
		r := f.request("GET", "/metrics", session, nil)
		r.Header.Set("Authorization", authorization)
		if authorization == "" {
			r.Header.Del("Authorization")
		}
		status, _ := f.send(r)
		return status
	}
	if got := ask(f, "", ""); got != http.StatusUnauthorized {
		t.Errorf("a stranger: %d, want %d", got, http.StatusUnauthorized)
	}
	for authorization, want := range map[string]int{"Bearer figures": http.StatusOK, "Bearer ": http.StatusUnauthorized, "figures": http.StatusUnauthorized, "Bearer figure": http.StatusUnauthorized} {
		if got := ask(f, "", authorization); got != want {
			t.Errorf("Authorization: %s: %d, want %d", authorization, got, want)
		}
	}
	for role, session := range f.users[ownGroup] {
		want := http.StatusForbidden
		if role == accounts.Administrator {
			want = http.StatusOK
		}
		if got := ask(f, session, ""); got != want {
			t.Errorf("%s: %d, want %d", role, got, want)
		}
	}
	if got := ask(build(t, nil), "", "Bearer "); got != http.StatusUnauthorized {
		t.Errorf("an empty token of a server without one: %d, want %d", got, http.StatusUnauthorized)
	}
}

// TestDefaultHost: the server of a first try has the name localhost only.
func TestDefaultHost(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	r := f.request("POST", api.Prefix+"/session", "", api.SignIn{Login: "first", Password: password})
	r.Host = "evil.example"
	if got, answer := f.send(r); got != http.StatusMisdirectedRequest || !strings.Contains(answer, "--server-name") {
		t.Errorf("signing in at a foreign host: %d %q, want %d and a hint", got, answer, http.StatusMisdirectedRequest)
	}
}

// clients are the names of package net/http, and of others, that send requests without the guard.
var clients = map[string][]string{
	"http":      {"Client", "Transport", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
	"httputil":  {"ReverseProxy", "NewSingleHostReverseProxy"},
	"net":       {"Dial", "DialTimeout", "Dialer", "DialTCP", "DialUDP"},
	"tls":       {"Dial", "DialWithDialer", "Dialer"},
	"websocket": {"Dial"},
	"smtp":      {"Dial", "SendMail"},
}

// TestOneClient: only package outgoing makes clients, and packages bucket and mail, whose servers the command
// line names. Other packages may have them in fields.
func TestOneClient(t *testing.T) {
	t.Parallel()
	allowed := []string{"../outgoing/outgoing.go", "../bucket/bucket.go", "../mail/mail.go"}
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasSuffix(path, "test") { // helpers of tests
			return fs.SkipDir
		}
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, use := range uses(file) {
			found[filepath.ToSlash(path)] = true
			if !slices.Contains(allowed, filepath.ToSlash(path)) {
				t.Errorf("%s uses %s: ask package outgoing for a client", path, use)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range allowed {
		if !found[path] {
			t.Errorf("%s makes no client: the test does not find them", path)
		}
	}
}

// uses returns the names of a file that send requests without the guard. The type of a field or result
// does not count.
func uses(file *ast.File) (list []string) {
	types := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if p, ok := n.Type.(*ast.StarExpr); ok {
				types[p.X] = true
			}
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if ok && !types[n] && slices.Contains(clients[pkg.Name], n.Sel.Name) {
				list = append(list, pkg.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return list
}

// TestOwnNetwork: no request reaches this machine, neither at once nor by a redirect.
func TestOwnNetwork(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	// The operator has named the first host; it redirects to the second, which nobody has named.
	redirecting := httptest.NewServer(http.RedirectHandler("https://localhost:"+port+"/", http.StatusFound))
	t.Cleanup(redirecting.Close)
	for _, address := range []string{"http://localhost:" + port, "http://127.0.0.1:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://0.0.0.0:" + port, redirecting.URL} {
		client := ltitest.Network(t, redirecting.Listener.Addr().String()).Client(time.Second)
		resp, err := client.Get(address)
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, fetch.ErrForbidden) {
			t.Errorf("GET %s: %v, want %v", address, err, fetch.ErrForbidden)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests reached this machine, want 0", n)
	}
}

// TestRedirects: a redirect of a write is not followed, nor one without TLS.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	goal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(goal.Close)
	redirecting := httptest.NewServer(http.RedirectHandler(goal.URL, http.StatusSeeOther))
	t.Cleanup(redirecting.Close)
	n, err := outgoing.New([]string{redirecting.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := n.Client(time.Second).PostForm(redirecting.URL, url.Values{})
	if err != nil || resp.StatusCode != http.StatusSeeOther {
		t.Errorf("a POST with a redirect: %v, %v, want the redirect itself", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	if resp, err := n.Client(time.Second).Get(redirecting.URL); err == nil {
		_ = resp.Body.Close()
		t.Error("a redirect without TLS was followed")
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests were redirected, want 0", n)
	}
}

// TestForgedKeys: a launch by anybody does not make the server ask this machine for keys.
func TestForgedKeys(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	p := ltitest.Start(t, f.URL)
	var asked atomic.Int64
	keys := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(keys.Close)
	r := p.Registered()
	platform, err := f.desk.SavePlatform(t.Context(), f.admin, "", desk.NewPlatform{Name: "Local", Issuer: r.Issuer, Client: r.Client, AuthURL: r.AuthURL, KeysURL: keys.URL, TokenURL: r.TokenURL, Deployments: r.Deployments})
	if err != nil {
		t.Fatal(err)
	}
	body := strings.NewReader(`{"notices":[{"jwt":"` + p.Notice(ltitest.Submission{User: "u", ID: "s"}) + `"}]}`)
	if status, answer := f.ask("POST", "/lti/notices/"+platform, "", body); status < 400 {
		t.Errorf("a notice of a platform on this machine: %d %.200s, want a refusal", status, answer)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the server sent %d requests to this machine, want 0", n)
	}
}

// A flood is a long body that counts what the server reads of it.
type flood struct {
	io.Reader
	read int64
}

func (f *flood) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	f.read += int64(n)
	return n, err
}

// xs is an endless text.
type xs struct{}

func (xs) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// operations returns the methods and paths of all routes, with ids that exist in place of parameters.
func (f *fortress) operations() (list []string) {
	f.t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	_, answer := f.ask("GET", api.Prefix+"/openapi.json", "", nil)
	if err := json.Unmarshal([]byte(answer), &described); err != nil {
		f.t.Fatal(err)
	}
	for path, methods := range described.Paths {
		for method := range methods {
			list = append(list, strings.ToUpper(method)+" "+api.Prefix+strings.TrimPrefix(path, api.Prefix))
		}
	}
	list = append(slices.Concat(list, pages.Patterns(), api.TCAPatterns()), "GET /healthz", "GET /readyz", "GET /metrics", "POST /nothing", "POST "+api.Prefix+"/nothing")
	for i, operation := range list {
		id := f.check[ownGroup]
		if strings.Contains(operation, "/collections/") {
			id = f.collection[ownGroup]
		} else if strings.Contains(operation, "/lti/") {
			id = f.platform
		}
		list[i] = strings.NewReplacer("{$}", "", "{id}", id, "{secret}", "x", "{link}", "x", "{source}", "x", "{remark}", "x").Replace(operation)
	}
	return list
}

// TestFlood sends 64 MB to each route, without its length, as a stranger and as each role. Of a
// stranger, the server reads a few kilobytes; of users, what the route needs. Nothing of it stays.
func TestFlood(t *testing.T) {
	f := build(t, nil)
	const size, stranger, token, user, decisions, files = 64 << 20, 16 << 10, 64 << 10, 1 << 20, 16 << 20, 17 << 20
	visitors := map[string]string{"stranger": ""}
	for role, session := range f.users[ownGroup] {
		visitors[string(role)] = session
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	operations := f.operations()
	for who, session := range visitors {
		for _, operation := range operations {
			method, path, _ := strings.Cut(operation, " ")
			if method == "GET" || method == "DELETE" || strings.HasSuffix(path, "/sign-out") || strings.Contains(path, "/account/sessions") {
				continue
			}
			for kind, begin := range map[string]string{"application/json": `{"login":"`, "application/x-www-form-urlencoded": "login=", "multipart/form-data; boundary=b": "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"} {
				if isAPI := strings.HasPrefix(path, api.Prefix); isAPI && strings.HasPrefix(kind, "application/x") || !isAPI && kind == "application/json" && !strings.Contains(path, "decisions") && !strings.HasPrefix(path, "/lti/") {
					continue // no client sends this
				}
				body := &flood{Reader: io.LimitReader(io.MultiReader(strings.NewReader(begin), xs{}), size)}
				r := httptest.NewRequestWithContext(t.Context(), method, f.URL+path, body)
				r.ContentLength = -1
				r.Header.Set("Content-Type", kind)
				r.Header.Set("If-Match", `"0"`)
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				if session != "" {
					r.AddCookie(&http.Cookie{Name: api.Cookie, Value: session})
				}
				w := httptest.NewRecorder()
				f.handler.ServeHTTP(w, r)
				most := int64(user)
				switch {
				case strings.HasPrefix(path, "/lti/"):
					most = token
				case session == "":
					most = stranger
				case strings.HasSuffix(path, "/decisions"):
					most = decisions
				case strings.HasPrefix(kind, "multipart"):
					most = files
				}
				if body.read > most+64<<10 { // and what a reader buffers
					t.Errorf("%s of a %s as %s: %d bytes read, want at most %d; status %d", operation, who, kind, body.read, most, w.Code)
				}
				if w.Code >= 500 {
					t.Errorf("%s of a %s as %s: %d", operation, who, kind, w.Code)
				}
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 16<<20 {
		t.Errorf("%d bytes of memory are kept, want at most 16 MB", kept)
	}
}

// TestLongLogin: ten logins of 60 MB, and some that a request may have, are refused and not kept.
func TestLongLogin(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	for range 10 {
		body := io.LimitReader(io.MultiReader(strings.NewReader(`{"login":"`), xs{}), 60<<20)
		r := httptest.NewRequestWithContext(t.Context(), "POST", f.URL+api.Prefix+"/session", body)
		w := httptest.NewRecorder()
		if f.handler.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("a login of 60 MB: %d, want %d", w.Code, http.StatusRequestEntityTooLarge)
		}
	}
}

// TestFacultyBehindOneAddress: wrong passwords of one user lock out neither the others behind his
// address nor, from other addresses, himself. Many of one address, or for one user, are limited.
func TestFacultyBehindOneAddress(t *testing.T) {
	t.Parallel()
	f := build(t, func(o *front.Options, _ *desk.Options) {
		o.Client = func(r *http.Request) string { return r.Header.Get("Test-Address") }
	})
	signIn := func(address, login, password string) int {
		r := f.request("POST", api.Prefix+"/session", "", api.SignIn{Login: login, Password: password})
		r.Header.Set("Test-Address", address)
		status, _ := f.send(r)
		return status
	}
	want := func(what string, got, status int) {
		t.Helper()
		if got != status {
			t.Errorf("%s: %d, want %d", what, got, status)
		}
	}
	for range 11 {
		signIn("192.0.2.1", "first", "wrong")
	}
	want("the user from there", signIn("192.0.2.1", "first", password), http.StatusTooManyRequests)
	want("another user from there", signIn("192.0.2.1", "otisk-reader", password), http.StatusNoContent)
	want("the user from elsewhere", signIn("192.0.2.2", "first", password), http.StatusNoContent)
	for i := range 100 {
		signIn("192.0.2.3", fmt.Sprint("user", i), "wrong")
		signIn(fmt.Sprintf("2001:db8:1:2::%x", i), fmt.Sprint("user", i), "wrong") // one subscriber
		signIn(fmt.Sprintf("198.51.100.%d", i), "otisk-checker", "wrong")
	}
	want("the 101st login of an address", signIn("192.0.2.3", "first", password), http.StatusTooManyRequests)
	want("the 101st login of an IPv6 network", signIn("2001:db8:1:2:ffff::1", "first", password), http.StatusTooManyRequests)
	want("a login of another IPv6 network", signIn("2001:db8:1:3::1", "first", password), http.StatusNoContent)
	want("the 101st password for a user", signIn("203.0.113.9", "otisk-checker", password), http.StatusTooManyRequests)
	f.clock = f.clock.Add(time.Minute)
	want("a minute later", signIn("203.0.113.9", "otisk-checker", password), http.StatusNoContent)
}
