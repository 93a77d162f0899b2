package api

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
)

const password = "correct horse battery"

// A house is an API with a collection, a check and an administrator.
type house struct {
	t           *testing.T
	folder      *storage.Folder
	log         bytes.Buffer
	desk        *desk.Desk
	handler     http.Handler
	admin       accounts.Actor
	session     string // of the administrator
	collection  string
	submission  string
	check       string
	webhook     string
	preset      string
	given       string
	source      string
	course      string
	platform    string
	integration string
	student     string // session of a student who was launched into the course
}

func newHouse(t *testing.T) *house {
	t.Helper()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	h := &house{t: t, folder: f}
	log := slog.New(slog.NewTextHandler(&h.log, nil))
	d, q, err := desk.New(t.Context(), f, work.Program{}, desk.Options{MaxFile: 1 << 20, Passwords: accounts.Cost{Time: 1, Memory: 8}, Hooks: hooks.NewSender(ltitest.Network(t)), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	h.desk = d
	h.handler = New(Options{Desk: d, Queue: q, Requests: &Requests{Log: log}, Log: log, MaxRequest: 2 << 20, Ready: f.Ready,
		Address: func(r *http.Request) string { return r.RemoteAddr }})
	link, err := d.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h.session, err = d.First(t.Context(), link, desk.Person{Login: "admin", Password: password}); err != nil {
		t.Fatal(err)
	}
	if h.admin, err = d.Actor(t.Context(), h.session); err != nil {
		t.Fatal(err)
	}
	if h.collection, err = d.NewCollection(t.Context(), h.admin, "Theses", false); err != nil {
		t.Fatal(err)
	}
	if h.webhook, _, err = d.NewWebhook(t.Context(), h.admin, "https://lms.example.org/", hooks.Events()); err != nil {
		t.Fatal(err)
	}
	u, err := d.Receive(t.Context(), h.admin, accounts.CheckTexts, "a.txt", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	if h.submission, err = d.Submit(t.Context(), h.admin, desk.Submission{Collection: h.collection}, "", []*desk.Upload{u}); err != nil {
		t.Fatal(err)
	}
	checks, _, err := d.Checks(t.Context(), h.admin, desk.Filter{})
	if err != nil || len(checks) != 1 {
		t.Fatal(checks, err)
	}
	h.check = checks[0].ID
	if h.preset, err = d.SavePreset(t.Context(), h.admin, "", desk.Preset{Name: "Bachelor"}); err != nil {
		t.Fatal(err)
	}
	if u, err = d.Receive(t.Context(), h.admin, accounts.ChangePresets, "given.txt", strings.NewReader("given")); err != nil {
		t.Fatal(err)
	}
	given, err := d.AddGiven(t.Context(), h.admin, []*desk.Upload{u})
	if err != nil {
		t.Fatal(err)
	}
	h.given = given[0]
	if h.source, err = d.AddSource(t.Context(), h.admin, h.collection, desk.Source{Kind: work.OAISource, Address: "https://repository.example.org/oai"}); err != nil {
		t.Fatal(err)
	}
	h.course, err = d.NewCourse(t.Context(), h.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{h.collection}})
	if err != nil {
		t.Fatal(err)
	}
	if h.integration, _, err = d.SaveIntegration(t.Context(), h.admin, "", desk.NewIntegration{Name: "OJS", Collections: []string{h.collection}, Viewers: desk.ViewInstructors}); err != nil {
		t.Fatal(err)
	}
	if h.platform, err = d.SavePlatform(t.Context(), h.admin, "", desk.NewPlatform{Name: "Moodle", Issuer: "https://lms.example.org", Client: "1", AuthURL: "https://lms.example.org/auth", KeysURL: "https://lms.example.org/keys"}); err != nil {
		t.Fatal(err)
	}
	p, err := d.PlatformOf(t.Context(), h.platform)
	if err != nil {
		t.Fatal(err)
	}
	_, h.student, err = d.Launch(t.Context(), &lti.Launch{Platform: p.Tool(), Subject: "s", Role: accounts.Student, Course: h.course, Nonce: "n", Expires: time.Now().Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// user creates a user and returns a session.
func (h *house) user(login string, role accounts.Role, group string) string {
	h.t.Helper()
	_, link, err := h.desk.Invite(h.t.Context(), h.admin, desk.Invitation{Login: login, Role: role, Group: group})
	if err != nil {
		h.t.Fatal(err)
	}
	session, err := h.desk.Accept(h.t.Context(), link, password)
	if err != nil {
		h.t.Fatal(err)
	}
	return session
}

// status sends a request to a route and returns the status of the answer.
func (h *house) status(r route, set func(*http.Request)) int {
	h.t.Helper()
	ids := map[string]string{"submissions": h.submission, "checks": h.check, "collections": h.collection, "users": h.admin.User, "groups": h.admin.Group, "presets": h.preset, "given": h.given, "sources": h.source, "webhooks": h.webhook, "courses": h.course, "platforms": h.platform, "integrations": h.integration, "own": h.check}
	if strings.HasPrefix(r.path, "/own/courses") {
		ids["own"] = h.course
	}
	area := strings.Split(r.path, "/")[1]
	var body bytes.Buffer
	kind := "application/json"
	if r.form != nil {
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", "a.txt")
		if err != nil {
			h.t.Fatal(err)
		}
		_, _ = io.WriteString(part, "text")
		_ = form.Close()
		kind = form.FormDataContentType()
	} else {
		body.WriteString(`{"unknown": 1}`) // no request changes anything
	}
	req := httptest.NewRequest(r.method, Prefix+strings.Replace(r.path, "{id}", ids[area]+map[string]string{"tokens": "none"}[area], 1), &body)
	req.Header.Set("Content-Type", kind)
	set(req)
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, req)
	return w.Code
}

func session(secret string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: Cookie, Value: secret}) }
}

func bearer(secret string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }
}

