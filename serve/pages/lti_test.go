package pages

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	nethtml "golang.org/x/net/html"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
)

const siteAddress = "http://otisk.example"

// A campus is a site with a learning platform that an administrator has registered, and a course.
type campus struct {
	*testSite
	lms    *ltitest.Platform
	id     string // of the platform
	course string
}

func newCampus(t *testing.T) *campus {
	t.Helper()
	c := &campus{testSite: newTestSite(t), lms: ltitest.Start(t, siteAddress)}
	r := c.lms.Registered()
	form := url.Values{"name": {"Moodle"}, "issuer": {r.Issuer}, "client": {r.Client}, "auth_url": {r.AuthURL}, "keys_url": {r.KeysURL}, "deployments": {"1\r\n2\r\n"}, "frames": {"https://school.example.org"}}
	if w := c.ask("POST", "/platforms", c.sessions[accounts.Administrator], form); w.Code != http.StatusSeeOther {
		t.Fatalf("registering a platform: %d %s", w.Code, w.Body)
	}
	platforms, err := c.desk.Platforms(t.Context(), c.admin)
	if err != nil || len(platforms) != 1 {
		t.Fatal(platforms, err)
	}
	c.id = platforms[0].ID
	collection, _, _ := c.queued("2026")
	c.course, err = c.desk.NewCourse(t.Context(), c.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start initiates a launch, as the platform does, and returns the address of its authentication request
// and the cookie.
func (c *campus) start(target string) (address, cookie string) {
	c.t.Helper()
	w := c.ask("POST", lti.LoginPath, "", c.lms.Initiate(target), "Sec-Fetch-Site", "cross-site", "Origin", c.lms.URL)
	found, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	if err != nil || w.Code != http.StatusSeeOther || !found.Secure || !found.HttpOnly || !found.Partitioned || found.SameSite != http.SameSiteNoneMode {
		c.t.Fatalf("initiation: %d %v, cookie %+v, %v", w.Code, w.Header(), found, err)
	}
	return w.Header().Get("Location"), found.Value
}

// post posts the form of a launch, as the browser does for the platform.
func (c *campus) post(form url.Values, cookie string, headers ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.ask("POST", lti.LaunchPath, "", form, append([]string{"Sec-Fetch-Site", "cross-site", "Origin", c.lms.URL, "Cookie", ltiCookie + "=" + cookie}, headers...)...)
}

// launch performs a complete launch and returns the response and its session.
func (c *campus) launch(role, target string) (w *httptest.ResponseRecorder, session string) {
	c.t.Helper()
	address, cookie := c.start(target)
	w = c.post(c.lms.Authorize(address, role, target), cookie)
	for _, set := range w.Result().Cookies() {
		if set.Name == api.Cookie {
			session = set.Value
		}
	}
	return w, session
}

// subject makes the next launches those of another user.
func (c *campus) subject(id string) {
	c.lms.Alter = func(claims map[string]any) { claims["sub"], claims["name"] = id, "Student "+id }
}

// upload hands a text in on the page of a student.
func (c *campus) upload(session, course, name, text string) *httptest.ResponseRecorder {
	c.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = part.Write([]byte(text))
	_ = form.Close()
	r := httptest.NewRequestWithContext(c.t.Context(), "POST", siteAddress+"/own/courses/"+course, &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.AddCookie(&http.Cookie{Name: api.Cookie, Value: session})
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// TestLaunchPages: a teacher opens a course and a record; a student hands a text in and sees nothing
// else, until a notice opens the report.
func TestLaunchPages(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	link := lti.LinkPath + "?course=" + c.course
	w, teacher := c.launch("Instructor", link)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/courses/"+c.course || teacher == "" {
		t.Fatalf("a teacher: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if page := c.ask("GET", "/courses/"+c.course, teacher, nil); page.Code != http.StatusOK {
		t.Errorf("the course of a teacher: %d", page.Code)
	}
	c.subject("s1")
	w, student := c.launch("Learner", link)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/own" {
		t.Fatalf("a student: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := c.upload(student, c.course, "essay.txt", "some words"); w.Code != http.StatusSeeOther {
		t.Fatalf("handing in: %d %s", w.Code, w.Body)
	}
	c.subject("s2")
	_, other := c.launch("Learner", link)
	page := c.ask("GET", "/own", student, nil).Body.String()
	if !strings.Contains(page, "essay.txt") || !strings.Contains(page, "Essays") || strings.Contains(page, `href="/checks`) {
		t.Errorf("the page of the student:\n%s", page)
	}
	if page := c.ask("GET", "/own", other, nil).Body.String(); strings.Contains(page, "essay.txt") || !strings.Contains(page, "Essays") {
		t.Errorf("the page of another student:\n%s", page)
	}
	for _, path := range []string{"/courses", "/courses/" + c.course, "/checks", "/collections", "/check", "/users", "/platforms", "/tokens"} {
		if w := c.ask("GET", path, student, nil); w.Code != http.StatusForbidden {
			t.Errorf("GET %s by a student: %d, want forbidden", path, w.Code)
		}
	}
	c.reports(student, other, teacher)
}

// reports opens the report on the text of a student to him.
func (c *campus) reports(student, other, teacher string) {
	t := c.t
	_, checks, err := c.desk.Course(t.Context(), c.admin, c.course)
	if err != nil || len(checks) != 1 || !strings.HasPrefix(checks[0].By, "s1@") {
		t.Fatal(checks, err)
	}
	id := checks[0].ID
	c.finish(id)
	for _, path := range []string{"/own/texts/" + id, "/own/texts/" + id + "/report"} {
		if w := c.ask("GET", path, student, nil); w.Code != http.StatusNotFound {
			t.Errorf("GET %s without a notice: %d, want not found", path, w.Code)
		}
	}
	record := c.ask("GET", "/checks/"+id, teacher, nil).Body.String()
	if !strings.Contains(record, `name="own" value="1" checked`) || !strings.Contains(record, `value="Student s1"`) {
		t.Errorf("the record does not offer a notice to the student:\n%s", record)
	}
	notice := url.Values{"for": {"Student s1"}, "days": {"7"}, "text": {"Please comment"}, "own": {"1"}}
	if w := c.ask("POST", "/checks/"+id+"/notices", teacher, notice); w.Code != http.StatusOK {
		t.Fatalf("a notice: %d %s", w.Code, w.Body)
	}
	if page := c.ask("GET", "/own/texts/"+id, student, nil).Body.String(); !strings.Contains(page, "Please comment") || strings.Contains(page, "/report") {
		t.Errorf("the notice without score and report:\n%s", page)
	}
	if w := c.ask("GET", "/own/texts/"+id+"/report", student, nil); w.Code != http.StatusNotFound {
		t.Errorf("a report that is not opened: %d", w.Code)
	}
	notice.Set("report", "1")
	if w := c.ask("POST", "/checks/"+id+"/notices", teacher, notice); w.Code != http.StatusOK {
		t.Fatalf("a second notice: %d %s", w.Code, w.Body)
	}
	if w := c.ask("GET", "/own/texts/"+id+"/report", student, nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "essay.txt") {
		t.Errorf("the report: %d", w.Code)
	}
	if w := c.ask("POST", "/own/texts/"+id+"/statement", student, url.Values{"text": {"I quoted it"}}); w.Code != http.StatusSeeOther {
		t.Errorf("a statement: %d", w.Code)
	}
	for _, path := range []string{"/own/texts/" + id, "/own/texts/" + id + "/report"} {
		if w := c.ask("GET", path, other, nil); w.Code != http.StatusNotFound {
			t.Errorf("GET %s by another student: %d, want not found", path, w.Code)
		}
	}
	if w := c.ask("POST", "/own/texts/"+id+"/statement", other, url.Values{"text": {"x"}}); w.Code != http.StatusNotFound {
		t.Errorf("a statement by another student: %d, want not found", w.Code)
	}
	c.subject("s1")
	if w, _ := c.launch("Learner", lti.LinkPath+"?check="+id); w.Header().Get("Location") != "/own/texts/"+id {
		t.Errorf("a link to a check opens %s for the student", w.Header().Get("Location"))
	}
}

// TestLaunchCourses: a student hands in to the courses that launches have opened to him, and no others.
func TestLaunchCourses(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	_, student := c.launch("Learner", lti.LinkPath)
	if w := c.upload(student, c.course, "a.txt", "words"); w.Code != http.StatusNotFound {
		t.Errorf("handing in to a course that no launch opened: %d, want not found", w.Code)
	}
	group, err := c.desk.NewGroup(t.Context(), c.admin, "Other")
	if err != nil {
		t.Fatal(err)
	}
	a := accounts.Actor{User: c.admin.User, Role: accounts.Administrator, Group: group}
	collection, err := c.desk.NewCollection(t.Context(), a, "Theirs", false)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := c.desk.NewCourse(t.Context(), a, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Theirs", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}})
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"Learner", "Instructor"} {
		if w, session := c.launch(role, lti.LinkPath+"?course="+theirs); w.Code != http.StatusNotFound || session != "" {
			t.Errorf("a launch of a course of another group: %d, want not found", w.Code)
		}
	}
	if err := c.desk.DeletePlatform(t.Context(), a, c.id); err == nil {
		t.Error("another group can delete the platform")
	}
	if w := c.ask("POST", "/platforms/"+c.id+"/delete", c.sessions[accounts.Administrator], url.Values{"sure": {"1"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("deleting the platform: %d", w.Code)
	}
	if w := c.ask("GET", "/own", student, nil); w.Code != http.StatusSeeOther {
		t.Errorf("the session of a user of a deleted platform: %d, want that it ended", w.Code)
	}
	if w := c.ask("POST", lti.LoginPath, "", c.lms.Initiate(lti.LinkPath)); w.Code != http.StatusForbidden {
		t.Errorf("a launch by a deleted platform: %d, want forbidden", w.Code)
	}
}

// TestLaunchRefused: forged and repeated launches start no session.
func TestLaunchRefused(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	link := lti.LinkPath + "?course=" + c.course
	address, cookie := c.start(link)
	form := c.lms.Authorize(address, "Instructor", link)
	if w := c.post(form, ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "new window") {
		t.Errorf("without the cookie: %d %s", w.Code, w.Body)
	}
	if w := c.post(form, cookie); w.Code != http.StatusSeeOther {
		t.Errorf("the launch: %d %s", w.Code, w.Body)
	}
	if w := c.post(form, cookie); w.Code != http.StatusBadRequest || len(w.Result().Cookies()) != 1 {
		t.Errorf("the launch again: %d, cookies %v", w.Code, w.Result().Cookies())
	}
	c.lms.Alter = func(claims map[string]any) { claims["aud"], claims["azp"] = "other", "other" }
	if w, session := c.launch("Instructor", link); w.Code != http.StatusForbidden || session != "" || strings.Contains(w.Body.String(), "oidc") {
		t.Errorf("for another audience: %d %s", w.Code, w.Body)
	}
	c.lms.Alter = nil
	_, cookie = c.start(link)
	address, _ = c.start(link)
	if w := c.post(c.lms.Authorize(address, "Instructor", link), cookie); w.Code != http.StatusBadRequest {
		t.Errorf("with the cookie of another launch: %d", w.Code)
	}
	address, cookie = c.start(link)
	form = c.lms.Authorize(address, "Instructor", link)
	form.Del("id_token")
	form.Set("error", "login_required")
	if w := c.post(form, cookie); w.Code != http.StatusForbidden {
		t.Errorf("refused by the platform: %d", w.Code)
	}
	q := c.lms.Initiate(lti.LinkPath)
	q.Set("target_link_uri", "https://evil.example/lti/open")
	if w := c.ask("GET", lti.LoginPath+"?"+q.Encode(), "", nil); w.Code != http.StatusBadRequest || w.Header().Get("Location") != "" {
		t.Errorf("a target elsewhere: %d to %q", w.Code, w.Header().Get("Location"))
	}
	q = c.lms.Initiate(lti.LinkPath)
	q.Set("iss", "https://evil.example")
	if w := c.ask("GET", lti.LoginPath+"?"+q.Encode(), "", nil); w.Code != http.StatusForbidden || w.Header().Get("Location") != "" {
		t.Errorf("an unknown platform: %d to %q", w.Code, w.Header().Get("Location"))
	}
	if err := c.desk.ChangeUser(t.Context(), c.admin, c.userID("user-7@127.0.0.1"), desk.UserChange{Role: accounts.Checker, Disabled: true}); err != nil {
		t.Fatal(err)
	}
	if w, session := c.launch("Instructor", link); w.Code != http.StatusForbidden || session != "" {
		t.Errorf("a disabled user: %d", w.Code)
	}
}

// userID returns the id of the user with a login.
func (c *campus) userID(login string) string {
	c.t.Helper()
	users, err := c.desk.Users(c.t.Context(), c.admin)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, u := range users {
		if u.Login == login {
			if !u.External || u.Platform != "Moodle" {
				c.t.Errorf("user %+v, want one of Moodle", u)
			}
			return u.ID
		}
	}
	c.t.Fatalf("no user %q among %+v", login, users)
	return ""
}

// TestLaunchFrames: in a frame, a launch offers a new window, and only pages of the platform may show it.
func TestLaunchFrames(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	in := []string{"Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "cross-site", "Origin", c.lms.URL}
	w := c.ask("POST", lti.LoginPath, "", c.lms.Initiate(lti.LinkPath), in...)
	want := "frame-ancestors " + c.lms.URL + " https://school.example.org"
	if policy := w.Header().Get("Content-Security-Policy"); w.Code != http.StatusOK || !strings.Contains(policy, want) || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a launch in a frame: %d, policy %s", w.Code, policy)
	}
	again := regexp.MustCompile(`href="(/lti/login[^"]*)" target="_blank" rel="noopener"`).FindStringSubmatch(w.Body.String())
	if again == nil {
		t.Fatalf("no link to a new window: %s", w.Body)
	}
	if w := c.ask("GET", html.UnescapeString(again[1]), "", nil); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), c.lms.URL+"/auth?") {
		t.Errorf("the new window: %d %v", w.Code, w.Header())
	}
	for _, path := range []string{"/courses", "/sign-in", "/own"} {
		if policy := c.ask("GET", path, c.sessions[accounts.Administrator], nil).Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s may be in a frame: %s", path, policy)
		}
	}
	if w := c.ask("POST", "/platforms", c.sessions[accounts.Administrator], url.Values{"name": {"x"}}, "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("a form of another site: %d, want forbidden", w.Code)
	}
}

// TestDeepLinking: a teacher chooses a course in a frame, and the platform gets a signed link to it.
func TestDeepLinking(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	in := []string{"Sec-Fetch-Dest", "iframe"}
	address, cookie := c.start(lti.SelectPath)
	w := c.post(c.lms.Authorize(address, "Instructor", lti.SelectPath), cookie, in...)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `value="course `+c.course+`"`) || len(w.Result().Cookies()) != 1 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors "+c.lms.URL) {
		t.Fatalf("the choice: %d %v %s", w.Code, w.Header(), w.Body)
	}
	sealed := html.UnescapeString(regexp.MustCompile(`name="sealed" value="([^"]*)"`).FindStringSubmatch(w.Body.String())[1])
	w = c.ask("POST", lti.SelectPath, "", url.Values{"sealed": {sealed}, "link": {"course " + c.course}})
	if policy := w.Header().Get("Content-Security-Policy"); w.Code != http.StatusOK || !strings.Contains(policy, "form-action 'self' "+c.lms.URL+";") || !strings.Contains(w.Body.String(), `action="`+c.lms.URL+`/return?course=3"`) {
		t.Fatalf("the response: %d, policy %s\n%s", w.Code, policy, w.Body)
	}
	token := regexp.MustCompile(`name="JWT" value="([^"]*)"`).FindStringSubmatch(w.Body.String())
	if token == nil || strings.Count(token[1], ".") != 2 {
		t.Fatalf("no token: %s", w.Body)
	}
	var keys struct{ Keys []map[string]string }
	if err := json.Unmarshal(c.ask("GET", lti.KeysPath, "", nil).Body.Bytes(), &keys); err != nil || len(keys.Keys) != 1 || keys.Keys[0]["d"] != "" || keys.Keys[0]["kty"] != "RSA" {
		t.Errorf("keys %v, %v, want one public key", keys, err)
	}
	if w := c.ask("POST", lti.SelectPath, "", url.Values{"sealed": {sealed}}); w.Code != http.StatusOK {
		t.Errorf("choosing nothing: %d", w.Code)
	}
	for name, form := range map[string]url.Values{
		"an unknown course": {"sealed": {sealed}, "link": {"course x"}}, "an unknown kind": {"sealed": {sealed}, "link": {"users " + c.course}}, "no seal": {"link": {"course " + c.course}}, "a changed seal": {"sealed": {"A" + sealed}, "link": {"course " + c.course}},
	} {
		if w := c.ask("POST", lti.SelectPath, "", form); w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), "JWT") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w, _ := c.launch("Learner", lti.SelectPath); w.Code != http.StatusForbidden {
		t.Errorf("a student chooses a link: %d, want forbidden", w.Code)
	}
}

