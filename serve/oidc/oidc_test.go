package oidc

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/outgoing"
)

// A fakeProvider signs a user in without asking, with claims and faults that a test sets.
type fakeProvider struct {
	*httptest.Server
	t        *testing.T
	key      *rsa.PrivateKey
	mu       sync.Mutex
	asked    map[string]url.Values       // authorization requests, by code
	claims   map[string]any              // beside those of every token
	alter    func(claims map[string]any) // faults of the ID token
	sign     *rsa.PrivateKey             // nil for key
	info     map[string]any              // user info, nil for none
	redirect string                      // of the client
}

// The keys of all providers, and of somebody else. Making one takes 0.2 s.
var providerKey, otherKey = sync.OnceValue(newKey), sync.OnceValue(newKey)

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func newFakeProvider(t *testing.T) *fakeProvider {
	t.Helper()
	p := &fakeProvider{t: t, key: providerKey(), asked: map[string]url.Values{}, claims: map[string]any{}, redirect: "http://otisk.example/sign-in/callback"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.configuration)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.send(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /info", func(w http.ResponseWriter, _ *http.Request) { p.send(w, p.info) })
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *fakeProvider) send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

func (p *fakeProvider) configuration(w http.ResponseWriter, _ *http.Request) {
	c := map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}}
	if p.info != nil {
		c["userinfo_endpoint"] = p.URL + "/info"
	}
	p.send(w, c)
}

// authorize accepts an authorization request and returns the query of the callback.
func (p *fakeProvider) authorize(address string) url.Values {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": "otisk", "redirect_uri": p.redirect, "code_challenge_method": "S256"} {
		if q.Get(name) != want {
			p.t.Errorf("%s = %q, want %q", name, q.Get(name), want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 26 {
			p.t.Errorf("%s = %q, want at least 128 random bits", name, q.Get(name))
		}
	}
	code := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[code] = q
	return url.Values{"code": {code}, "state": {q.Get("state")}}
}

func (p *fakeProvider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.asked[r.PostFormValue("code")]
	delete(p.asked, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if q == nil || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		p.send(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.URL, "sub": "user-1", "aud": "otisk", "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(), "nonce": q.Get("nonce"),
		"preferred_username": "jana", "name": "Jana Nová"}
	maps.Copy(claims, p.claims)
	if p.alter != nil {
		p.alter(claims)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	key := p.sign
	if key == nil {
		key = p.key
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		p.t.Error(err)
		return
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		p.t.Error(err)
		return
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		p.t.Error(err)
	}
	p.send(w, map[string]any{"access_token": "secret", "token_type": "Bearer", "id_token": text})
}

func (p *fakeProvider) client(set func(*Options)) *Provider {
	o := Options{Issuer: p.URL, Client: "otisk", Secret: "s", Redirect: p.redirect, Scopes: []string{"profile"}, LoginClaim: "preferred_username", RoleClaim: "roles"}
	if set != nil {
		set(&o)
	}
	network, err := outgoing.New([]string{"127.0.0.1"})
	if err != nil {
		p.t.Fatal(err)
	}
	return New(o, network)
}

// signIn performs a complete sign-in.
func (p *fakeProvider) signIn(c *Provider) (*Identity, error) {
	p.t.Helper()
	address, state, err := c.Start(p.t.Context(), "/checks")
	if err != nil {
		p.t.Fatal(err)
	}
	id, next, err := c.Finish(p.t.Context(), state, p.authorize(address))
	if next != "/checks" {
		p.t.Errorf("the sign-in leads to %q, want /checks", next)
	}
	return id, err
}

// TestSignIn reads roles and groups from claims.
func TestSignIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		claims map[string]any
		set    func(*Options)
		role   accounts.Role
		groups []string
	}{
		{"roles", map[string]any{"roles": []string{"reader", "librarian", "unknown"}}, nil, accounts.Librarian, nil},
		{"one role", map[string]any{"roles": "checker"}, nil, accounts.Checker, nil},
		{"mapped", map[string]any{"roles": []string{"staff", "administrator"}}, func(o *Options) { o.Roles = map[string]accounts.Role{"staff": accounts.Checker} }, accounts.Checker, nil},
		{"nested", map[string]any{"realm_access": map[string]any{"roles": []string{"reader"}}}, func(o *Options) { o.RoleClaim = "realm_access.roles" }, accounts.Reader, nil},
		{"an address as a name", map[string]any{"https://otisk.example/roles": []string{"reader"}}, func(o *Options) { o.RoleClaim = "https://otisk.example/roles" }, accounts.Reader, nil},
		{"groups", map[string]any{"roles": "reader", "groups": []string{"Law", "Arts"}}, func(o *Options) { o.GroupClaim = "groups" }, accounts.Reader, []string{"Law", "Arts"}},
		{"mapped groups", map[string]any{"roles": "reader", "groups": []string{"/law", "/staff"}}, func(o *Options) { o.GroupClaim, o.Groups = "groups", map[string]string{"/law": "Law"} }, accounts.Reader, []string{"Law"}},
		{"no group", map[string]any{"roles": "reader"}, func(o *Options) { o.GroupClaim = "groups" }, accounts.Reader, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newFakeProvider(t)
			p.claims = tt.claims
			id, err := p.signIn(p.client(tt.set))
			if err != nil {
				t.Fatal(err)
			}
			if id.Issuer != p.URL || id.Subject != "user-1" || id.Login != "jana" || id.Name != "Jana Nová" || id.Role != tt.role || !slices.Equal(id.Groups, tt.groups) || (id.Groups == nil) != (tt.groups == nil) {
				t.Errorf("identity %+v, want the role %s and the groups %q", id, tt.role, tt.groups)
			}
		})
	}
}