// refused are the statuses of a request without the right to it.
var refused = []int{http.StatusForbidden, http.StatusUnauthorized}

// unsafe are routes that a request of this test would really execute, for the users who may.
func unsafe(r route) bool {
	return r.method == "DELETE" || strings.HasSuffix(r.path, "/cancel") || strings.HasSuffix(r.path, "/reset") || strings.HasSuffix(r.path, "/try")
}

// TestRights requests every route with every role, and with a token of every scope, and expects only
// those in the table of rights to succeed.
func TestRights(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, role := range accounts.AllRoles() {
		own := h.student
		if role != accounts.Student {
			own = h.user("user-"+string(role), role, "")
		}
		a, err := h.desk.Actor(t.Context(), own)
		if err != nil {
			t.Fatal(err)
		}
		tokens := map[accounts.Scope]string{}
		for _, scope := range accounts.Scopes() {
			_, secret, err := h.desk.NewToken(t.Context(), a, string(scope), []accounts.Scope{scope}, 0)
			if accounts.May(role, accounts.OwnTokens) != (err == nil) {
				t.Errorf("%s: NewToken = %v", role, err)
			}
			tokens[scope] = secret
		}
		for _, r := range routes {
			if r.open || r.action == "" {
				continue
			}
			may := accounts.May(role, r.action)
			if may && unsafe(r) {
				continue
			}
			if got := h.status(r, session(own)); slices.Contains(refused, got) == may {
				t.Errorf("%s %s by a %s: %d, allowed is %v", r.method, r.path, role, got, may)
			}
			for scope, secret := range tokens {
				allowed := may && accounts.ScopeOf(r.action) == scope && secret != ""
				if got := h.status(r, bearer(secret)); slices.Contains(refused, got) == allowed {
					t.Errorf("%s %s by a token of a %s for %s: %d, allowed is %v", r.method, r.path, role, scope, got, allowed)
				}
			}
		}
	}
}

// TestRefusalsAreLogged: the log has who was refused which action, and no names or secrets.
func TestRefusalsAreLogged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	reader := h.user("jana", accounts.Reader, "")
	a, err := h.desk.Actor(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		if r.path == "/audit" {
			h.status(r, session(reader))
		}
	}
	if got := h.log.String(); !strings.Contains(got, `msg="action refused" action="read audit log" user=`+a.User) || strings.Contains(got, "jana") || strings.Contains(got, reader) {
		t.Errorf("the log is\n%s", got)
	}
}