// TestPlatforms: invalid fields of a platform are refused, and so is a second platform with the same client.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	admin := c.sessions[accounts.Administrator]
	valid := func() url.Values {
		return url.Values{"name": {"Canvas"}, "issuer": {"https://canvas.instructure.com"}, "client": {"10000000000001"}, "auth_url": {"https://sso.canvaslms.com/api/lti/authorize_redirect"}, "keys_url": {"https://sso.canvaslms.com/api/lti/security/jwks"}}
	}
	if w := c.ask("POST", "/platforms", admin, valid()); w.Code != http.StatusSeeOther {
		t.Fatalf("a platform without deployments: %d", w.Code)
	}
	if w := c.ask("POST", "/platforms", admin, valid()); w.Code != http.StatusConflict {
		t.Errorf("the same platform again: %d, want conflict", w.Code)
	}
	for field, value := range map[string]string{"issuer": "http://lms.example.org", "auth_url": "javascript:alert(1)", "keys_url": "https://", "frames": "https://a.example;script-src", "client": " ", "name": ""} {
		form := valid()
		form.Set("client", "2")
		form.Set(field, value)
		if w := c.ask("POST", "/platforms", admin, form); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s %q: %d, want unprocessable", field, value, w.Code)
		}
	}
	form := valid()
	form.Set("deployments", "7")
	if w := c.ask("POST", "/platforms/"+c.id, admin, form); w.Code != http.StatusConflict {
		t.Errorf("a change to the client of another: %d, want conflict", w.Code)
	}
	if page := c.ask("GET", "/platforms?change="+c.id, admin, nil).Body.String(); !strings.Contains(page, `value="Moodle"`) || !strings.Contains(page, siteAddress+"/lti/launch") || strings.Contains(page, "BEGIN") {
		t.Errorf("the page of platforms:\n%s", page)
	}
}

