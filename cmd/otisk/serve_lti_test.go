package main

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
)

// TestServeLTI goes through launches in a browser, from a platform that is another site: with the cookies
// and frames that browsers allow.
func TestServeLTI(t *testing.T) {
	t.Parallel()
	p := browser.Start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lms := ltitest.StartAt(t, "127.0.0.2:0", address)
	s := startServe(t, t.TempDir(), "--listen", strings.TrimPrefix(address, "http://"), "--base-url", address, "--allow-webhook", "127.0.0.2")
	s.first()
	u := &user{t: t, p: p, s: s}
	r := lms.Registered()
	s.call("POST", "/platforms", desk.NewPlatform{Name: "Moodle", Issuer: r.Issuer, Client: r.Client, AuthURL: r.AuthURL, KeysURL: r.KeysURL, TokenURL: r.TokenURL, Deployments: r.Deployments}, http.StatusCreated, nil)
	collection := s.collection("Theses", map[string]string{"a.txt": submitted})
	var course api.ID
	s.call("POST", "/courses", desk.NewCourse{CourseChange: desk.CourseChange{Name: plantedName, Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}}, http.StatusCreated, &course)
	u.registered()
	link := u.deepLink(lms, course.ID)
	u.launch(lms, link, course.ID)
	u.processor(lms)
	u.inFrame(lms, link) // the last: no picture is taken while another window is in front
}

// submitted is a text that a collection has, too.
const submitted = "The river had frozen early that year, and the ferryman, who had not missed a crossing since his father died, stood on the bank and counted the boats that would not move until spring."

// registered opens the page of learning platforms as the administrator.
func (u *user) registered() {
	u.t.Helper()
	u.p.Size(1200, 900)
	u.open("/sign-in")
	u.fill("login", "admin", "password", testPassword)
	u.send("/sign-in", `location.pathname === "/check"`)
	var all []desk.Platform
	u.s.call("GET", "/platforms", nil, http.StatusOK, &all)
	u.open("/platforms?change=" + all[0].ID)
	u.audit()
	keep(u.t, "serve-platforms.png", u.p.Screenshot)
	u.send("/sign-out", `location.pathname === "/sign-in"`)
}

// visit opens the page of a course of the platform, with a target in a frame or by a link.
func (u *user) visit(lms *ltitest.Platform, target, frame string) {
	u.p.Visit(lms.URL + "/course?" + url.Values{"target": {target}, "frame": {frame}}.Encode())
}

// deepLink chooses a course in a frame of the platform and returns the path of the link.
func (u *user) deepLink(lms *ltitest.Platform, course string) string {
	u.t.Helper()
	// The keys go past the link to the help to the course, which they choose, and to the button.
	item := u.chooses(lms, "Tab", "Tab", "Tab", "Tab", " ", "Tab", "Enter")
	if item.Title != plantedName || item.URL != u.s.address+"/lti/open?course="+course {
		u.t.Fatalf("the platform got %+v", item)
	}
	return strings.TrimPrefix(item.URL, u.s.address)
}

// An item is the choice that a platform gets.
type item struct {
	Type, Title, URL string
	Custom           map[string]any
}

// chooses lets a teacher press keys in a frame with the choice, and returns the item that the platform
// gets.
func (u *user) chooses(lms *ltitest.Platform, keys ...string) item {
	u.t.Helper()
	lms.Role, lms.Returned = "Instructor", make(chan string, 1)
	u.inside(lms, lti.SelectPath, keys, func() bool { return len(lms.Returned) == 1 })
	token := strings.Split(<-lms.Returned, ".")
	var claims struct {
		Items []item `json:"https://purl.imsglobal.org/spec/lti-dl/claim/content_items"`
	}
	data, err := base64.RawURLEncoding.DecodeString(token[1])
	if err == nil {
		err = json.Unmarshal(data, &claims)
	}
	if err != nil || len(claims.Items) != 1 {
		u.t.Fatalf("the platform got %s, %v", data, err)
	}
	return claims.Items[0]
}

