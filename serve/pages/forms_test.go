package pages

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/hooks"
)

// TestWrongForms sends each form with each of its fields wrong. The form comes back with the message
// beside the field and with all that was typed.
func TestWrongForms(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, _, check := s.queued("2026")
	s.finish(check)
	if _, err := s.desk.NewCollection(t.Context(), s.admin, "Second", false); err != nil {
		t.Fatal(err)
	}
	course, err := s.desk.NewCourse(t.Context(), s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}})
	if err != nil {
		t.Fatal(err)
	}
	preset, err := s.desk.SavePreset(t.Context(), s.admin, "", desk.Preset{Name: "Bachelor"})
	if err != nil {
		t.Fatal(err)
	}
	taken := s.actor(s.user(accounts.Checker, "taken", "")).User
	law, err := s.desk.NewGroup(t.Context(), s.admin, "Law")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ž", 201)
	word := strings.Repeat("ž", 200) // accepted: characters are counted, and not bytes
	admin := s.sessions[accounts.Administrator]
	at := "2999-12-01T12:30"
	for _, tt := range []struct {
		path  string
		form  url.Values
		field string // "" for a message above the form
		want  string
	}{
		{"/check", url.Values{"label": {"Essays, 2026"}, "min_passage": {"7"}}, "collection", "choose a collection"},
		{"/check", url.Values{"collection": {collection}, "label": {long}}, "label", "a label has at most 200 characters"},
		{"/check", url.Values{"collection": {collection}, "min_passage": {"few"}}, "min_passage", "type a number"},
		{"/check", url.Values{"collection": {collection}, "min_source": {"-1"}}, "min_source", "type a number from 0 to 1000000"},
		{"/check", url.Values{"collection": {collection}, "min_source_percent": {"101"}}, "min_source_percent", "type a number from 0 to 100"},
		{"/check", url.Values{"collection": {collection}, "keep": {"-3"}}, "keep", "the number of days is 0 to 36525; 0 keeps it for ever"},
		{"/check", url.Values{"collection": {collection}, "preset": {preset}, "exact": {"1"}}, "preset", "choose a preset or settings, not both"},
		{"/courses", url.Values{"name": {" "}, "ends": {at}, "collection": {collection}}, "name", "a name has 1 to 200 characters"},
		{"/courses", url.Values{"name": {"Essays"}, "ends": {at}, "collection": {collection}}, "name", "the name is in use"},
		{"/courses", url.Values{"name": {word}, "ends": {"tomorrow"}, "collection": {collection}}, "ends", "a course needs a date"},
		{"/courses", url.Values{"name": {"New"}, "ends": {at}}, "collection", "choose a collection"},
		{"/courses", url.Values{"name": {"New"}, "ends": {at}, "rise": {"much"}, "collection": {collection}}, "rise", "type a number"},
		{"/courses", url.Values{"name": {"New"}, "ends": {at}, "rise": {"101"}, "collection": {collection}}, "rise", "type a number from 0 to 100"},
		{"/courses/" + course, url.Values{"name": {"Essays"}, "ends": {""}}, "ends", "a course needs a date"},
		{"/courses/" + course, url.Values{"name": {"Essays"}, "ends": {at}, "label": {long}}, "label", "a label has at most 200 characters"},
		{"/collections", url.Values{"name": {"Theses"}, "sharing": {"shared"}}, "name", "the name is in use"},
		{"/collections", url.Values{"name": {"Closed"}, "sharing": {"private"}}, "contact", "name whom to ask, in at most 200 characters"},
		{"/collections/" + collection + "/sources", url.Values{"kind": {"folder"}, "address": {"/etc"}, "hours": {"24"}}, "address", "this server reads no folders: the administrator allows them by --folder-root"},
		{"/collections/" + collection + "/sources", url.Values{"kind": {"feed"}, "address": {"example.org"}, "hours": {"0"}}, "address", "type an address that begins with http:// or https://"},
		{"/collections/" + collection + "/sources", url.Values{"kind": {"feed"}, "address": {"https://example.org"}, "hours": {"0"}, "part": {long}}, "part", "type at most 200 characters"},
		{"/collections/" + collection + "/keep", url.Values{"days": {"x"}, "sure": {"1"}}, "days", "type a number"},
		{"/collections/" + collection + "/delete", url.Values{"sure": {"1"}}, "", "it is queued or running: cancel it, or wait"},
		{"/checks/" + check + "/links", url.Values{"for": {"Committee"}, "days": {"366"}}, "days", "the number of days is 1 to 365"},
		{"/checks/" + check + "/links", url.Values{"for": {""}, "days": {"7"}}, "for", "a name has 1 to 200 characters"},
		{"/checks/" + check + "/notices", url.Values{"for": {"Jan"}, "days": {"7"}, "text": {" "}, "score": {"1"}}, "text", "type a text of at most 50000 characters"},
		{"/checks/" + check + "/case", url.Values{"kind": {"comment"}, "text": {""}}, "text", "type a text of at most 50000 characters"},
		{"/checks/" + check + "/verdict", url.Values{"verdict": {"minor"}, "comment": {strings.Repeat("ž", 10_001)}}, "comment", "a comment has at most 10000 characters"},
		{"/checks/" + check + "/keep", url.Values{"days": {"36526"}, "sure": {"1"}}, "days", "the number of days is 0 to 36525; 0 keeps it for ever"},
		{"/presets", url.Values{"name": {""}, "label": {"L"}, "exclude": {"quotation", "abstract"}}, "name", "a name has 1 to 200 characters"},
		{"/presets/" + preset, url.Values{"name": {"Bachelor"}, "min_passage": {"many"}}, "min_passage", "type a number"},
		{"/presets/" + preset, url.Values{"name": {"Bachelor"}, "keep": {"many"}}, "keep", "type a number"},
		{"/users", url.Values{"login": {"taken"}, "name": {"Jan"}, "role": {"librarian"}, "group": {s.admin.Group}}, "login", "the name is in use"},
		{"/users", url.Values{"login": {"a b"}, "role": {"reader"}, "group": {s.admin.Group}}, "login", "a login has 1 to 200 characters without spaces"},
		{"/users/" + taken, url.Values{"login": {"administrator"}, "name": {"Jan"}, "mail": {"jan@example.org"}, "role": {"librarian"}, "group": {s.admin.Group}}, "login", "the name is in use"},
		{"/users/" + taken, url.Values{"login": {"taken"}, "name": {"Jan"}, "mail": {"Jan <jan@example.org>"}, "role": {"librarian"}, "group": {s.admin.Group}}, "mail", "type an e-mail address such as jana@example.org"},
		{"/groups", url.Values{"name": {"Otisk"}}, "name", "the name is in use"},
		{"/groups/" + law, url.Values{"name": {"Otisk"}}, "name", "the name is in use"},
		{"/groups/" + s.admin.Group + "/delete", url.Values{"to": {""}, "for": {"Otisk"}, "sure": {"1"}}, "to", "the group has users, checks or collections: choose the group to which they move"},
		{"/tokens", url.Values{"name": {"CI"}, "days": {"30"}}, "scope", "a token needs a scope"},
		{"/tokens", url.Values{"name": {"CI"}, "days": {"many"}, "scope": {"read"}}, "days", "type a number"},
		{"/webhooks", url.Values{"url": {"example.org"}, "event": hooks.Events()[:1]}, "url", ""},
		{"/platforms", url.Values{"name": {"Moodle"}, "issuer": {"http://lms.example.org"}, "client": {"1"}}, "issuer", "the platform needs addresses with https, such as https://lms.example.org"},
		{"/account/password", url.Values{"current": {password}, "password": {"twelve words and more"}, "again": {"other"}}, "again", "the passwords differ"},
		{"/account/factor", url.Values{"password": {"wrong"}}, "password", "wrong password"},
		{"/account/factor/confirm", url.Values{"code": {"1"}, "secret": {"ABCDEFGHIJKLMNOP"}}, "code", ""},
	} {
		var w *httptest.ResponseRecorder
		if tt.path == "/check" {
			w = s.send(tt.path, admin, "a text", tt.form)
		} else {
			w = s.ask("POST", tt.path, admin, tt.form)
		}
		form, message := wrongForm(t, tt.path, tt.form, w)
		if form == nil {
			continue
		}
		if got := textOf(message); tt.want != "" && got != tt.want {
			t.Errorf("%s %v: the message is %q, want %q", tt.path, tt.form, got, tt.want)
		}
		described := ""
		for n := range form.Descendants() {
			if strings.Contains(attribute(n, "aria-describedby"), "wrong") {
				described += attribute(n, "name")
			}
			if n.DataAtom == atom.Details && contains(n, message) && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" }) {
				t.Errorf("%s %v: the message is in a closed part of the page", tt.path, tt.form)
			}
		}
		if described != tt.field {
			t.Errorf("%s %v: the message describes %q, want %q", tt.path, tt.form, described, tt.field)
		}
		for name, values := range tt.form {
			if got := valuesOf(form, name); name != "sure" && !strings.Contains(name, "password") && name != "current" && name != "again" && name != "secret" && !slices.Equal(got, values) {
				t.Errorf("%s %v: the form has %s = %q, want what was typed", tt.path, tt.form, name, got)
			}
		}
	}
}