// assignment makes the launches of the platform those of an assignment, whose services are those of the
// platform.
func (c *campus) assignment() {
	c.t.Helper()
	r := c.lms.Registered()
	form := url.Values{"name": {"Canvas"}, "issuer": {r.Issuer}, "client": {r.Client}, "auth_url": {r.AuthURL}, "keys_url": {r.KeysURL}, "token_url": {r.TokenURL}, "deployments": {"1"}}
	if w := c.ask("POST", "/platforms/"+c.id, c.sessions[accounts.Administrator], form); w.Code != http.StatusSeeOther {
		c.t.Fatalf("changing the platform: %d %s", w.Code, w.Body)
	}
	c.lms.TrustKeys(c.ask("GET", lti.KeysPath, "", nil).Body.Bytes())
	c.lms.Assignment = "a1"
}

// attach goes through deep linking from an assignment with the fields of a form, and returns the answer.
func (c *campus) attach(fields url.Values) *httptest.ResponseRecorder {
	c.t.Helper()
	fields.Set("sealed", c.offered())
	return c.ask("POST", lti.SelectPath, "", fields)
}

// offered starts deep linking from an assignment, and returns the sealed text of the form.
func (c *campus) offered() string {
	c.t.Helper()
	address, cookie := c.start(lti.SelectPath)
	w := c.post(c.lms.Authorize(address, "Instructor", lti.SelectPath), cookie, "Sec-Fetch-Dest", "iframe")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `value="Writing: Essay 1`) || !strings.Contains(w.Body.String(), `value="course `+c.course+`"`) {
		c.t.Fatalf("the choice: %d %s", w.Code, w.Body)
	}
	return html.UnescapeString(regexp.MustCompile(`name="sealed" value="([^"]*)"`).FindStringSubmatch(w.Body.String())[1])
}

