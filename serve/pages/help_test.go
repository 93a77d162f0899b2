package pages

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// TestHelp: each page leads to its own text of the help, in the language of the reader, and beside it are those of pages that he may open.
// Without an account, only the text that the address names is there.
func TestHelp(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	reader := s.user(accounts.Reader, "reader", "")
	for _, tag := range lang.Tags() {
		p := lang.Of(tag)
		page := s.ask("GET", "/help?at=record&lang="+tag, reader, nil).Body.String()
		for _, want := range []string{"guide.record", "guide.checks", "guide.account"} {
			if !strings.Contains(page, p.Text(want)) {
				t.Errorf("%s: the help of a record lacks %s", tag, want)
			}
		}
		if strings.Contains(page, p.Text("guide.users")) {
			t.Errorf("%s: the help of a reader has the page of users", tag)
		}
		if strings.Index(page, p.Text("guide.record")) > strings.Index(page, p.Text("guide.checks")) {
			t.Errorf("%s: the text of the page comes after others", tag)
		}
		student := s.ask("GET", "/help?at=student&lang="+tag, "", nil)
		if got := student.Body.String(); student.Code != http.StatusOK || !strings.Contains(got, p.Text("guide.student")) || strings.Contains(got, p.Text("guide.record")) {
			t.Errorf("%s: without an account, the help is %d %s", tag, student.Code, got)
		}
	}
	if w := s.ask("GET", "/help?at="+url.QueryEscape(`"><script>`), reader, nil); w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"><script>`) {
		t.Errorf("an unknown page: %d", w.Code)
	}
	files, err := os.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		v := &view{template: strings.TrimSuffix(f.Name(), ".html")}
		if none := []string{"layout", "parts", "help", "sure", "frame", "launch-error"}; (v.Help() == "/help") != slices.Contains(none, v.template) {
			t.Errorf("the page %s leads to %s", v.template, v.Help())
		}
	}
	check := s.ask("GET", "/check", s.sessions[accounts.Administrator], nil).Body.String()
	if !strings.Contains(check, `href="/help?at=check"`) {
		t.Errorf("the first page has no help: %s", check)
	}
}

// TestHelpInDocument expects the texts of the help in docs/SERVE.md, which has no others for these pages.
func TestHelpInDocument(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "SERVE.md"))
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Join(strings.Fields(strings.ReplaceAll(string(data), "*", "")), " ")
	for _, x := range topics {
		if text := lang.Of("en").Text(x.text); !strings.Contains(document, text) {
			t.Errorf("docs/SERVE.md lacks the help for %s: %s", x.ID, text)
		}
	}
}

// TestFlagsExplained: the number of flags is explained where it is shown, if there are any.
func TestFlagsExplained(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	session, about := s.sessions[accounts.Administrator], lang.Of("en").Text("guide.flags")
	if page := s.ask("GET", "/checks/"+check, session, nil).Body.String(); strings.Contains(page, about) {
		t.Error("a record without flags explains them")
	}
	s.change(`UPDATE checks SET flags = 3 WHERE id = ?`, check)
	for _, path := range []string{"/checks", "/checks/" + check, s.share(check, "Board")} {
		if page := s.ask("GET", path, session, nil).Body.String(); !strings.Contains(page, about) {
			t.Errorf("%s does not explain flags", path)
		}
	}
}

// TestFirstSteps: an administrator sees what the server still needs, until nothing is missing. Others do not see it.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	steps := func(session string) (list []string) {
		t.Helper()
		page := s.ask("GET", "/check", session, nil).Body.String()
		_, card, found := strings.Cut(page, `id="first"`)
		if !found {
			return nil
		}
		card, _, _ = strings.Cut(card, "</section>")
		for _, item := range strings.Split(card, "<li>")[1:] {
			list = append(list, map[bool]string{true: "done", false: "open"}[strings.HasPrefix(item, "✓")])
		}
		return list
	}
	admin := s.sessions[accounts.Administrator]
	expect := func(want ...string) {
		t.Helper()
		if got := steps(admin); !slices.Equal(got, want) {
			t.Errorf("the first steps are %v, want %v", got, want)
		}
	}
	expect("open", "open", "open", "open")
	_, _, _ = s.queued("2026")
	expect("done", "open", "done", "open")
	librarian := s.user(accounts.Librarian, "librarian", "")
	expect("done", "open", "done", "done")
	if got := steps(librarian); got != nil {
		t.Errorf("a librarian sees the first steps %v", got)
	}
	s.change(`UPDATE collections SET documents = 1`)
	expect()
}

