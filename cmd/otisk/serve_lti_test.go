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
	s := startServe(t, t.TempDir(), "--listen", strings.TrimPrefix(address, "http://"), "--base-url", address)
	s.first()
	u := &user{t: t, p: p, s: s}
	r := lms.Registered()
	s.call("POST", "/platforms", desk.NewPlatform{Name: "Moodle", Issuer: r.Issuer, Client: r.Client, AuthURL: r.AuthURL, KeysURL: r.KeysURL, Deployments: r.Deployments}, http.StatusCreated, nil)
	collection := s.collection("Theses", map[string]string{"a.txt": "some words"})
	var course api.ID
	s.call("POST", "/courses", desk.NewCourse{CourseChange: desk.CourseChange{Name: plantedName, Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}}, http.StatusCreated, &course)
	u.registered()
	link := u.deepLink(lms, course.ID)
	u.launch(lms, link, course.ID)
	u.inFrame(lms, link)
}

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
	lms.Role, lms.Returned = "Instructor", make(chan string, 1)
	// The keys go to the course, which they choose, and to the button.
	u.inside(lms, lti.SelectPath, []string{"Tab", "Tab", "Tab", " ", "Tab", "Enter"}, func() bool { return len(lms.Returned) == 1 })
	token := strings.Split(<-lms.Returned, ".")
	var claims struct {
		Items []struct{ Title, URL string } `json:"https://purl.imsglobal.org/spec/lti-dl/claim/content_items"`
	}
	data, err := base64.RawURLEncoding.DecodeString(token[1])
	if err == nil {
		err = json.Unmarshal(data, &claims)
	}
	if err != nil || len(claims.Items) != 1 || claims.Items[0].Title != plantedName || claims.Items[0].URL != u.s.address+"/lti/open?course="+course {
		u.t.Fatalf("the platform got %s, %v", data, err)
	}
	return strings.TrimPrefix(claims.Items[0].URL, u.s.address)
}

// launch opens the link as a teacher and as a student, who hands a text in.
func (u *user) launch(lms *ltitest.Platform, link, course string) {
	u.t.Helper()
	enter := func(role, then string) {
		lms.Role = role
		u.visit(lms, link, "")
		u.p.Eval(`document.links[0].click()`, nil)
		u.until(`location.pathname === "` + then + `" && document.readyState === "complete"`)
		u.p.Errors, u.p.Requests = nil, nil // those of the platform
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
	u.inside(lms, link, []string{"Tab", "Tab", "Tab", "Enter"}, func() bool { return lms.Asked.Load() > before })
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