// refused sends a form, and expects it back with a message at a field, in a frame of the platform.
func (c *campus) refused(fields url.Values, field, want string) {
	c.t.Helper()
	w := c.attach(fields)
	policy := w.Header().Get("Content-Security-Policy")
	form, message := wrongForm(c.t, lti.SelectPath, fields, w)
	if form == nil {
		return
	}
	if got := textOf(message); got != want || !strings.Contains(policy, "frame-ancestors "+c.lms.URL) || !slices.Equal(valuesOf(form, "name"), fields["name"]) {
		c.t.Errorf("%v: the message is %q, and the policy %q", fields, got, policy)
	}
	if !slices.ContainsFunc(slices.Collect(form.Descendants()), func(n *nethtml.Node) bool {
		return attribute(n, "name") == field && strings.Contains(attribute(n, "aria-describedby"), "wrong")
	}) {
		c.t.Errorf("%v: the message does not describe %q", fields, field)
	}
}

// attached returns the custom parameters of the asset processor in an answer.
func (c *campus) attached(w *httptest.ResponseRecorder) map[string]any {
	c.t.Helper()
	token := regexp.MustCompile(`name="JWT" value="([^"]*)"`).FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusOK || token == nil {
		c.t.Fatalf("the response: %d %s", w.Code, w.Body)
	}
	var claims struct {
		Items []struct {
			Type   string
			Custom map[string]any
		} `json:"https://purl.imsglobal.org/spec/lti-dl/claim/content_items"`
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.Split(token[1], ".")[1])
	if err == nil {
		err = json.Unmarshal(data, &claims)
	}
	if err != nil || len(claims.Items) != 1 || claims.Items[0].Type != "ltiAssetProcessor" {
		c.t.Fatalf("the platform gets %s, %v", data, err)
	}
	return claims.Items[0].Custom
}