// TestFaults: no ID token with a fault signs anybody in.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(p *fakeProvider){
		"another nonce": func(p *fakeProvider) { p.alter = func(c map[string]any) { c["nonce"] = "x" } },
		"no nonce":      func(p *fakeProvider) { p.alter = func(c map[string]any) { delete(c, "nonce") } },
		"expired": func(p *fakeProvider) {
			p.alter = func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() }
		},
		"another audience":   func(p *fakeProvider) { p.alter = func(c map[string]any) { c["aud"] = "other" } },
		"two audiences":      func(p *fakeProvider) { p.alter = func(c map[string]any) { c["aud"] = []string{"otisk", "other"} } },
		"for another client": func(p *fakeProvider) { p.alter = func(c map[string]any) { c["azp"] = "other" } },
		"another issuer":     func(p *fakeProvider) { p.alter = func(c map[string]any) { c["iss"] = "https://evil.example" } },
		"no subject":         func(p *fakeProvider) { p.alter = func(c map[string]any) { delete(c, "sub") } },
		"another key":        func(p *fakeProvider) { p.sign = otherKey() },
		"another user in the user info": func(p *fakeProvider) {
			p.claims, p.info = map[string]any{}, map[string]any{"sub": "user-2", "roles": "administrator"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFakeProvider(t)
			p.claims["roles"] = "administrator"
			fault(p)
			if id, err := p.signIn(p.client(nil)); !errors.Is(err, ErrProvider) || id != nil {
				t.Errorf("identity %+v, %v, want ErrProvider", id, err)
			}
		})
	}
}

// TestBrokenProvider: a provider that fails, hangs, answers without end, or leads into the network of the
// server signs nobody in, and costs neither much memory nor much time.
func TestBrokenProvider(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	secret, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err) // not every system has the address
	}
	internal := &httptest.Server{Listener: secret, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) })}}
	internal.Start()
	t.Cleanup(internal.Close)
	for fault, answer := range map[string]http.HandlerFunc{
		"fails":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"breaks":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no JSON":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"hangs":    func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, internal.URL, http.StatusFound) },
		"no end": func(w http.ResponseWriter, _ *http.Request) {
			_, err := io.WriteString(w, `{"issuer":"`)
			for n := 0; err == nil; n += 1 << 16 {
				if _, err = w.Write(bytes.Repeat([]byte("x"), 1<<16)); n > 64<<20 {
					t.Errorf("%d bytes of an answer were read", n)
					return
				}
			}
		},
	} {
		for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/info"} {
			t.Run(fault+path, func(t *testing.T) {
				t.Parallel()
				p := newFakeProvider(t)
				p.info = map[string]any{"sub": "user-1", "roles": "administrator"}
				handler := p.Config.Handler
				p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == path {
						_, _ = io.Copy(io.Discard, r.Body) // else the end of the client is not noticed
						answer(w, r)
						return
					}
					handler.ServeHTTP(w, r)
				})
				c := p.client(nil)
				if c.client.Timeout != outgoing.Patience {
					t.Errorf("a request may take %v, want %v", c.client.Timeout, outgoing.Patience)
				}
				if fault == "hangs" {
					c.client.Timeout = 2 * time.Second
				}
				var id *Identity
				address, state, err := c.Start(t.Context(), "/")
				if err == nil {
					id, _, err = c.Finish(t.Context(), state, p.authorize(address))
				}
				if !errors.Is(err, ErrProvider) || id != nil {
					t.Errorf("identity %+v, %v, want ErrProvider", id, err)
				}
			})
		}
	}
	t.Cleanup(func() {
		if n := inside.Load(); n > 0 {
			t.Errorf("%d requests reached the network of the server", n)
		}
	})
}