// TestLastChoice: the form begins with the settings of the user's last upload, which the page shows, and not with those of others.
func TestLastChoice(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	first, submission, _ := s.queued("2026")
	second, err := s.desk.NewCollection(t.Context(), s.admin, "Books", false)
	if err != nil {
		t.Fatal(err)
	}
	admin, checker := s.sessions[accounts.Administrator], s.user(accounts.Checker, "checker", "")
	form := func(session, path string) string {
		t.Helper()
		page := s.ask("GET", path, session, nil).Body.String()
		var got []string
		for name, text := range map[string]string{"first": `value="` + first + `" checked`, "second": `value="` + second + `" checked`, "label": `name="label" list="labels" maxlength="200" value="2026"`, "quotations": `value="quotation" checked`, "among": `name="among" value="1" checked`, "open": "<details open>", "keep": `name="keep" min="0" max="36525" value="30"`, "passage": `name="min_passage" min="0" max="100000" value="12"`} {
			if strings.Contains(page, text) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		return strings.Join(got, " ")
	}
	if got := form(admin, "/check"); got != "first label" {
		t.Errorf("after an upload with default settings, the form has %q", got)
	}
	s.change(`UPDATE submissions SET among = TRUE, keep = 30, preset = '{"exclude":["quotation"],"min_passage":12}' WHERE id = ?`, submission)
	s.change(`INSERT INTO submission_collections (submission_id, collection_id, place) VALUES (?, ?, 1)`, submission, second)
	if got := form(admin, "/check"); got != "among first keep label open passage quotations second" {
		t.Errorf("after an upload with settings, the form has %q", got)
	}
	if got := form(checker, "/check"); got != "" {
		t.Errorf("the form of another user has %q", got)
	}
	if got := form(admin, "/courses"); got != "among" {
		t.Errorf("without a course, its form has %q", got)
	}
	if _, err := s.desk.NewCourse(t.Context(), s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{second}}); err != nil {
		t.Fatal(err)
	}
	if got := form(admin, "/courses"); got != "second" {
		t.Errorf("after a course, its form has %q", got)
	}
	if got := form(admin, "/check"); !strings.HasPrefix(got, "among first") {
		t.Errorf("after a course, the form of an upload has %q", got)
	}
}

// TestNews: the page of a course marks the texts that are new, or whose score changed, since the user opened it before. A refresh by its script
// is no visit.
func TestNews(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	ctx := t.Context()
	collection, _, _ := s.queued("2026")
	course, err := s.desk.NewCourse(ctx, s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}})
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) string {
		t.Helper()
		u, err := s.desk.Receive(ctx, s.admin, accounts.CheckTexts, name, strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		ids, err := s.desk.HandIn(ctx, s.admin, course, "", []*desk.Upload{u})
		if err != nil {
			t.Fatal(err)
		}
		return ids[0]
	}
	admin, other := s.sessions[accounts.Administrator], s.user(accounts.Reader, "reader", "")
	marks := func(session string, headers ...string) string {
		t.Helper()
		time.Sleep(2 * time.Millisecond) // times are in milliseconds
		page := s.ask("GET", "/courses/"+course, session, nil, headers...).Body.String()
		time.Sleep(2 * time.Millisecond)
		var got []string
		for _, row := range strings.Split(page, `<td class="name">`)[1:] {
			name, _, _ := strings.Cut(row, "</td>")
			for _, mark := range []string{"new", "changed"} {
				if strings.Contains(name, ">"+mark+"<") {
					_, title, _ := strings.Cut(name, "<bdi>")
					title, _, _ = strings.Cut(title, "</bdi>")
					got = append(got, title+" "+mark)
				}
			}
		}
		slices.Sort(got)
		return strings.Join(got, ", ")
	}
	a := add("a.txt")
	if got := marks(admin); got != "" {
		t.Errorf("the first visit marks %q", got)
	}
	b := add("b.txt")
	if got := marks(admin); got != "b.txt new" {
		t.Errorf("the second visit marks %q", got)
	}
	for range 2 {
		if got := marks(admin, "Sec-Fetch-Dest", "empty"); got != "b.txt new" {
			t.Errorf("a refresh marks %q", got)
		}
	}
	if got := marks(admin); got != "" {
		t.Errorf("a third visit marks %q", got)
	}
	s.change(`INSERT INTO check_scores (check_id, at, score) VALUES (?, ?, 12)`, a, time.Now().UnixMilli())
	s.change(`INSERT INTO decisions (check_id, user_id, at, score, data) VALUES (?, ?, ?, 3, ?)`, b, s.admin.User, time.Now().UnixMilli(), []byte("{}"))
	if got := marks(admin); got != "a.txt changed" {
		t.Errorf("after a new score, and a decision of one's own, the visit marks %q", got)
	}
	if got := marks(other); got != "" {
		t.Errorf("the first visit of another user marks %q", got)
	}
	s.change(`UPDATE decisions SET at = ?`, time.Now().UnixMilli())
	if got := marks(other); got != "b.txt changed" {
		t.Errorf("after a decision of another, the visit marks %q", got)
	}
}