// notify posts a body to the handler of notices of a platform.
func (c *campus) notify(platform string, body []byte) int {
	c.t.Helper()
	r := httptest.NewRequestWithContext(c.t.Context(), "POST", siteAddress+lti.NoticePath+platform, bytes.NewReader(body))
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w.Code
}

// TestProcessor: a teacher attaches a course to an assignment, a student submits a text there, and both
// open the report from the platform, the student after a notice.
func TestProcessor(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	c.assignment()
	collections, err := c.desk.Collections(t.Context(), c.admin)
	if err != nil {
		t.Fatal(err)
	}
	c.lms.FailNext("notices", 0)
	custom := c.attached(c.attach(url.Values{"link": {"new"}, "name": {"Writing: Essay 1"}, "collection": {collections[0].ID}, "among": {"1"}}))
	course, _, err := c.desk.Course(t.Context(), c.admin, custom["otisk_course"].(string))
	if err != nil || course.Name != "Writing: Essay 1" || !course.Among || custom["otisk_language"] != "en" || c.lms.Handler() != siteAddress+lti.NoticePath+c.id {
		t.Fatalf("course %+v, %v; custom %v; handler %q", course, err, custom, c.lms.Handler())
	}
	if again := c.attached(c.attach(url.Values{"link": {"course " + c.course}})); again["otisk_course"] != c.course {
		t.Errorf("an existing course: %v", again)
	}
	c.lms.Custom = custom
	s := ltitest.Submission{User: "s1", ID: "attempt-1", Files: map[string]string{"essay.txt": "some words"}}
	notice := ltitest.Notices(t, c.lms.Notice(s))
	for range 2 { // a repeated notice is accepted, and ignored
		if code := c.notify(c.id, notice); code != http.StatusOK {
			t.Fatalf("a notice: %d", code)
		}
	}
	check := c.arrived(course.ID)
	c.finish(check)
	c.lms.Message = "LtiAssetProcessorSettingsRequest"
	if w, _ := c.launch("Instructor", lti.LinkPath); w.Header().Get("Location") != "/courses/"+course.ID {
		t.Errorf("the settings open %q", w.Header().Get("Location"))
	}
	c.lms.Message, c.lms.Asset = "LtiReportReviewRequest", "essay.txt"
	w, teacher := c.launch("Instructor", lti.LinkPath)
	if w.Header().Get("Location") != "/checks/"+check+"/report" || c.ask("GET", "/checks/"+check+"/report", teacher, nil).Code != http.StatusOK {
		t.Errorf("a teacher opens %q", w.Header().Get("Location"))
	}
	c.subject("s1")
	w, student := c.launch("Learner", lti.LinkPath)
	if w.Header().Get("Location") != "/own/texts/"+check || c.ask("GET", "/own/texts/"+check, student, nil).Code != http.StatusNotFound {
		t.Errorf("the student opens %q before a notice", w.Header().Get("Location"))
	}
	if w := c.ask("POST", "/checks/"+check+"/notices", teacher, url.Values{"for": {"Student"}, "days": {"7"}, "text": {"Please comment"}, "own": {"1"}, "report": {"1"}}); w.Code != http.StatusOK {
		t.Fatalf("a notice to the student: %d", w.Code)
	}
	if w := c.ask("GET", "/own/texts/"+check+"/report", student, nil); w.Code != http.StatusOK {
		t.Errorf("the report for the student: %d", w.Code)
	}
	c.subject("s2")
	if _, other := c.launch("Learner", lti.LinkPath); c.ask("GET", "/own/texts/"+check+"/report", other, nil).Code != http.StatusNotFound {
		t.Error("another student opens the report")
	}
	c.lms.Asset = "unknown"
	if w, session := c.launch("Instructor", lti.LinkPath); w.Code != http.StatusNotFound || session != "" {
		t.Errorf("the report on an unknown asset: %d", w.Code)
	}
}

