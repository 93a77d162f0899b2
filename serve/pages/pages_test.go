package pages

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

const password = "correct horse battery"

// A testSite is a server of pages whose jobs do not run.
type testSite struct {
	t        *testing.T
	folder   *storage.Folder
	desk     *desk.Desk
	queue    *work.Queue // does not run
	handler  http.Handler
	admin    accounts.Actor
	sessions map[accounts.Role]string
}

func newTestSite(t *testing.T) *testSite {
	t.Helper()
	ctx := t.Context()
	folder, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	network := ltitest.Network(t, "127.0.0.1")
	d, queue, err := desk.New(ctx, folder, work.Program{}, desk.Options{MaxFile: 1 << 20, Passwords: accounts.Cost{Time: 1, Memory: 8}, Services: lti.NewServices(network), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	s := &testSite{t: t, folder: folder, desk: d, queue: queue, sessions: map[accounts.Role]string{}}
	s.handler, err = New(Options{Desk: d, Log: log, Version: "1", BaseURL: "http://otisk.example", MaxRequest: 1 << 20, Address: func(*http.Request) string { return "192.0.2.1" }, LTI: lti.New("http://otisk.example", network)})
	if err != nil {
		t.Fatal(err)
	}
	link, err := d.FirstLink(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.sessions[accounts.Administrator], err = d.First(ctx, link, desk.Person{Login: "administrator", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	if s.admin, err = d.Actor(ctx, s.sessions[accounts.Administrator]); err != nil {
		t.Fatal(err)
	}
	return s
}

// user creates a user in a group, "" for that of the administrator, and signs him in.
func (s *testSite) user(role accounts.Role, login, group string) (session string) {
	s.t.Helper()
	_, link, err := s.desk.Invite(s.t.Context(), s.admin, desk.Invitation{Login: login, Role: role, Group: group})
	if err != nil {
		s.t.Fatal(err)
	}
	session, err = s.desk.Accept(s.t.Context(), link, password)
	if err != nil {
		s.t.Fatal(err)
	}
	return session
}

// actor returns the user of a session.
func (s *testSite) actor(session string) accounts.Actor {
	s.t.Helper()
	a, err := s.desk.Actor(s.t.Context(), session)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// student registers a learning platform and signs a student in by a launch of a course. It returns the id
// of the platform.
func (s *testSite) student(course string) (platform string) {
	s.t.Helper()
	platform, err := s.desk.SavePlatform(s.t.Context(), s.admin, "", desk.NewPlatform{Name: "Moodle", Issuer: "https://lms.example.org", Client: "1", AuthURL: "https://lms.example.org/auth", KeysURL: "https://lms.example.org/keys"})
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := s.desk.PlatformOf(s.t.Context(), platform)
	if err != nil {
		s.t.Fatal(err)
	}
	_, s.sessions[accounts.Student], err = s.desk.Launch(s.t.Context(), &lti.Launch{Platform: p.Tool(), Subject: "s", Role: accounts.Student, Course: course, Nonce: "n", Expires: time.Now().Add(time.Minute)})
	if err != nil {
		s.t.Fatal(err)
	}
	return platform
}

// ask sends a request of a browser.
func (s *testSite) ask(method, path, session string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "http://otisk.example"+path, strings.NewReader(form.Encode()))
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if session != "" {
		r.AddCookie(&http.Cookie{Name: api.Cookie, Value: session})
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// queued creates a collection and a check against it, and returns their ids.
func (s *testSite) queued(label string) (collection, submission, check string) {
	s.t.Helper()
	ctx := s.t.Context()
	collection, err := s.desk.NewCollection(ctx, s.admin, "Theses", false)
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := s.desk.Receive(ctx, s.admin, accounts.CheckTexts, "essay.txt", strings.NewReader("some words"))
	if err != nil {
		s.t.Fatal(err)
	}
	submission, err = s.desk.Submit(ctx, s.admin, desk.Submission{Collection: collection, Label: label}, "", []*desk.Upload{u})
	if err != nil {
		s.t.Fatal(err)
	}
	checks, _, err := s.desk.Checks(ctx, s.admin, desk.Filter{Submission: submission})
	if err != nil || len(checks) != 1 {
		s.t.Fatal(checks, err)
	}
	return collection, submission, checks[0].ID
}

// TestRights tries every page and form as every role, signed out, and from another group.
func TestRights(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, submission, check := s.queued("2026")
	preset, err := s.desk.SavePreset(t.Context(), s.admin, "", desk.Preset{Name: "Bachelor"})
	if err != nil {
		t.Fatal(err)
	}
	course, err := s.desk.NewCourse(t.Context(), s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.desk.NewGroup(t.Context(), s.admin, "Other")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []accounts.Role{accounts.Reader, accounts.Checker, accounts.Librarian} {
		s.sessions[role] = s.user(role, string(role), "")
	}
	platform := s.student(course)
	stranger := s.user(accounts.Administrator, "stranger", other)
	for _, r := range routes {
		if r.open {
			continue
		}
		method, path, _ := strings.Cut(r.pattern, " ")
		ids := map[string]string{"/submissions/": submission, "/checks/": check, "/collections/": collection, "/presets/": preset, "/courses/": course, "/own/courses/": course, "/own/texts/": check, "/platforms/": platform}
		own := false
		for prefix, id := range ids {
			if strings.HasPrefix(path, prefix+"{id}") {
				path, own = strings.Replace(path, "{id}", id, 1), true
			}
		}
		path = strings.TrimSuffix(strings.Replace(path, "{id}", "unknown", 1), "{$}")
		if w := s.ask(method, path, "", nil); method == http.MethodGet && (w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/sign-in?next=")) || method != http.MethodGet && w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s, signed out: %d %s, want a way to sign in", method, path, w.Code, w.Header().Get("Location"))
		}
		for _, role := range accounts.AllRoles() {
			if method == http.MethodPost && strings.HasSuffix(path, "/delete") {
				continue // below, since it ends the test for the others
			}
			w := s.ask(method, path, s.sessions[role], nil)
			if want := r.action != "" && !accounts.May(role, r.action); (w.Code == http.StatusForbidden) != want || w.Code == http.StatusUnauthorized || w.Code >= 500 {
				t.Errorf("%s %s as %s: %d, want forbidden: %v", method, path, role, w.Code, want)
			}
		}
		if own && method != http.MethodPut {
			const lms = "https://other.example.org"
			form := url.Values{"name": {"Theirs"}, "ends": {"2026-12-01T12:00"}, "hours": {"0"}, "kind": {"feed"}, "address": {lms}, "sure": {"1"}, "text": {"Theirs"}, "issuer": {lms}, "client": {"2"}, "auth_url": {lms}, "keys_url": {lms}}
			if w := s.ask(method, path, stranger, form); w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest {
				t.Errorf("%s %s from another group: %d, want not found", method, path, w.Code)
			}
		}
	}
	for _, path := range []string{"/checks/" + check + "/delete", "/collections/" + collection + "/delete", "/courses/" + course + "/delete", "/platforms/" + platform + "/delete"} {
		for _, role := range []accounts.Role{accounts.Student, accounts.Reader, accounts.Checker} {
			if w := s.ask("POST", path, s.sessions[role], nil); w.Code != http.StatusForbidden {
				t.Errorf("POST %s as %s: %d, want forbidden", path, role, w.Code)
			}
		}
	}
	w := s.ask("PUT", "/checks/"+check+"/decisions", stranger, nil, "If-Match", `"0"`)
	if w.Code != http.StatusNotFound {
		t.Errorf("decisions from another group: %d, want not found", w.Code)
	}
}

// TestHeaders expects the policies of every answer.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	for _, path := range []string{"/sign-in", "/check", "/nothing", "/static/pages.js", "/static/pages.css"} {
		h := s.ask("GET", path, s.sessions[accounts.Administrator], nil).Header()
		if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
	for _, word := range []string{"unsafe", "*", "data:", "http"} {
		if strings.Contains(policy, word) {
			t.Errorf("the policy contains %q: %s", word, policy)
		}
	}
}

// TestCrossOrigin expects that forms of other sites change nothing.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	session := s.sessions[accounts.Administrator]
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}} {
		if w := s.ask("POST", "/groups", session, url.Values{"name": {"Planted"}}, headers...); w.Code != http.StatusForbidden {
			t.Errorf("%v: %d, want forbidden", headers, w.Code)
		}
	}
	if groups, err := s.desk.Groups(t.Context(), s.admin); err != nil || len(groups) != 1 {
		t.Errorf("groups %v, %v: want one", groups, err)
	}
	if w := s.ask("POST", "/groups", session, url.Values{"name": {"Made"}}); w.Code != http.StatusSeeOther {
		t.Errorf("a form of the server: %d, want see other", w.Code)
	}
}

// TestLocal expects that no address leads to another server.
func TestLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/checks?q=a&page=2": "/checks?q=a&page=2", "": "/", "checks": "/", "//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/",
		"https://evil.example": "/", "javascript:alert(1)": "/", "/a\r\nSet-Cookie: a": "/", "/\t/evil.example": "/", "http:evil.example": "/", "///evil.example": "/",
	} {
		if got := local(address); got != want {
			t.Errorf("local(%q) = %q, want %q", address, got, want)
		}
	}
	s := newTestSite(t)
	w := s.ask("POST", "/sign-in", "", url.Values{"login": {"administrator"}, "password": {password}, "next": {"//evil.example"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" {
		t.Errorf("after signing in: %d to %q, want /", w.Code, w.Header().Get("Location"))
	}
	c, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	if err != nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Value == "" {
		t.Errorf("cookie %+v, %v: want HttpOnly and SameSite=Lax", c, err)
	}
}

// TestSession expects that signing in replaces a session and signing out ends it.
func TestSession(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	old := s.sessions[accounts.Administrator]
	w := s.ask("POST", "/sign-in", old, url.Values{"login": {"administrator"}, "password": {password}})
	c, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	if err != nil || c.Value == old {
		t.Fatalf("session %v, %v: want a new one", c, err)
	}
	if w := s.ask("GET", "/checks", old, nil); w.Code != http.StatusSeeOther {
		t.Errorf("with the earlier session: %d, want the page for signing in", w.Code)
	}
	if w := s.ask("POST", "/sign-out", c.Value, nil); w.Header().Get("Location") != "/sign-in" {
		t.Errorf("sign out: %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := s.ask("GET", "/checks", c.Value, nil); w.Code != http.StatusSeeOther {
		t.Errorf("after signing out: %d, want the page for signing in", w.Code)
	}
	for range 12 {
		w = s.ask("POST", "/sign-in", "", url.Values{"login": {"administrator"}, "password": {"wrong"}})
	}
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("the 12th wrong password: %d, want too many requests", w.Code)
	}
}

// TestFaults expects that the page of a fault shows nothing of the server.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	if err := s.folder.Close(); err != nil {
		t.Fatal(err)
	}
	w := s.ask("GET", "/checks", s.sessions[accounts.Administrator], nil)
	if w.Code != http.StatusInternalServerError || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(w.Body.String(), "The server has a fault") {
		t.Errorf("%d %s: want a fault", w.Code, w.Body)
	}
	for _, word := range []string{"sql", "database", "/tmp", ".go"} {
		if strings.Contains(strings.ToLower(w.Body.String()), word) {
			t.Errorf("the page of a fault contains %q: %s", word, w.Body)
		}
	}
}

// TestEscapes expects that markup in a label is text on each page that shows it.
func TestEscapes(t *testing.T) {
	t.Parallel()
	const planted = `"><script>alert(1)</script>`
	s := newTestSite(t)
	_, submission, check := s.queued(planted)
	for _, path := range []string{"/check", "/checks", "/checks?q=" + url.QueryEscape(planted), "/checks/" + check, "/submissions/" + submission, "/audit"} {
		page := s.ask("GET", path, s.sessions[accounts.Administrator], nil).Body.String()
		if strings.Contains(page, "<script>alert") || !strings.Contains(page, "script&gt;alert(1)") {
			t.Errorf("%s shows the label as markup, or not at all", path)
		}
	}
	page := s.ask("GET", "/checks.csv", s.sessions[accounts.Administrator], nil).Body.String()
	if !strings.Contains(page, `"""><script>alert(1)</script>"`) {
		t.Errorf("the table has no label:\n%s", page)
	}
	if got := cell("=1+1"); got != "'=1+1" {
		t.Errorf("cell(=1+1) = %q, want a text", got)
	}
}

// TestLanguage expects the language of the browser, or the chosen one.
func TestLanguage(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	for _, tt := range []struct{ accept, cookie, want string }{
		{"", "", "en"}, {"cs-CZ,cs;q=0.9,en;q=0.8", "", "cs"}, {"fr,de-AT;q=0.5,en;q=0.1", "", "de"}, {"sk", "", "sk"}, {"fr", "", "en"}, {"cs", "de", "de"}, {"cs", "xx", "en"}, {"x;;q=", "", "en"},
	} {
		w := s.ask("GET", "/sign-in", "", nil, "Accept-Language", tt.accept, "Cookie", languageCookie+"="+tt.cookie)
		if tt.cookie == "" {
			w = s.ask("GET", "/sign-in", "", nil, "Accept-Language", tt.accept)
		}
		if !strings.Contains(w.Body.String(), `<html lang="`+tt.want+`">`) {
			t.Errorf("%+v: %.60s", tt, w.Body.String())
		}
	}
	w := s.ask("POST", "/language", "", url.Values{"lang": {"cs"}, "back": {"//evil.example"}})
	if w.Header().Get("Location") != "/" || !strings.Contains(w.Header().Get("Set-Cookie"), languageCookie+"=cs") {
		t.Errorf("choosing Czech: %v", w.Header())
	}
}

// TestTokenScopes: the list of tokens names scopes in the language of the page.
func TestTokenScopes(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	if _, _, err := s.desk.NewToken(t.Context(), s.admin, "CI", []accounts.Scope{accounts.ScopeRead}, 1); err != nil {
		t.Fatal(err)
	}
	if page := s.ask("GET", "/tokens?lang=cs", s.sessions[accounts.Administrator], nil).Body.String(); !strings.Contains(page, "<small>čtení kontrol a sbírek</small>") || strings.Contains(page, "<td><code>read</code>") {
		t.Errorf("the list of tokens in Czech:\n%s", page)
	}
}

// TestGroups: lists, the record, the table and the API have the words of a check by quotation marks and citations, and nothing of an
// earlier version.
func TestGroups(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, submission, check := s.queued("2026")
	s.finish(check)
	session := s.sessions[accounts.Administrator]
	s.change(`UPDATE checks SET words = 100, score = 40, verbatim = 40 WHERE id = ?`, check)
	pages := map[string]string{"/checks/" + check + "?lang=cs": "<dt>bez uvozovek i citace</dt><dd>21 slov</dd>", "/checks?lang=cs": ">bez uvozovek i citace: 21</abbr>", "/submissions/" + submission + "?lang=de": ">weder zitiert noch belegt: 21</abbr>",
		"/checks.csv": ",3,4,12,21\n"}
	shared := s.share(check, "Committee")
	for page := range pages {
		if got := s.ask("GET", page, session, nil).Body.String(); strings.Contains(got, "bez uvozovek") || strings.Contains(got, "noch belegt") || page == "/checks.csv" && !strings.Contains(got, ",0,,,,\n") {
			t.Errorf("%s of a check of an earlier version:\n%s", page, got)
		}
	}
	s.change(`UPDATE checks SET quoted_cited = 3, quoted = 4, cited = 12, neither = 21 WHERE id = ?`, check)
	for page, want := range pages {
		if got := s.ask("GET", page, session, nil).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", page, want, got)
		}
	}
	if got := s.ask("GET", shared, "", nil).Body.String(); !strings.Contains(got, "<dt>cited only</dt><dd>12 words</dd>") {
		t.Errorf("the page of the committee:\n%s", got)
	}
}

// TestShares: the list of checks and the record show the grades of a score, in the language of the page.
func TestShares(t *testing.T) {
	for _, tt := range []struct {
		language string
		grades   desk.Grades
		want     string
	}{
		{"en", desk.Grades{}, ""}, // a check of an earlier version
		{"en", desk.Grades{Verbatim: 30, Reworded: 10, Run: 20}, "verbatim 30.0%, reworded 10.0%"},
		{"en", desk.Grades{Reworded: 40, Run: 5}, "reworded words only; longest run 5 words"},
		{"de", desk.Grades{Reworded: 40}, "nur umformulierte Wörter"},
	} {
		c := &desk.Check{State: "done", Words: 100, Score: 40, Grades: tt.grades}
		v := &view{visit: &visit{lang: lang.Of(tt.language)}}
		if got := v.Shares(c.Counted()); got != tt.want {
			t.Errorf("%+v in %s: %q, want %q", tt.grades, tt.language, got, tt.want)
		}
	}
}