// wrongForm returns the form to a path in the answer, and the message in it.
func wrongForm(t *testing.T, path string, values url.Values, w *httptest.ResponseRecorder) (form, message *html.Node) {
	t.Helper()
	doc, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if form = formOf(doc, path, values); form == nil || w.Code < 400 || w.Code >= 500 {
		t.Errorf("%s %v: %d without the form: %s", path, values, w.Code, textOf(doc))
		return nil, nil
	}
	for n := range form.Descendants() {
		if attribute(n, "id") == "wrong" {
			message = n
		}
	}
	if message == nil {
		t.Errorf("%s %v: no message in the form", path, values)
		return nil, nil
	}
	return form, message
}

// valuesOf returns the values of a field that a browser would send.
func valuesOf(form *html.Node, name string) (values []string) {
	has := func(n *html.Node, name string) bool {
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	}
	for n := range form.Descendants() {
		if attribute(n, "name") != name {
			continue
		}
		switch n.DataAtom {
		case atom.Textarea:
			values = append(values, textOf(n))
		case atom.Select:
			for o := range n.Descendants() {
				if has(o, "selected") {
					values = append(values, attribute(o, "value"))
				}
			}
		case atom.Input:
			if box := attribute(n, "type") == "checkbox" || attribute(n, "type") == "radio"; !box || has(n, "checked") {
				values = append(values, attribute(n, "value"))
			}
		}
	}
	return values
}

