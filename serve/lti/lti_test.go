package lti_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
)

const base = "https://otisk.example.org"

var toolKey = sync.OnceValue(func() *lti.Key {
	data, err := lti.NewKey()
	if err != nil {
		panic(err)
	}
	k, err := lti.ReadKey("key-1", data)
	if err != nil {
		panic(err)
	}
	return k
})

// launch performs a complete launch.
func launch(t *testing.T, p *ltitest.Platform, role, target string) (*lti.Launch, error) {
	t.Helper()
	tool, registered := lti.New(base, ltitest.Network(t, "127.0.0.1")), p.Registered()
	address, cookie, err := tool.Start(toolKey(), registered, p.Initiate(target))
	if err != nil {
		t.Fatal(err)
	}
	form := p.Authorize(address, role, target)
	flow, err := tool.Flow(toolKey(), form.Get("state"), cookie)
	if err != nil {
		t.Fatal(err)
	}
	if flow.Platform != "platform" {
		t.Errorf("the flow belongs to the platform %q", flow.Platform)
	}
	return tool.Verify(t.Context(), registered, flow, form.Get("id_token"))
}

// TestLaunch reads users, roles and targets.
func TestLaunch(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		role, target string
		alter        func(map[string]any)
		want         lti.Launch
	}{
		"a teacher":           {"Instructor", "/lti/open?course=c", nil, lti.Launch{Name: "Jana Nová", Role: accounts.Checker, Course: "c"}},
		"a student":           {"Learner", "/lti/open?check=x", nil, lti.Launch{Name: "Jana Nová", Role: accounts.Student, Check: "x"}},
		"no resource":         {"Instructor", "/lti/open", nil, lti.Launch{Name: "Jana Nová", Role: accounts.Checker}},
		"the other placement": {"Learner", "/lti/open", func(c map[string]any) { c[ltitest.Claim+"deployment_id"] = "deployment-2" }, lti.Launch{Name: "Jana Nová", Role: accounts.Student}},
		"no parameters":       {"Learner", "/lti/open", func(c map[string]any) { c[ltitest.Claim+"custom"] = []string{} }, lti.Launch{Name: "Jana Nová", Role: accounts.Student}},
		"an assistant": {"Learner", "/lti/open", func(c map[string]any) {
			c[ltitest.Claim+"roles"] = []string{"http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"}
		}, lti.Launch{Name: "Jana Nová", Role: accounts.Checker}},
		"parts of a name": {"Learner", "/lti/open", func(c map[string]any) {
			delete(c, "name")
			c["given_name"], c["family_name"], c["email"] = "Jana", "Nová", "jana@example.org"
		}, lti.Launch{Name: "Jana Nová", Email: "jana@example.org", Role: accounts.Student}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ltitest.Start(t, base)
			p.Alter = tt.alter
			got, err := launch(t, p, tt.role, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			if got.Subject != "user-7" || got.Name != tt.want.Name || got.Email != tt.want.Email || got.Role != tt.want.Role || got.Course != tt.want.Course || got.Check != tt.want.Check || got.Select != nil || got.Nonce == "" {
				t.Errorf("launch %+v, want %+v", got, tt.want)
			}
		})
	}
}

// faults are tokens that no launch has. Each is refused.
var faults = map[string]func(t *testing.T, p *ltitest.Platform){
	"another nonce":      claim("nonce", "x"),
	"no nonce":           claim("nonce", nil),
	"expired":            claim("exp", time.Now().Add(-time.Minute).Unix()),
	"another audience":   claim("aud", "other"),
	"two audiences":      func(_ *testing.T, p *ltitest.Platform) { p.Alter = twoAudiences },
	"for another client": claim("azp", "other"),
	"another issuer":     claim("iss", "https://evil.example"),
	"another deployment": claim(ltitest.Claim+"deployment_id", "9"),
	"no deployment":      claim(ltitest.Claim+"deployment_id", nil),
	"no user":            claim("sub", nil),
	"a long user":        claim("sub", strings.Repeat("x", 256)),
	"another version":    claim(ltitest.Claim+"version", "1.1"),
	"another message":    claim(ltitest.Claim+"message_type", "LtiSubmissionReviewRequest"),
	"no resource link":   claim(ltitest.Claim+"resource_link", nil),
	"another key": func(t *testing.T, p *ltitest.Platform) {
		p.Sign = func(c []byte) string {
			return ltitest.Sign(t, jose.RS256, jose.JSONWebKey{Key: ltitest.OtherKey(), KeyID: "1"}, c)
		}
	},
	"an unknown key": func(t *testing.T, p *ltitest.Platform) {
		p.Sign = func(c []byte) string {
			return ltitest.Sign(t, jose.RS256, jose.JSONWebKey{Key: ltitest.OtherKey(), KeyID: "2"}, c)
		}
	},
	"no signature": func(_ *testing.T, p *ltitest.Platform) {
		p.Sign = func(c []byte) string { return unsigned(`{"alg":"none","typ":"JWT"}`, c) }
	},
	"an empty signature": func(_ *testing.T, p *ltitest.Platform) {
		p.Sign = func(c []byte) string { return unsigned(`{"alg":"RS256","kid":"1"}`, c) }
	},
	"the public key as a secret": func(t *testing.T, p *ltitest.Platform) {
		p.Sign = func(c []byte) string {
			der, err := x509.MarshalPKIXPublicKey(ltitest.Key().Public())
			if err != nil {
				t.Fatal(err)
			}
			secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
			return ltitest.Sign(t, jose.HS256, jose.JSONWebKey{Key: secret, KeyID: "1"}, c)
		}
	},
	"no token": func(_ *testing.T, p *ltitest.Platform) { p.Sign = func([]byte) string { return "x.y" } },
}