// enter opens a link of the platform, which leads to a page of the server.
func (u *user) enter(lms *ltitest.Platform, link, condition string) {
	u.t.Helper()
	u.visit(lms, link, "")
	u.p.Eval(`document.links[0].click()`, nil)
	u.until(condition + ` && document.readyState === "complete"`)
	u.p.Errors, u.p.Requests = nil, nil // those of the platform
}

// processor attaches a new course to an assignment of the platform, submits a text there, and opens the
// report on it from the platform.
func (u *user) processor(lms *ltitest.Platform) {
	u.t.Helper()
	lms.Alter, lms.Role, lms.Assignment = nil, "Instructor", "a1"
	var keys json.RawMessage
	req, err := http.NewRequestWithContext(u.t.Context(), http.MethodGet, u.s.address+lti.KeysPath, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	u.s.send(req, http.StatusOK, &keys)
	lms.TrustKeys(keys)
	u.enter(lms, lti.SelectPath, `location.pathname === "/lti/launch"`)
	u.audit()
	keep(u.t, "serve-processor.png", u.p.Screenshot)
	// The keys go to the name of the new course, whose form is complete.
	made := u.chooses(lms, "Tab", "Tab", "Tab", "Tab", "Enter")
	if made.Type != "ltiAssetProcessor" || made.Title != "Otisk: Writing: Essay 1" {
		u.t.Fatalf("the platform got %+v", made)
	}
	lms.Custom = made.Custom
	if code := lms.Post(lms.Notice(ltitest.Submission{User: "s7", ID: "attempt-1", Files: map[string]string{"essay.txt": submitted}})); code != http.StatusOK {
		u.t.Fatalf("the notice: %d", code)
	}
	var last lti.Report
	u.s.until(func() bool {
		for _, last = range lms.Reports("essay.txt") {
		}
		return last.Progress == "Processed"
	})
	if last.Result != "100.0%" || last.Priority != 0 || last.Visible {
		u.t.Errorf("report %+v", last)
	}
	lms.Message, lms.Asset = "LtiReportReviewRequest", "essay.txt"
	u.enter(lms, lti.LinkPath, `location.pathname.endsWith("/report")`)
	if text := u.p.Text(`document.body.innerText`); !strings.Contains(text, "the ferryman") {
		u.t.Errorf("the report:\n%s", text)
	}
	lms.Assignment, lms.Message, lms.Asset = "", "", ""
}

// launch opens the link as a teacher and as a student, who hands a text in.
func (u *user) launch(lms *ltitest.Platform, link, course string) {
	u.t.Helper()
	enter := func(role, then string) {
		lms.Role = role
		u.enter(lms, link, `location.pathname === "`+then+`"`)
	}
	enter("Instructor", "/courses/"+course)
	u.p.Visit(u.s.address + "/courses")
	u.clean()
	lms.Alter = func(claims map[string]any) { claims["sub"], claims["name"] = "student", plantedName }
	enter("Learner", "/own")
	u.audit()
	u.p.Attach("input[type=file]", archive(u.t, "mine.zip", map[string]string{"mine.txt": "some words"}))
	u.send("/own/courses/"+course, `document.querySelector("main").innerText.includes("mine.zip")`)
	u.audit()
	keep(u.t, "serve-own.png", u.p.Screenshot)
}

// inFrame expects a link to a new window in a frame, since a frame of another site keeps no session.
func (u *user) inFrame(lms *ltitest.Platform, link string) {
	u.t.Helper()
	before := lms.Asked.Load()
	u.inside(lms, link, []string{"Tab", "Tab", "Tab", "Tab", "Enter"}, func() bool { return lms.Asked.Load() > before })
}

// inside presses keys in a frame of a course of the platform until something is done. The page there is
// another site, which scripts of the test do not reach.
func (u *user) inside(lms *ltitest.Platform, target string, keys []string, done func() bool) {
	u.t.Helper()
	for end := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(end) {
			u.t.Fatalf("keys in a frame with %s have no effect", target)
		}
		u.visit(lms, target, "yes")
		for range 10 { // until the frame has loaded
			time.Sleep(50 * time.Millisecond)
			u.p.Press(keys...)
			if done() {
				return
			}
			u.p.Eval(`document.activeElement.blur()`, nil)
		}
	}
}