// TestProcessorTwice: a form that is sent again, at the same time or after another launch, attaches the
// course of the first one to the assignment, and no other assignment gets it.
func TestProcessorTwice(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	c.assignment()
	collections, err := c.desk.Collections(t.Context(), c.admin)
	if err != nil {
		t.Fatal(err)
	}
	fields := func(name string) url.Values {
		return url.Values{"link": {"new"}, "name": {name}, "collection": {collections[0].ID}, "among": {"1"}}
	}
	for _, assignment := range []string{"a1", ""} {
		c.lms.Alter = func(claims map[string]any) {
			claims[ltitest.Claim+"activity"] = map[string]any{"id": assignment, "title": "Essay 1"}
		}
		form := fields("Writing: Essay 1 of " + assignment)
		form.Set("sealed", c.offered())
		answers := make([]*httptest.ResponseRecorder, 4)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() { answers[i] = c.ask("POST", lti.SelectPath, "", form) })
		}
		group.Wait()
		first := c.attached(answers[0])["otisk_course"]
		for _, w := range answers[1:] {
			if again := c.attached(w)["otisk_course"]; again != first {
				t.Errorf("assignment %q: the form sent twice attaches %v and %v", assignment, first, again)
			}
		}
	}
	c.lms.Alter = nil
	first := c.attached(c.attach(fields("Writing: Essay 1")))["otisk_course"]
	for name, assignment := range map[string]string{"Writing: Essay 1": "a1", "Writing: Essay 1 (2)": "a2"} {
		c.lms.Assignment = assignment
		address, cookie := c.start(lti.SelectPath)
		w := c.post(c.lms.Authorize(address, "Instructor", lti.SelectPath), cookie, "Sec-Fetch-Dest", "iframe")
		if !strings.Contains(w.Body.String(), `required value="`+name+`"`) {
			t.Errorf("assignment %s is not offered the name %q: %s", assignment, name, w.Body)
		}
	}
	c.lms.Assignment = "a1"
	if again := c.attached(c.attach(fields("Writing: Essay 1")))["otisk_course"]; again != first {
		t.Errorf("another launch attaches %v, want %v", again, first)
	}
	other := fields("Writing: Essay 1")
	other.Del("among")
	c.refused(other, "name", "the name is in use")
	c.lms.Assignment = "a2"
	c.refused(fields("Writing: Essay 1"), "name", "the name is in use")
	nowhere := fields("Writing: Essay 3")
	nowhere.Del("collection")
	c.refused(nowhere, "collection", "choose a collection")
	c.refused(fields(" "), "name", "a name has 1 to 200 characters")
	if err := c.desk.ChangeCourse(t.Context(), c.admin, first.(string), desk.CourseChange{Name: "Renamed", Ends: time.Now()}); err != nil {
		t.Fatal(err)
	}
	c.lms.Assignment = "a1"
	if again := c.attached(c.attach(fields("Writing: Essay 1")))["otisk_course"]; again == first {
		t.Error("a course that has another name now is attached")
	}
}