func contains(outer, inner *html.Node) bool {
	for n := range inner.Ancestors() {
		if n == outer {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// send sends a form with a file.
func (s *testSite) send(path, session, content string, values url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "essay.txt")
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content))
	for name, list := range values {
		for _, value := range list {
			if err := form.WriteField(name, value); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	if err := form.Close(); err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://otisk.example"+path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: api.Cookie, Value: session})
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// TestFormsHavePages expects that each form of the pages is a route that shows the form again when it is
// refused, and that each form that asks by the script has the same question without it.
func TestFormsHavePages(t *testing.T) {
	t.Parallel()
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		if method == http.MethodPost && r.page == nil && path != "/sign-out" && path != "/language" && !strings.HasPrefix(path, "/lti/") {
			t.Errorf("%s has no page with its form", r.pattern)
		}
	}
	names, err := files.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`action="([^"]*(?:\{\{[^}]*\}\}[^"]*)*)"[^>]*data-confirm="\{\{\S*Lang\.Text "([^"]+)"\}\}"`)
	part := regexp.MustCompile(`\{+[^}]*\}+`)
	found := map[string]bool{}
	for _, f := range names {
		text, err := files.ReadFile("templates/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asks.FindAllStringSubmatch(string(text), -1) {
			path := part.ReplaceAllString(m[1], "{}")
			found[path] = true
			if !slices.ContainsFunc(routes, func(r route) bool { return "POST "+path == part.ReplaceAllString(r.pattern, "{}") && r.sure == m[2] }) {
				t.Errorf("%s: the form to %s asks %q by the script only", f.Name(), path, m[2])
			}
		}
		if got := strings.Count(string(text), "data-confirm="); got != len(asks.FindAllString(string(text), -1)) {
			t.Errorf("%s has %d forms that ask, of which not all were found", f.Name(), got)
		}
	}
	if asked := len(slices.DeleteFunc(slices.Clone(routes), func(r route) bool { return r.sure == "" })); asked != len(found) {
		t.Errorf("%d forms ask by the script, and %d without it", len(found), asked)
	}
}

// TestSure: without its script, a page asks before it deletes, and the answer carries out the form as it
// was sent.
func TestSure(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	admin := s.sessions[accounts.Administrator]
	id, err := s.desk.NewCollection(t.Context(), s.admin, "Old", false)
	if err != nil {
		t.Fatal(err)
	}
	path := "/collections/" + id + "/delete"
	w := s.ask("POST", path, admin, url.Values{"note": {`"><script>`}}, "Referer", "http://otisk.example/collections/"+id)
	body := w.Body.String()
	if _, err := s.desk.Collection(t.Context(), s.admin, id); err != nil {
		t.Fatalf("the collection was deleted without a question: %v", err)
	}
	for _, want := range []string{`action="` + path + `"`, `name="sure" value="1"`, `href="/collections/` + id + `"`, "script&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("the question lacks %q:\n%s", want, body)
		}
	}
	if body := s.ask("POST", path, admin, nil, "Referer", "https://evil.example/x").Body.String(); strings.Contains(body, "evil") || strings.Contains(body, `href="/x"`) {
		t.Errorf("the question leads to another site:\n%s", body)
	}
	s.ask("POST", path, admin, url.Values{"sure": {"1"}})
	if _, err := s.desk.Collection(t.Context(), s.admin, id); err == nil {
		t.Error("the collection is there after the answer")
	}
}