// claim returns a fault: a claim with another value, or without one for nil.
func claim(name string, value any) func(*testing.T, *ltitest.Platform) {
	return func(_ *testing.T, p *ltitest.Platform) {
		p.Alter = func(c map[string]any) {
			c[name] = value
			if value == nil {
				delete(c, name)
			}
		}
	}
}

func twoAudiences(c map[string]any) {
	c["aud"] = []string{"otisk-client", "other"}
	delete(c, "azp")
}

// unsigned returns a token with a header and without a signature.
func unsigned(header string, claims []byte) string {
	return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(claims) + "."
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ltitest.Start(t, base)
			fault(t, p)
			if l, err := launch(t, p, "Instructor", "/lti/open?course=c"); !errors.Is(err, lti.ErrLaunch) || l != nil {
				t.Errorf("launch %+v, %v, want ErrLaunch", l, err)
			}
		})
	}
}

// TestTarget: no launch and no initiation leads elsewhere.
func TestTarget(t *testing.T) {
	t.Parallel()
	tool := lti.New(base, ltitest.Network(t, "127.0.0.1"))
	for _, target := range []string{
		"https://evil.example/lti/open", "http://otisk.example.org/lti/open", "https://otisk.example.org.evil.example/lti/open", "https://otisk.example.org:444/lti/open", "https://otisk.example.org@evil.example/lti/open",
		base + "/lti/open/../users", base + "/users", "//evil.example/lti/open", "javascript:alert(1)", "/lti/open", "", "%",
	} {
		p := ltitest.Start(t, base)
		q := p.Initiate("/lti/open")
		q.Set("target_link_uri", target)
		if address, _, err := tool.Start(toolKey(), p.Registered(), q); !errors.Is(err, lti.ErrTarget) {
			t.Errorf("an initiation for %q leads to %q, %v, want ErrTarget", target, address, err)
		}
		p.Alter = func(c map[string]any) { c[ltitest.Claim+"target_link_uri"] = target }
		if l, err := launch(t, p, "Instructor", "/lti/open"); !errors.Is(err, lti.ErrTarget) {
			t.Errorf("a launch for %q: %+v, %v, want ErrTarget", target, l, err)
		}
	}
	q := ltitest.Start(t, base).Initiate("/lti/open")
	q.Del("login_hint")
	if _, _, err := tool.Start(toolKey(), &lti.Platform{AuthURL: "https://lms.example.org"}, q); !errors.Is(err, lti.ErrLaunch) {
		t.Errorf("an initiation without a user: %v, want ErrLaunch", err)
	}
}

// TestRole: a user who is neither teacher nor student of the course is refused, whatever he is in the
// institution.
func TestRole(t *testing.T) {
	t.Parallel()
	for _, roles := range [][]string{nil, {"http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"}, {"http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"}, {ltitest.Roles + "Mentor"}, {"administrator"}} {
		p := ltitest.Start(t, base)
		p.Alter = func(c map[string]any) { c[ltitest.Claim+"roles"] = roles }
		if l, err := launch(t, p, "Instructor", "/lti/open"); !errors.Is(err, lti.ErrNoRole) {
			t.Errorf("roles %q: %+v, %v, want ErrNoRole", roles, l, err)
		}
	}
	if l, err := launch(t, ltitest.Start(t, base), "Learner", lti.SelectPath); !errors.Is(err, lti.ErrNoRole) {
		t.Errorf("a student chooses a link: %+v, %v, want ErrNoRole", l, err)
	}
}

