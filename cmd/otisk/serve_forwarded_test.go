package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// forwardedHandler returns the handler of a server without a process, and its desk.
func forwardedHandler(t *testing.T, o serveOptions) (http.Handler, *desk.Desk) {
	t.Helper()
	folder, err := storage.Open(t.Context(), t.TempDir(), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	d, q, err := desk.New(t.Context(), folder, work.Program{}, desk.Options{MaxFile: 1 << 20, Passwords: accounts.Cost{Time: 1, Memory: 8}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := newProxies(o.proxies)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.server(folder, d, q, trusted, log, o.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	return s.Handler, d
}

// TestSpoofedHeaders sends forwarded headers from an address that is not a proxy: they change neither
// the limit of attempts, nor the access to metrics, nor the cookie, nor links.
func TestSpoofedHeaders(t *testing.T) {
	t.Parallel()
	h, d := forwardedHandler(t, serveOptions{upload: 1 << 20, baseURL: "http://otisk.example", proxies: []string{"10.0.0.5"}})
	link, err := d.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, peer string, in any, headers ...string) *httptest.ResponseRecorder {
		body, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(method, path, strings.NewReader(string(body)))
		r.RemoteAddr, r.Host = peer, "otisk.example"
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := send("POST", api.Prefix+"/first", "203.0.113.9:1000", api.First{Link: link, Login: "admin", Password: testPassword}, "X-Forwarded-Proto", "https", "Forwarded", "proto=https")
	if c := w.Result().Cookies(); len(c) != 1 || c[0].Secure {
		t.Fatalf("cookies %v, status %d: want one, without Secure", c, w.Code)
	}
	session := "otisk_session=" + w.Result().Cookies()[0].Value
	attempts := func(peer string) (last int) { // each for another login, from another pretended address
		for i := range 101 {
			long := strings.Repeat("x", accounts.MostPassword+1) // refused before it is hashed
			last = send("POST", api.Prefix+"/session", peer, api.SignIn{Login: fmt.Sprint(peer, i), Password: long}, "X-Forwarded-For", "198.51.100."+string(rune('0'+i%10))).Code
		}
		return last
	}
	if got := attempts("203.0.113.9:1000"); got != http.StatusTooManyRequests {
		t.Errorf("the 101st attempt with pretended addresses: %d, want %d", got, http.StatusTooManyRequests)
	}
	if got := attempts("10.0.0.5:1000"); got != http.StatusUnauthorized {
		t.Errorf("the 101st attempt by ten clients of a proxy: %d, want %d", got, http.StatusUnauthorized)
	}
	if got := send("GET", "/metrics", "203.0.113.9:1000", nil, "X-Forwarded-For", "127.0.0.1", "X-Real-IP", "127.0.0.1", "Forwarded", "for=127.0.0.1").Code; got != http.StatusUnauthorized {
		t.Errorf("metrics with a pretended address: %d, want %d", got, http.StatusUnauthorized)
	}
	if got := send("GET", "/metrics", "127.0.0.1:1000", nil, "X-Forwarded-For", "203.0.113.9").Code; got != http.StatusUnauthorized {
		t.Errorf("metrics through a proxy on this machine: %d, want %d", got, http.StatusUnauthorized)
	}
	if got := send("GET", "/metrics", "127.0.0.1:1000", nil).Code; got != http.StatusUnauthorized {
		t.Errorf("metrics from this machine, or through a proxy without a header: %d, want %d", got, http.StatusUnauthorized)
	}
	page := send("GET", "/users", "203.0.113.9:1000", nil, "Cookie", session, "X-Forwarded-Host", "evil.example")
	if page.Code != http.StatusOK || strings.Contains(page.Body.String(), "evil.example") {
		t.Errorf("the page of users with a foreign X-Forwarded-Host: %d, or it contains that host", page.Code)
	}
}

// TestSecureCookie: the cookie is for TLS only if the base URL is, whatever a client sends.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	h, d := forwardedHandler(t, serveOptions{upload: 1 << 20, baseURL: "https://otisk.example"})
	link, err := d.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(api.First{Link: link, Login: "admin", Password: testPassword})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "https://otisk.example"+api.Prefix+"/first", strings.NewReader(string(body)))
	r.Header.Set("X-Forwarded-Proto", "http")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	c := w.Result().Cookies()
	if len(c) != 1 || !c[0].Secure || c[0].Name != "__Host-otisk_session" || c[0].Path != "/" || c[0].Domain != "" {
		t.Fatalf("cookies %v, want one that is Secure and bound to the host", c)
	}
	for _, path := range []string{api.Prefix + "/me", "/checks"} {
		for name, want := range map[string]bool{c[0].Name: true, api.Cookie: false} {
			r := httptest.NewRequest("GET", "https://otisk.example"+path, nil)
			r.AddCookie(&http.Cookie{Name: name, Value: c[0].Value})
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); (w.Code == http.StatusOK) != want {
				t.Errorf("GET %s with the cookie %s: %d", path, name, w.Code)
			}
		}
	}
}