// arrived waits until a course has a text, and returns the id of its check. The queue runs without
// workers: of several servers on one database, the one that leads fetches.
func (c *campus) arrived(course string) string {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), time.Minute)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	group.Go(func() { _ = c.queue.Run(ctx, 0) })
	group.Go(func() { _ = c.desk.ServeAssets(ctx) })
	for ctx.Err() == nil {
		_, checks, err := c.desk.Course(ctx, c.admin, course)
		if err == nil && len(checks) == 1 {
			return checks[0].ID
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Fatal("no text has arrived")
	return ""
}

// TestNoticesRefused: notices that are not those of the platform are refused, and the others of the same
// request are taken.
func TestNoticesRefused(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	c.assignment()
	c.lms.Custom = map[string]any{"otisk_course": c.course}
	valid := c.lms.Notice(ltitest.Submission{User: "s1", ID: "1", Files: map[string]string{"a.txt": "one"}})
	c.lms.Alter = func(claims map[string]any) { claims[ltitest.Claim+"deployment_id"] = "9" }
	foreign := c.lms.Notice(ltitest.Submission{User: "s1", ID: "2", Files: map[string]string{"b.txt": "two"}})
	c.lms.Alter, c.lms.Custom = nil, map[string]any{"otisk_course": "x"}
	lost := c.lms.Notice(ltitest.Submission{User: "s1", ID: "3", Files: map[string]string{"c.txt": "three"}})
	for name, tt := range map[string]struct {
		platform string
		body     []byte
		want     int
	}{
		"an unknown platform": {"x", ltitest.Notices(t, valid), http.StatusForbidden}, "another deployment": {c.id, ltitest.Notices(t, foreign), http.StatusForbidden}, "no course": {c.id, ltitest.Notices(t, lost), http.StatusNotFound},
		"no notices": {c.id, ltitest.Notices(t), http.StatusBadRequest}, "no JSON": {c.id, []byte("x"), http.StatusBadRequest}, "one of two": {c.id, ltitest.Notices(t, foreign, valid), http.StatusForbidden},
		"too long": {c.id, ltitest.Notices(t, strings.Repeat("x", 2<<20)), http.StatusRequestEntityTooLarge},
	} {
		if got := c.notify(tt.platform, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	var names string
	if err := c.folder.Read.QueryRowContext(t.Context(), `SELECT string_agg(name, ' ') FROM assets`).Scan(&names); err != nil || names != "a.txt" {
		t.Errorf("stored %q, %v, want the valid one", names, err)
	}
}

// TestProcessorRefused: a teacher learns that a platform is not set up for submissions, or does not
// accept them, and the platform gets no asset processor.
func TestProcessorRefused(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	c.lms.Assignment = "a1"
	if w, _ := c.launch("Instructor", lti.SelectPath); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "access token URL") {
		t.Errorf("without an access token URL: %d %s", w.Code, w.Body)
	}
	c.assignment()
	c.lms.Alter = nil
	w := c.attach(url.Values{"link": {"new"}, "name": {"Essays"}})
	if w.Code == http.StatusOK || strings.Contains(w.Body.String(), "JWT") {
		t.Errorf("without a collection: %d", w.Code)
	}
	if w := c.attach(url.Values{"link": {"course x"}}); w.Code != http.StatusNotFound {
		t.Errorf("an unknown course: %d", w.Code)
	}
	if w := c.attach(url.Values{"link": {"check x"}}); w.Code != http.StatusNotFound {
		t.Errorf("a check: %d", w.Code)
	}
	c.lms.CloseServices()
	if w := c.attach(url.Values{"link": {"course " + c.course}}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "did not accept") {
		t.Errorf("a platform that refuses the handler: %d %s", w.Code, w.Body)
	}
}
