package pages

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
)

// TestStudentPages: the student reads the notice and what was opened by his link, without a session,
// and writes a statement, which the record shows as text. He sees no comment and no verdict, and a form
// of another site states nothing.
func TestStudentPages(t *testing.T) {
	t.Parallel()
	const planted = `<script>alert(1)</script>`
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	admin := s.sessions[accounts.Administrator]
	record := "/checks/" + check
	post := func(path, session string, form url.Values, status int) string {
		t.Helper()
		w := s.ask("POST", path, session, form)
		if w.Code != status {
			t.Errorf("POST %s: %d %s, want %d", path, w.Code, w.Body, status)
		}
		return w.Body.String()
	}
	page := func(path, session string, status int) string {
		t.Helper()
		w := s.ask("GET", path, session, nil)
		if w.Code != status {
			t.Errorf("GET %s: %d, want %d", path, w.Code, status)
		}
		return w.Body.String()
	}
	post(record+"/verdict", admin, url.Values{"verdict": {"serious"}, "comment": {"internal remark"}}, http.StatusSeeOther)
	post(record+"/case", admin, url.Values{"kind": {"comment"}, "text": {"internal remark"}}, http.StatusSeeOther)
	made := post(record+"/notices", admin, url.Values{"for": {planted}, "days": {"7"}, "text": {"Please explain " + planted}}, http.StatusOK)
	m := linkAddress.FindStringSubmatch(made)
	if m == nil {
		t.Fatalf("no link on the record: %s", made)
	}
	link := m[1]
	seen := s.ask("GET", link, "", nil)
	body := seen.Body.String()
	if !strings.Contains(body, "Please explain") || !strings.Contains(body, "/statement") || strings.Contains(body, planted) || strings.Contains(body, "internal") || strings.Contains(body, "serious") || strings.Contains(body, `class="big"`) || strings.Contains(body, "/report") {
		t.Errorf("the student sees %s, want the notice and no score, report, comment or verdict", body)
	}
	if h := seen.Header(); h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Robots-Tag") != "noindex" || h.Get("Set-Cookie") != "" {
		t.Errorf("headers %v, want no referrer, index or cookie", h)
	}
	page(link+"/report", "", http.StatusNotFound)
	access := regexp.MustCompile(record + `/links/\w+/access`).FindString(page(record, admin, http.StatusOK))
	post(access, admin, url.Values{"score": {"1"}}, http.StatusSeeOther)
	if body := page(link, "", http.StatusOK); !strings.Contains(body, `class="big"`) || strings.Contains(body, "/report") {
		t.Errorf("the student sees %s, want the score and no report", body)
	}
	post(access, admin, url.Values{"report": {"1"}}, http.StatusSeeOther)
	if body := page(link, "", http.StatusOK); !strings.Contains(body, link+"/report") {
		t.Errorf("the student sees %s, want a link to the report", body)
	}
	if body := page(link+"/report", "", http.StatusOK); !strings.Contains(body, `"fixed":true`) {
		t.Error("the student can store decisions")
	}
	if w := s.ask("POST", link+"/statement", "", url.Values{"text": {"forged"}}, "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("a statement from another site: %d, want forbidden", w.Code)
	}
	post(link+"/statement", "", url.Values{"text": {"It is quoted " + planted}}, http.StatusSeeOther)
	post(link+"/statement", "", url.Values{"text": {" "}}, http.StatusUnprocessableEntity)
	post(s.share(check, "Committee")+"/statement", "", url.Values{"text": {"not a student"}}, http.StatusNotFound)
	for _, path := range []string{record, link} {
		if body := page(path, map[bool]string{true: admin}[path == record], http.StatusOK); !strings.Contains(body, "It is quoted") || strings.Contains(body, planted) || strings.Contains(body, "forged") {
			t.Errorf("%s shows %s, want the statement as text", path, body)
		}
	}
	if body := page("/checks?case=statement", admin, http.StatusOK); !strings.Contains(body, "essay.txt") {
		t.Error("the checks with a statement do not list the check")
	}
	post(record+"/case", admin, url.Values{"kind": {"closed"}, "text": {"No further action."}}, http.StatusSeeOther)
	if body := page(link, "", http.StatusOK); !strings.Contains(body, "No further action.") || strings.Contains(body, "<textarea") {
		t.Errorf("the student sees %s, want the end and no form", body)
	}
	post(link+"/statement", "", url.Values{"text": {"late"}}, http.StatusConflict)
	if body := page(record, admin, http.StatusOK); strings.Contains(body, record+"/verdict") || strings.Contains(body, record+"/notices") || !strings.Contains(body, `value="reopened"`) {
		t.Error("the record of a closed case has forms for more than reopening it")
	}
}