// TestNewKey: a provider that changes its key signs users in, also those who began before.
func TestNewKey(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	p.claims["roles"] = "reader"
	c := p.client(nil)
	if _, err := p.signIn(c); err != nil {
		t.Fatal(err)
	}
	address, state, err := c.Start(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	p.key = otherKey()
	if id, _, err := c.Finish(t.Context(), state, p.authorize(address)); err != nil || id.Role != accounts.Reader {
		t.Errorf("after the change: %+v, %v", id, err)
	}
}

// TestNoRole: a user without a role of this server is refused, and named, so that earlier rights end.
func TestNoRole(t *testing.T) {
	t.Parallel()
	for name, claims := range map[string]map[string]any{"no claim": {}, "unknown roles": {"roles": []string{"student"}}, "a number": {"roles": 7}, "an empty role": {"roles": ""}} {
		p := newFakeProvider(t)
		p.claims = claims
		if id, err := p.signIn(p.client(nil)); !errors.Is(err, ErrNoRole) || id == nil || id.Subject != "user-1" || id.Role != "" {
			t.Errorf("%s: identity %+v, %v, want ErrNoRole", name, id, err)
		}
	}
	p := newFakeProvider(t)
	p.info = map[string]any{"sub": "user-1", "roles": "reader"}
	if id, err := p.signIn(p.client(nil)); err != nil || id.Role != accounts.Reader {
		t.Errorf("a role in the user info: %+v, %v", id, err)
	}
}

// TestState: a callback counts once, in the browser that started the sign-in.
func TestState(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	p.claims["roles"] = "reader"
	c := p.client(nil)
	start := func() (state string, query url.Values) {
		address, state, err := c.Start(t.Context(), "/checks")
		if err != nil {
			t.Fatal(err)
		}
		return state, p.authorize(address)
	}
	finish := func(cookie string, query url.Values) error {
		_, _, err := c.Finish(t.Context(), cookie, query)
		return err
	}
	state, query := start()
	if err := finish("", query); !errors.Is(err, ErrFlow) {
		t.Errorf("in another browser: %v, want ErrFlow", err)
	}
	other, _ := start()
	if err := finish(other, query); !errors.Is(err, ErrFlow) {
		t.Errorf("with the cookie of another sign-in: %v, want ErrFlow", err)
	}
	if err := finish(state, query); err != nil {
		t.Errorf("the sign-in: %v", err)
	}
	if err := finish(state, query); !errors.Is(err, ErrFlow) {
		t.Errorf("a state again: %v, want ErrFlow", err)
	}
	if err := finish("invented", url.Values{"state": {"invented"}, "code": {"x"}}); !errors.Is(err, ErrFlow) {
		t.Errorf("an invented state: %v, want ErrFlow", err)
	}
	if err := finish("", url.Values{"code": {"x"}}); !errors.Is(err, ErrFlow) {
		t.Errorf("no state: %v, want ErrFlow", err)
	}
	state, query = start()
	query.Set("iss", "https://evil.example")
	if err := finish(state, query); !errors.Is(err, ErrFlow) {
		t.Errorf("the answer of another provider: %v, want ErrFlow", err)
	}
	state, _ = start()
	if err := finish(state, url.Values{"state": {state}, "error": {"access_denied"}}); !errors.Is(err, ErrRefused) {
		t.Errorf("refused at the provider: %v, want ErrRefused", err)
	}
	state, query = start()
	_, stolen := start()
	query.Set("code", stolen.Get("code")) // PKCE binds a code to its sign-in
	if err := finish(state, query); !errors.Is(err, ErrProvider) {
		t.Errorf("with the code of another sign-in: %v, want ErrProvider", err)
	}
	state, query = start()
	c.mu.Lock()
	f := c.flows[state]
	f.started = f.started.Add(-flowLife - time.Second)
	c.flows[state] = f
	c.mu.Unlock()
	if err := finish(state, query); !errors.Is(err, ErrFlow) {
		t.Errorf("after ten minutes: %v, want ErrFlow", err)
	}
}

// TestMany: sign-ins that nobody finishes do not fill the memory.
func TestMany(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t).client(nil)
	for range mostFlows + 10 {
		p.storeFlow(rand.Text(), flow{started: time.Now()})
	}
	if len(p.flows) != mostFlows {
		t.Errorf("%d sign-ins are kept, want %d", len(p.flows), mostFlows)
	}
}

// TestDown: a provider that is down is asked again at the next sign-in.
func TestDown(t *testing.T) {
	t.Parallel()
	p := newFakeProvider(t)
	up := false
	handler := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	})
	c := p.client(nil)
	if _, _, err := c.Start(t.Context(), "/"); !errors.Is(err, ErrProvider) {
		t.Errorf("Start = %v, want ErrProvider", err)
	}
	up = true
	if _, _, err := c.Start(t.Context(), "/"); err != nil {
		t.Errorf("Start after the provider is up: %v", err)
	}
}
