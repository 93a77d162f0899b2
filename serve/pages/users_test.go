package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
)

// TestUsersPage: a table adds users with their links, a deletion asks and states what stays, and a group that is deleted
// moves to another one, also the group of the reader.
func TestUsersPage(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	admin := s.sessions[accounts.Administrator]
	w := s.send("/users/table", admin, "login,role,group\njana,reader,\npavel,checker,Otisk\n", nil)
	if page := w.Body.String(); w.Code != http.StatusOK || strings.Count(page, "http://otisk.example/link?secret=") != 2 {
		t.Fatalf("a table: %d with %d links, want 2: %s", w.Code, strings.Count(page, "http://otisk.example/link?secret="), page)
	}
	w = s.send("/users/table", admin, "login,role\nzoe,reader\njana,reader\n", nil)
	if page := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(page, "nobody was added: line 3: the login jana is in use") || strings.Contains(page, "zoe") {
		t.Errorf("a wrong table: %d, want its line: %s", w.Code, page)
	}
	_, _, check := s.queued("2026")
	author := s.actor(s.user(accounts.Librarian, "author", ""))
	s.finish(check)
	if err := s.desk.Verdict(t.Context(), author, check, "minor", ""); err != nil {
		t.Fatal(err)
	}
	path := "/users/" + author.User + "/delete"
	if w := s.ask("POST", path, admin, nil); !strings.Contains(w.Body.String(), "Checks, decisions and steps of cases stay with their group") {
		t.Errorf("a deletion without an answer: %d %s, want the question", w.Code, w.Body)
	}
	w = s.ask("POST", path, admin, url.Values{"sure": {"1"}})
	for _, want := range []string{"Deleted: author.", "under the login author (", "0 checks", "2 decisions, verdicts and steps of cases"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("after the deletion: %d without %q: %s", w.Code, want, w.Body)
		}
	}
	if w := s.ask("GET", "/users/"+author.User, admin, nil); w.Code != http.StatusNotFound {
		t.Errorf("the page of a deleted user: %d, want %d", w.Code, http.StatusNotFound)
	}
	if w := s.ask("GET", "/users/"+s.admin.User, admin, nil); strings.Contains(w.Body.String(), "/delete") || strings.Contains(w.Body.String(), `name="disabled"`) {
		t.Error("the page of the own account has a way to delete or disable it")
	}
	law, err := s.desk.NewGroup(t.Context(), s.admin, "Law")
	if err != nil {
		t.Fatal(err)
	}
	w = s.ask("POST", "/groups/"+s.admin.Group+"/delete", admin, url.Values{"sure": {"1"}, "to": {law}, "for": {"Otisk"}})
	for _, want := range []string{"Deleted: Otisk.", "now of the group Law", "3 users", "1 check", "1 collection"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("after the deletion of the group: %d without %q: %s", w.Code, want, w.Body)
		}
	}
	if w := s.ask("GET", "/checks/"+check, admin, nil); w.Code != http.StatusOK {
		t.Errorf("a check of the deleted group: %d, want %d", w.Code, http.StatusOK)
	}
}
