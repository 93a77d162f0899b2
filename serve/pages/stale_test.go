package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// TestStaleForms: a form that was shown before somebody changed its record does not undo that change unless it is sent twice.
func TestStaleForms(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	admin := s.sessions[accounts.Administrator]
	user := s.actor(s.user(accounts.Checker, "novak", "")).User
	collection, err := s.desk.NewCollection(t.Context(), s.admin, "Theses", false)
	if err != nil {
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
	integration, _, err := s.desk.SaveIntegration(t.Context(), s.admin, "", desk.NewIntegration{Name: "OJS", Collections: []string{collection}, Viewers: "instructors"})
	if err != nil {
		t.Fatal(err)
	}
	platform, err := s.desk.SavePlatform(t.Context(), s.admin, "", desk.NewPlatform{Name: "Moodle", Issuer: "https://lms.example.org", Client: "1", AuthURL: "https://lms.example.org/auth", KeysURL: "https://lms.example.org/keys", Deployments: []string{"1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		page, path   string
		field, value string // changed by somebody else
	}{
		{"/users/" + user, "/users/" + user, "disabled", "1"},
		{"/courses/" + course, "/courses/" + course, "label", "2027"},
		{"/presets/" + preset, "/presets/" + preset, "min_passage", "20"},
		{"/integrations?change=" + integration, "/integrations/" + integration, "viewers", "everybody"},
		{"/platforms?change=" + platform, "/platforms/" + platform, "deployments", "2"},
	} {
		stale := s.typed(tt.page, tt.path)
		theirs := s.typed(tt.page, tt.path)
		theirs.Set(tt.field, tt.value)
		if w := s.ask("POST", tt.path, admin, theirs); w.Code != http.StatusSeeOther {
			t.Fatalf("%s: the first change has the status %d", tt.path, w.Code)
		}
		w := s.ask("POST", tt.path, admin, stale)
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "somebody has changed this") || !strings.Contains(w.Body.String(), `action="`+tt.path+`"`) {
			t.Errorf("%s: the stale form has the status %d, want 409 and the form", tt.path, w.Code)
		}
		if now := strings.TrimSpace(s.typed(tt.page, tt.path).Get(tt.field)); now != tt.value {
			t.Errorf("%s: after the stale form, %s is %q, want %q", tt.path, tt.field, now, tt.value)
		}
		stale.Set("seen", formValues(t, w.Body.String(), tt.path).Get("seen"))
		if w := s.ask("POST", tt.path, admin, stale); w.Code != http.StatusSeeOther {
			t.Errorf("%s: the form that is sent again has the status %d", tt.path, w.Code)
		}
	}
}

// TestSeenByStrangers: a form that states what it changes, though its route has no page, or its sender no account, is handled
// like any other.
func TestSeenByStrangers(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	for _, path := range []string{"/sign-out", "/sign-in", "/link", "/users/1", "/checks/1/verdict"} {
		for _, session := range []string{"", s.sessions[accounts.Checker]} {
			with, without := s.ask("POST", path, session, url.Values{"seen": {"x"}}), s.ask("POST", path, session, url.Values{"other": {"x"}})
			if with.Code != without.Code {
				t.Errorf("%s: status %d, want %d", path, with.Code, without.Code)
			}
		}
	}
}

// typed returns the values of the form on a page that sends to path.
func (s *testSite) typed(page, path string) url.Values {
	s.t.Helper()
	return formValues(s.t, s.ask("GET", page, s.sessions[accounts.Administrator], nil).Body.String(), path)
}

// formValues returns what a browser sends of the form on a page that sends to path.
func formValues(t *testing.T, page, path string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	form := formOf(doc, path, nil)
	if form == nil {
		t.Fatalf("no form sends to %s:\n%s", path, page)
	}
	values := url.Values{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		switch {
		case name == "" || n.Data == "button":
		case n.Data == "textarea":
			values.Add(name, textOf(n))
		case n.Data == "select":
			for o := range n.Descendants() {
				if o.Data == "option" && (marked(o, "selected") || !values.Has(name)) {
					values.Set(name, attribute(o, "value"))
				}
			}
		case attribute(n, "type") != "checkbox" || marked(n, "checked"):
			values.Add(name, attribute(n, "value"))
		}
	}
	return values
}

func marked(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