// TestNobody: without a session or token, only signing in is possible.
func TestNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, r := range routes {
		for name, set := range map[string]func(*http.Request){
			"nothing": func(*http.Request) {}, "a guessed session": session("AAAAAAAAAAAAAAAAAAAAAAAAAA"), "a guessed token": bearer("AAAAAAAAAAAAAAAAAAAAAAAAAA"), "a session as a token": bearer(h.session),
		} {
			if got := h.status(r, set); r.open == (got == http.StatusUnauthorized) {
				t.Errorf("%s %s with %s: %d", r.method, r.path, name, got)
			}
		}
	}
}

// validBodies are bodies that routes accept, by path.
var validBodies = map[string]string{
	"/checks/{id}/decisions": `{}`, "/checks/{id}/verdict": `{"verdict": "minor", "comment": ""}`, "/checks/{id}/links": `{"for": "Committee", "days": 7}`,
	"/collections/{id}/sources": `{"kind": "oai", "address": "https://repository.example.org/oai", "hours": 0}`, "/collections/{id}/metadata": `{"name": "a.txt"}`,
	"/checks/{id}/case": `{"kind": "comment", "text": "Theirs"}`, "/checks/{id}/notices": `{"for": "Student", "days": 7, "text": "Theirs", "score": true, "report": true}`, "/checks/{id}/links/{link}/access": `{"score": true, "report": true}`,
	"/checks/{id}/keep": `{"days": 0}`, "/collections/{id}/keep": `{"days": 0}`,
	"/courses/{id}": `{"name": "Theirs", "ends": "2026-12-01T12:00:00Z"}`, "/courses/{id}/texts": `{"count": [], "leave_out": []}`,
	"/integrations/{id}": `{"name": "Theirs", "collections": ["theirs"], "viewers": "instructors"}`,
	"/platforms/{id}":    `{"name": "Theirs", "issuer": "https://lms.example.org", "client": "2", "auth_url": "https://lms.example.org/a", "keys_url": "https://lms.example.org/k", "deployments": []}`, "/own/texts/{id}/statement": `{"text": "Theirs"}`,
	"/presets/{id}": `{"name": "Theirs", "label": "", "settings": {}}`,
}

// TestOtherGroup: resources of another group are reported as not found.
func TestOtherGroup(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	group, err := h.desk.NewGroup(t.Context(), h.admin, "Other")
	if err != nil {
		t.Fatal(err)
	}
	other := h.user("other", accounts.Administrator, group)
	tried := 0
	for _, r := range routes {
		if !strings.Contains(r.path, "{id}") || strings.HasPrefix(r.path, "/users") || strings.HasPrefix(r.path, "/groups") || strings.HasPrefix(r.path, "/tokens") {
			continue
		}
		if r.in != nil { // the body is read first: send a valid one
			r.in = nil
		}
		tried++
		req := func(q *http.Request) {
			session(other)(q)
			if body := validBodies[r.path]; body != "" && r.form == nil {
				q.Body = io.NopCloser(strings.NewReader(body))
			}
		}
		if got := h.status(r, req); got != http.StatusNotFound {
			t.Errorf("%s %s of another group: %d, want 404", r.method, r.path, got)
		}
	}
	if tried < 10 {
		t.Errorf("only %d routes were tried", tried)
	}
	for _, list := range []string{"/checks", "/collections", "/audit", "/presets", "/given", "/courses", "/platforms", "/integrations", "/own/courses"} {
		req := httptest.NewRequest("GET", Prefix+list, nil)
		session(other)(req)
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, req)
		if body := w.Body.String(); strings.Contains(body, h.check) || strings.Contains(body, h.collection) || strings.Contains(body, h.submission) || strings.Contains(body, h.preset) || strings.Contains(body, h.given) || strings.Contains(body, h.course) || strings.Contains(body, h.platform) || strings.Contains(body, h.integration) {
			t.Errorf("GET %s shows things of another group: %s", list, body)
		}
	}
	if checks, _, err := h.desk.Checks(t.Context(), h.admin, desk.Filter{}); err != nil || len(checks) != 1 || checks[0].Verdict != "" {
		t.Errorf("the other group changed the check: %v, %v", checks, err)
	}
}