// TestOwnMail: a user sets and removes his own address with his password. The field of a refused address stays as typed.
func TestOwnMail(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	session := s.user(accounts.Checker, "checker", "")
	mail := func() string {
		t.Helper()
		c, err := s.desk.Account(t.Context(), s.actor(session))
		if err != nil {
			t.Fatal(err)
		}
		return c.Mail
	}
	for _, tt := range []struct {
		mail, password string
		status         int
		want           string
	}{
		{"jana@example.org", "wrong", http.StatusUnprocessableEntity, ""},
		{"Jana <jana@example.org>", password, http.StatusUnprocessableEntity, ""},
		{"jana@example.org\r\nBcc: x@example.org", password, http.StatusUnprocessableEntity, ""},
		{" jana@example.org ", password, http.StatusOK, "jana@example.org"},
		{"nobody", password, http.StatusUnprocessableEntity, "jana@example.org"},
		{"", "", http.StatusUnprocessableEntity, "jana@example.org"},
		{"", password, http.StatusOK, ""},
	} {
		w := s.ask("POST", "/account/mail", session, url.Values{"mail": {tt.mail}, "password": {tt.password}})
		if got := mail(); w.Code != tt.status || got != tt.want {
			t.Errorf("the address %q with %q: %d and %q, want %d and %q", tt.mail, tt.password, w.Code, got, tt.status, tt.want)
		}
	}
	w := s.ask("POST", "/account/mail", session, url.Values{"mail": {"nobody"}, "password": {password}})
	if page := w.Body.String(); !strings.Contains(page, `value="nobody"`) || !strings.Contains(page, "jana@example.org") || strings.Contains(page, password) {
		t.Errorf("a refused address: %s", page)
	}
	if users, err := s.desk.Users(t.Context(), s.admin); err != nil || slices.ContainsFunc(users, func(u desk.User) bool { return u.Mail != "" }) {
		t.Errorf("users %+v, %v: want none with an address", users, err)
	}
	s.change(`UPDATE users SET password = '', external = 'sub' WHERE login = 'checker'`)
	if w := s.ask("POST", "/account/mail", session, url.Values{"mail": {"jana@example.org"}}); w.Code != http.StatusOK || mail() != "jana@example.org" {
		t.Errorf("a user without a password here: %d and %q", w.Code, mail())
	}
}

// TestRemarkPages: a comment on a place is written on the record without a script, listed for the page of the report, and shown to those who may read
// it, as text. A refused one stays as typed, with the reason.
func TestRemarkPages(t *testing.T) {
	t.Parallel()
	const planted = `<img src=x onerror=alert(1)>`
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	record, admin, reader := "/checks/"+check, s.sessions[accounts.Administrator], s.user(accounts.Reader, "reader", "")
	if w := s.ask("POST", record+"/remarks", admin, url.Values{"quote": {"other words"}, "text": {planted}}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "does not have these words") || !strings.Contains(w.Body.String(), "other words</textarea>") {
		t.Errorf("words that the text lacks: %d %s", w.Code, w.Body)
	}
	for _, form := range []url.Values{{"quote": {"WORDS"}, "text": {planted}}, {"quote": {"some"}, "text": {"for the student"}, "student": {"1"}}} {
		if w := s.ask("POST", record+"/remarks", admin, form); w.Code != http.StatusSeeOther {
			t.Fatalf("a comment: %d %s", w.Code, w.Body)
		}
	}
	if got := s.ask("GET", record+"/remarks", reader, nil).Body.String(); !strings.Contains(got, `"from":5,"to":10,"quote":"words"`) || strings.Contains(got, "<img") {
		t.Errorf("the page of the report reads %s", got)
	}
	w := s.ask("POST", record+"/notices", admin, url.Values{"for": {"Jan"}, "days": {"7"}, "text": {"x"}, "report": {"1"}})
	student := linkAddress.FindStringSubmatch(w.Body.String())[1]
	for path, want := range map[string]string{record: "both", record + "/report": "both", s.share(check, "Board"): "both", student: "student", student + "/report": "student"} {
		page := s.ask("GET", path, reader, nil).Body.String()
		if strings.Contains(page, planted) {
			t.Errorf("%s has a comment as markup", path)
		}
		if !strings.Contains(page, "for the student") || strings.Contains(page, "onerror") != (want == "both") {
			t.Errorf("%s does not show the comments for %s", path, want)
		}
	}
	if page := s.ask("GET", record, reader, nil).Body.String(); strings.Contains(page, `action="`+record+"/remarks") {
		t.Error("a reader has a form for comments")
	}
	list, err := s.desk.Remarks(t.Context(), s.admin, check)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	remove := record + "/remarks/" + list[0].ID + "/delete"
	if w := s.ask("POST", remove, reader, url.Values{"sure": {"1"}}); w.Code != http.StatusForbidden {
		t.Errorf("a deletion by a reader: %d", w.Code)
	}
	if w := s.ask("POST", remove, admin, url.Values{"sure": {"1"}}); w.Code != http.StatusSeeOther {
		t.Errorf("a deletion: %d", w.Code)
	}
	if list, err := s.desk.Remarks(t.Context(), s.admin, check); err != nil || len(list) != 1 {
		t.Errorf("comments %v, %v: want one", list, err)
	}
}