// TestState: a launch ends in the browser that started it, within its time.
func TestState(t *testing.T) {
	t.Parallel()
	p, tool, key := ltitest.Start(t, base), lti.New(base, ltitest.Network(t, "127.0.0.1")), toolKey()
	start := func() (state, cookie string) {
		address, cookie, err := tool.Start(key, p.Registered(), p.Initiate("/lti/open"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("state"), cookie
	}
	state, cookie := start()
	_, other := start()
	data, err := lti.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := lti.ReadKey("x", data)
	if err != nil {
		t.Fatal(err)
	}
	forged := lti.Flow{ID: "x", Platform: "platform", Nonce: "x", Expires: time.Now().Add(time.Hour)}
	late := forged
	late.Expires = time.Now().Add(-time.Second)
	for name, tt := range map[string]struct{ state, cookie string }{
		"no cookie": {state, ""}, "the cookie of another launch": {state, other}, "no state": {"", cookie}, "a changed state": {"A" + state, cookie}, "a cut state": {state[:len(state)-1], cookie},
		"a state of another server": {foreign.Seal("flow", forged), "x"}, "a text of another kind": {key.Seal("selection", forged), "x"}, "ten minutes later": {key.Seal("flow", late), "x"},
		"an unsigned state": {base64.RawURLEncoding.EncodeToString([]byte(`{"id":"x","platform":"platform","expires":"2999-01-01T00:00:00Z"}`)) + ".", "x"},
	} {
		if f, err := tool.Flow(key, tt.state, tt.cookie); !errors.Is(err, lti.ErrFlow) {
			t.Errorf("%s: %+v, %v, want ErrFlow", name, f, err)
		}
	}
	if _, err := tool.Flow(key, state, cookie); err != nil {
		t.Errorf("the launch: %v", err)
	}
}

// TestSelect reads a deep linking request and signs its response, which a platform verifies by the
// published key.
func TestSelect(t *testing.T) {
	t.Parallel()
	p := ltitest.Start(t, base)
	l, err := launch(t, p, "Instructor", lti.SelectPath)
	if err != nil || l.Select == nil {
		t.Fatalf("launch %+v, %v, want a deep linking request", l, err)
	}
	text, err := toolKey().Respond(p.Registered(), l.Select, []lti.Item{{Title: "Essays", Address: base + "/lti/open?course=c"}})
	if err != nil {
		t.Fatal(err)
	}
	public, err := json.Marshal(toolKey().Public())
	if err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(public, &set); err != nil || len(set.Keys) != 1 || !set.Keys[0].IsPublic() || strings.Contains(string(public), `"d"`) {
		t.Fatalf("key set %s, %v, want one public key", public, err)
	}
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil || signed.Signatures[0].Header.KeyID != set.Keys[0].KeyID {
		t.Fatalf("response %s, %v", text, err)
	}
	payload, err := signed.Verify(set.Keys[0])
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(payload, &c); err != nil {
		t.Fatal(err)
	}
	items, _ := json.Marshal(c[ltitest.Deep+"content_items"])
	if c["iss"] != "otisk-client" || !slices.Equal(c["aud"].([]any), []any{p.URL}) || c["nonce"] == "" || c[ltitest.Claim+"message_type"] != "LtiDeepLinkingResponse" || c[ltitest.Claim+"version"] != "1.3.0" ||
		c[ltitest.Claim+"deployment_id"] != "1" || c[ltitest.Deep+"data"] != "csrf:9" || string(items) != `[{"title":"Essays","type":"ltiResourceLink","url":"https://otisk.example.org/lti/open?course=c"}]` {
		t.Errorf("response %s", payload)
	}
	for name, settings := range map[string]map[string]any{
		"no return address":      {"accept_types": []string{"ltiResourceLink"}},
		"an insecure one":        {"accept_types": []string{"ltiResourceLink"}, "deep_link_return_url": "http://lms.example.org/return"},
		"a script":               {"accept_types": []string{"ltiResourceLink"}, "deep_link_return_url": "javascript:alert(1)"},
		"links are not accepted": {"accept_types": []string{"file"}, "deep_link_return_url": "https://lms.example.org/return"},
		"no accepted types":      {"deep_link_return_url": "https://lms.example.org/return"},
	} {
		p.Alter = func(c map[string]any) { c[ltitest.Deep+"deep_linking_settings"] = settings }
		if l, err := launch(t, p, "Instructor", lti.SelectPath); !errors.Is(err, lti.ErrLaunch) {
			t.Errorf("%s: %+v, %v, want ErrLaunch", name, l, err)
		}
	}
}

// TestBeside: texts that an earlier key sealed are read, and the key set has all keys.
func TestBeside(t *testing.T) {
	t.Parallel()
	earlier := toolKey()
	data, err := lti.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	later, err := lti.ReadKey("2", data)
	if err != nil {
		t.Fatal(err)
	}
	sealed := earlier.Seal("flow", "text")
	var got string
	if err := later.Open("flow", sealed, &got); !errors.Is(err, lti.ErrFlow) {
		t.Errorf("a text of a key that is not published: %q, %v, want ErrFlow", got, err)
	}
	both := later.Beside(earlier)
	if err := both.Open("flow", sealed, &got); err != nil || got != "text" {
		t.Errorf("a text of the earlier key: %q, %v", got, err)
	}
	if err := both.Open("selection", sealed, &got); !errors.Is(err, lti.ErrFlow) {
		t.Errorf("a text of another kind: %q, %v, want ErrFlow", got, err)
	}
	if set := both.Public(); len(set.Keys) != 2 || set.Keys[0].KeyID != "2" || set.Keys[0].KeyID == set.Keys[1].KeyID || !set.Keys[1].IsPublic() {
		t.Errorf("key set %+v, want two public keys", set)
	}
}