// TestSignedOutForm: what was typed when the session had ended can be sent after signing in.
func TestSignedOutForm(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	path := "/checks/" + check + "/case"
	typed := url.Values{"kind": {"comment"}, "text": {"A <long> comment"}}
	page := s.ask("POST", path, "", typed)
	if page.Code != http.StatusUnauthorized || !strings.Contains(page.Body.String(), "your session has ended") {
		t.Fatalf("signed out: %d", page.Code)
	}
	again := formValues(t, page.Body.String(), path)
	if again.Encode() != typed.Encode() {
		t.Errorf("the form has %v, want %v", again, typed)
	}
	if w := s.ask("POST", path, s.sessions[accounts.Administrator], again); w.Code != http.StatusSeeOther {
		t.Errorf("sent again: %d", w.Code)
	}
	if w := s.ask("POST", "/account/password", "", url.Values{"current": {"secret"}}); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the page for signing in has a password, or the status %d", w.Code)
	}
	if w := s.ask("POST", path, "", url.Values{"text": {strings.Repeat("x", 65<<10)}}); w.Code != http.StatusUnauthorized || w.Body.Len() > 16<<10 {
		t.Errorf("a large form of a stranger: %d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestDeadLinks: a link that opens nothing says whom to ask, and leads to no page for signing in.
func TestDeadLinks(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/shared/AAAA", "Ask the person who sent it"}, {"GET", "/shared/AAAA/report", "Ask the person who sent it"}, {"POST", "/shared/AAAA/statement", "Ask the person who sent it"},
		{"GET", "/link?secret=AAAA", "Ask an administrator"}, {"POST", "/link?secret=AAAA", "Ask an administrator"},
	} {
		w := s.ask(tt.method, tt.path, "", nil)
		page, _, _ := strings.Cut(w.Body.String(), "<footer")
		_, page, _ = strings.Cut(page, "<main")
		if w.Code != http.StatusNotFound || !strings.Contains(page, tt.want) || strings.Contains(page, `href="/"`) {
			t.Errorf("%s %s: %d %s, want whom to ask", tt.method, tt.path, w.Code, page)
		}
	}
	if page := s.ask("GET", "/sign-in", "", nil).Body.String(); strings.Contains(page, "no users yet") {
		t.Error("a server with a user has none")
	}
	s.change(`DELETE FROM sessions`)
	s.change(`DELETE FROM audit`)
	s.change(`DELETE FROM users`)
	if page := s.ask("GET", "/sign-in", "", nil).Body.String(); !strings.Contains(page, "no users yet") || !strings.Contains(page, "otisk serve") {
		t.Errorf("a server without users does not say where the first link is:\n%s", page)
	}
}
