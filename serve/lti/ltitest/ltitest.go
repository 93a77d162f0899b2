// Package ltitest is a learning platform for tests, written from the LTI 1.3 core and deep linking
// specifications. It signs a user in without asking, with claims and faults that a test sets.
package ltitest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/outgoing"
)

// Names of claims.
const (
	Claim    = "https://purl.imsglobal.org/spec/lti/claim/"
	Deep     = "https://purl.imsglobal.org/spec/lti-dl/claim/"
	Roles    = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
	settings = Deep + "deep_linking_settings"
)

// Key returns a key that all platforms of a test run share.
var Key = sync.OnceValue(newKey)

// OtherKey returns a key of somebody else.
var OtherKey = sync.OnceValue(newKey)

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

// A Platform is a learning platform with one registered tool.
type Platform struct {
	*httptest.Server
	t    *testing.T
	tool string // address

	target string // of the launches of browsers

	// Role is that of users who launch in a browser: Instructor or Learner.
	Role string
	// Returned gets the deep linking responses that browsers send; nil for none.
	Returned chan string
	// Asked is the number of authentication requests of browsers.
	Asked atomic.Int64
	// Alter changes the claims of the next token; nil for none.
	Alter func(claims map[string]any)
	// Sign signs the claims of tokens; nil for RS256 with [Key].
	Sign func(claims []byte) string

	services
}

func prepare(t *testing.T, tool string) *Platform {
	p := &Platform{t: t, tool: tool, services: newServices()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: Key().Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /auth", p.auth)
	mux.HandleFunc("GET /course", p.course)
	mux.HandleFunc("POST /return", func(w http.ResponseWriter, r *http.Request) {
		p.Returned <- r.PostFormValue("JWT")
		_, _ = io.WriteString(w, "<!doctype html><title>Returned</title><p>returned</p>")
	})
	p.serve(mux)
	p.Server = httptest.NewUnstartedServer(mux)
	return p
}

// Network returns a network without the one of this machine, but with some hosts of it.
func Network(t *testing.T, allow ...string) *outgoing.Network {
	t.Helper()
	n, err := outgoing.New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Start starts a platform for the tool at an address.
func Start(t *testing.T, tool string) *Platform {
	t.Helper()
	p := prepare(t, tool)
	p.Server.Start()
	t.Cleanup(p.Close)
	return p
}

// StartAt is [Start] on another address of this machine: browsers treat it as another site.
func StartAt(t *testing.T, address, tool string) *Platform {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("another loopback address: %v", err)
	}
	p := prepare(t, tool)
	_ = p.Listener.Close()
	p.Listener = l
	p.Server.Start()
	t.Cleanup(p.Close)
	return p
}

// course shows a page of the platform with a link to the target of its query, in a frame if the
// query asks for one.
func (p *Platform) course(w http.ResponseWriter, r *http.Request) {
	p.target = r.FormValue("target")
	start := p.tool + lti.LoginPath + "?" + p.Initiate(p.target).Encode()
	page := `<!doctype html><title>Course</title><a href="{{.}}">open</a>`
	if r.FormValue("frame") != "" {
		page = `<!doctype html><title>Course</title><iframe width="900" height="600" src="{{.}}"></iframe>`
	}
	_ = template.Must(template.New("").Parse(page)).Execute(w, start)
}

// auth answers an authentication request by a form that sends itself to the tool.
func (p *Platform) auth(w http.ResponseWriter, r *http.Request) {
	p.Asked.Add(1)
	form := p.Authorize(p.URL+r.URL.String(), p.Role, p.target)
	page := `<!doctype html><title>Launch</title><form method="post" action="{{.To}}"><input name="state" value="{{.State}}"><input name="id_token" value="{{.Token}}"></form><script>document.forms[0].submit()</script>`
	_ = template.Must(template.New("").Parse(page)).Execute(w, struct{ To, State, Token string }{p.tool + lti.LaunchPath, form.Get("state"), form.Get("id_token")})
}

// Registered returns the platform as a tool knows it.
func (p *Platform) Registered() *lti.Platform {
	return &lti.Platform{ID: "platform", Issuer: p.URL, Client: "otisk-client", AuthURL: p.URL + "/auth?site=1", KeysURL: p.URL + "/keys", TokenURL: p.URL + "/token", Origins: []string{p.URL}, Deployments: []string{"1", "deployment-2"}}
}

// Initiate returns the parameters of a login initiation for a target of the tool, such as
// /lti/open?course=ID.
func (p *Platform) Initiate(target string) url.Values {
	return url.Values{"iss": {p.URL}, "login_hint": {"user-7"}, "target_link_uri": {p.tool + target}, "lti_message_hint": {"hint"}, "client_id": {"otisk-client"}, "lti_deployment_id": {"1"}}
}

// Authorize accepts the authentication request at an address, and returns the form that the browser of
// the user posts to the tool. role is Instructor or Learner; the launch is for the target.
func (p *Platform) Authorize(address, role, target string) url.Values {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{
		"site": "1", "scope": "openid", "response_type": "id_token", "response_mode": "form_post", "prompt": "none", "client_id": "otisk-client",
		"redirect_uri": p.tool + lti.LaunchPath, "login_hint": "user-7", "lti_message_hint": "hint",
	} {
		if q.Get(name) != want {
			p.t.Errorf("authentication request: %s = %q, want %q", name, q.Get(name), want)
		}
	}
	if u.Path != "/auth" || len(q.Get("nonce")) < 26 || len(q.Get("state")) < 26 {
		p.t.Errorf("authentication request to %s with nonce %q and state %q", u.Path, q.Get("nonce"), q.Get("state"))
	}
	return url.Values{"state": {q.Get("state")}, "id_token": {p.Token(q.Get("nonce"), role, target)}}
}

// Token returns the ID token of a launch.
func (p *Platform) Token(nonce, role, target string) string {
	p.t.Helper()
	now := time.Now()
	claims := map[string]any{
		"iss": p.URL, "sub": "user-7", "aud": []string{"otisk-client"}, "azp": "otisk-client", "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "nonce": nonce, "name": "Jana Nová",
		Claim + "version": "1.3.0", Claim + "deployment_id": "1", Claim + "target_link_uri": p.tool + target, Claim + "roles": []string{"http://purl.imsglobal.org/vocab/lis/v2/institution/person#Faculty", Roles + role},
		Claim + "context": map[string]any{"id": "c1", "label": "FK-101", "title": "Writing"}, Claim + "message_type": "LtiResourceLinkRequest", Claim + "resource_link": map[string]any{"id": "link-1"},
	}
	if p.Assignment != "" {
		p.assign(claims)
	}
	if target == lti.SelectPath {
		delete(claims, Claim+"resource_link")
		claims[Claim+"message_type"] = "LtiDeepLinkingRequest"
		claims[settings] = map[string]any{"deep_link_return_url": p.URL + "/return?course=3", "accept_types": p.accepts(), "accept_presentation_document_targets": []string{"iframe", "window"}, "data": "csrf:9"}
	}
	return p.sign(claims)
}

// sign returns a token with claims, with the faults of the test.
func (p *Platform) sign(claims map[string]any) string {
	p.t.Helper()
	if p.Alter != nil {
		p.Alter(claims)
	}
	data, err := json.Marshal(claims)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.Sign != nil {
		return p.Sign(data)
	}
	return Sign(p.t, jose.RS256, jose.JSONWebKey{Key: Key(), KeyID: "1"}, data)
}

// Sign signs claims.
func Sign(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