// TestDescription: every reference of the OpenAPI descriptions resolves, every route is in them, and no two
// operations have the same name.
func TestDescription(t *testing.T) {
	t.Parallel()
	for _, p := range []*protocol{rest(Cookie), core()} {
		data, err := json.Marshal(p.describe("1"))
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Paths map[string]map[string]struct {
				OperationID string
				Responses   map[string]any
			}
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(data, &d); err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, r := range p.routes {
			operation, ok := d.Paths[p.prefix+strings.TrimSuffix(r.path, "{$}")][strings.ToLower(r.method)]
			if !ok {
				t.Errorf("%s %s is not described", r.method, r.path)
			}
			if ids[operation.OperationID] {
				t.Errorf("%s is the name of two operations", operation.OperationID)
			}
			ids[operation.OperationID] = true
		}
		if p.prefix == Prefix && d.Paths[Prefix+"/shared/{secret}"]["get"].Responses["404"] == nil {
			t.Error("an unknown secret is not described")
		}
		for _, part := range strings.Split(string(data), `"#/components/schemas/`)[1:] {
			if name, _, _ := strings.Cut(part, `"`); d.Components.Schemas[name] == nil {
				t.Errorf("there is no schema %s", name)
			}
		}
		if d.Components.Schemas[""] != nil {
			t.Error("a schema has no name")
		}
	}
}

// TestMethods: a path names its methods if a request has another one, in both protocols.
func TestMethods(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for path, allow := range map[string]string{Prefix + "/checks": "GET, HEAD", tca.Prefix + "/submissions": "POST", tca.Prefix + "/submissions/x/": "DELETE", tca.Prefix + "/openapi.json": "GET, HEAD"} {
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, httptest.NewRequest("PATCH", path, nil))
		got := strings.Split(w.Header().Get("Allow"), ", ")
		slices.Sort(got)
		var p struct{ Status int }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusMethodNotAllowed || p.Status != w.Code || strings.Join(got, ", ") != allow {
			t.Errorf("PATCH %s: %d, Allow %q, %s, want 405 and %q", path, w.Code, got, w.Body, allow)
		}
	}
}

// TestProblems: errors are problem details and show nothing of the server.
func TestProblems(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/session", "{", 400},
		{"POST", "/session", `{"login": "admin", "password": "wrong"}`, 401},
		{"POST", "/collections", `{"name": "Theses", "shared": false}`, 409},
		{"POST", "/collections", `{"name": "", "shared": false}`, 422},
		{"GET", "/checks?sort=password", "", 422},
		{"GET", "/checks?limit=-1", "", 400},
		{"GET", "/checks/" + h.check + "/report", "", 404},
		{"PUT", "/checks/" + h.check + "/decisions", "x", 404},
		{"GET", "/nothing", "", 404},
		{"POST", "/submissions", "x", 400},
		{"DELETE", "/checks/" + h.check, "", 409},
	} {
		req := httptest.NewRequest(tt.method, Prefix+tt.path, strings.NewReader(tt.body))
		session(h.session)(req)
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, req)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != tt.status || p.Status != tt.status || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s, %v, want a problem with status %d", tt.method, tt.path, w.Code, w.Body, err, tt.status)
		}
	}
}

// TestSessionCookie: the cookie of a session is out of reach of scripts, and its value is new at each
// sign-in.
func TestSessionCookie(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	seen := map[string]bool{h.session: true}
	for range 2 {
		req := httptest.NewRequest("POST", Prefix+"/session", strings.NewReader(`{"login": "admin", "password": "`+password+`"}`))
		session(h.session)(req)
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, req)
		cookies := w.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("cookies %v, status %d", cookies, w.Code)
		}
		c := cookies[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || seen[c.Value] {
			t.Errorf("cookie %v, want a new value, HttpOnly and SameSite=Lax", c)
		}
		seen[c.Value] = true
	}
}

// TestSchemaNames: types with the same name in two packages have schemas of their own.
func TestSchemaNames(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(rest(Cookie).describe("1"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	for schema, property := range map[string]string{"Stored": "number", "PhraseStored": "name"} {
		if d.Components.Schemas[schema].Properties[property] == nil {
			t.Errorf("the schema %s is %v, want the property %s", schema, d.Components.Schemas[schema], property)
		}
	}
}
