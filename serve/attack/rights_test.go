package attack

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// TestServerAdministrator: what an administrator of one group does to users of another is in the audit
// log of that group, too, and pages name him as what he is.
func TestServerAdministrator(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	own, other := f.users[ownGroup][accounts.Administrator], f.actor(f.users[otherGroup][accounts.Administrator])
	checker := f.actor(f.users[otherGroup][accounts.Checker])
	if err := f.desk.Verdict(t.Context(), f.actor(f.users[otherGroup][accounts.Checker]), f.check[otherGroup], "", ""); err == nil {
		t.Fatal("a verdict on a text that is not checked")
	}
	for _, tt := range []struct {
		method, path string
		in           any
		action       string
	}{
		{"GET", "/users/" + checker.User + "/export", nil, "export user"},
		{"POST", "/users/" + checker.User + "/reset", nil, "reset password"},
		{"PUT", "/users/" + checker.User, desk.UserChange{Role: accounts.Checker}, "change user"},
		{"DELETE", "/users/" + checker.User + "/factor", nil, "reset second factor"},
	} {
		if status, answer := f.ask(tt.method, api.Prefix+tt.path, own, tt.in); status >= 300 {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, status, answer)
		}
		for group, a := range map[string]accounts.Actor{ownGroup: f.admin, otherGroup: other} {
			log, err := f.desk.Audit(t.Context(), a, 0, 1)
			if err != nil || len(log) != 1 || log[0].Action != tt.action || log[0].Object != checker.User || log[0].Login != "otisk-administrator" {
				t.Errorf("after %s %s, the audit log of %s has %+v, %v, want %q", tt.method, tt.path, group, log, err, tt.action)
			}
		}
	}
	for role, session := range f.users[ownGroup] {
		if role == accounts.Student {
			continue
		}
		_, page := f.ask("GET", "/checks", session, nil)
		if got, want := strings.Contains(page, "server administrator"), role == accounts.Administrator; got != want {
			t.Errorf("the page of a %s names a server administrator: %v, want %v", role, got, want)
		}
	}
}

// TestTokens: tokens expire, end with a change of the password if the user wants that, and can be
// listed and revoked by a server administrator, but by nobody else.
func TestTokens(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	checker, admin := f.users[ownGroup][accounts.Checker], f.users[ownGroup][accounts.Administrator]
	token := func(days int) (made api.CreatedToken) {
		t.Helper()
		status, answer := f.ask("POST", api.Prefix+"/tokens", checker, api.NewToken{Name: "script", Scopes: []accounts.Scope{accounts.ScopeRead}, Days: days})
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
			t.Fatalf("a new token: %d %s", status, answer)
		}
		return made
	}
	works := func(secret string) bool {
		t.Helper()
		r := f.request("GET", api.Prefix+"/checks", "", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		status, _ := f.send(r)
		return status == http.StatusOK
	}
	first, second := token(0), token(365)
	if !works(first.Secret) || !works(second.Secret) {
		t.Fatal("new tokens do not work")
	}
	if status, _ := f.ask("POST", api.Prefix+"/tokens", checker, api.NewToken{Name: "script", Scopes: []accounts.Scope{accounts.ScopeRead}, Days: 366}); status != http.StatusUnprocessableEntity {
		t.Errorf("a token of 366 days: %d, want %d", status, http.StatusUnprocessableEntity)
	}
	var all []desk.Token
	_, answer := f.ask("GET", api.Prefix+"/all-tokens", admin, nil)
	if err := json.Unmarshal([]byte(answer), &all); err != nil || len(all) != 2 || all[0].Login != "otisk-checker" || all[0].Used.IsZero() || all[0].Expires.Sub(all[0].Created).Hours() != 24*desk.TokenDays {
		t.Errorf("the list of all tokens: %s, %v, want two of the checker that were used, the first for 90 days", answer, err)
	}
	for role, session := range f.users[ownGroup] {
		if role == accounts.Administrator {
			continue
		}
		if status, _ := f.ask("GET", api.Prefix+"/all-tokens", session, nil); status != http.StatusForbidden {
			t.Errorf("the list of all tokens for a %s: %d, want %d", role, status, http.StatusForbidden)
		}
		if status, _ := f.ask("DELETE", api.Prefix+"/tokens/"+first.ID, session, nil); role != accounts.Checker && status != http.StatusForbidden && status != http.StatusNotFound {
			t.Errorf("the token of another user is revoked by a %s: %d", role, status)
		}
	}
	if works(first.Secret) { // its user has revoked it
		t.Error("a revoked token works")
	}
	if status, _ := f.ask("DELETE", api.Prefix+"/tokens/"+second.ID, admin, nil); status != http.StatusNoContent || works(second.Secret) {
		t.Errorf("an administrator revokes a token: %d, it works: %v", status, works(second.Secret))
	}
	third := token(1)
	change := desk.PasswordChange{Current: password, Password: "another long password"}
	if status, answer := f.ask("PUT", api.Prefix+"/account/password", checker, change); status != http.StatusNoContent || !works(third.Secret) {
		t.Errorf("a change of the password that keeps tokens: %d %s", status, answer)
	}
	change = desk.PasswordChange{Current: change.Password, Password: password, Revoke: true}
	if status, answer := f.ask("PUT", api.Prefix+"/account/password", checker, change); status != http.StatusNoContent || works(third.Secret) {
		t.Errorf("a change of the password that revokes tokens: %d %s, the token works: %v", status, answer, works(third.Secret))
	}
	fourth := token(1)
	execute(t, f.folder, `UPDATE tokens SET expires = created`)
	if works(fourth.Secret) {
		t.Error("an expired token works")
	}
}

// TestNamesIgnoreCase: a search finds names in any case and in either form of accents.
func TestNamesIgnoreCase(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	librarian := f.users[ownGroup][accounts.Librarian]
	f.submit(f.actor(librarian), f.collection[ownGroup], "Černá práce_50%.txt", "text")
	for query, want := range map[string]int{
		"černá": 1, "ČERNÁ": 1, "c\u030cerna\u0301": 1, "Cerna": 0, "50%": 1, "e_50": 1, "5_%": 0, `\`: 0, "OTISK-LIBRARIAN": 2, "": 2,
	} {
		var found api.Checks
		status, answer := f.ask("GET", api.Prefix+"/checks?"+url.Values{"q": {query}}.Encode(), librarian, nil)
		if err := json.Unmarshal([]byte(answer), &found); err != nil || status != http.StatusOK {
			t.Fatalf("q=%s: %d %s", query, status, answer)
		}
		if found.Total != want {
			t.Errorf("q=%s finds %d checks, want %d", query, found.Total, want)
		}
	}
}

// TestUnknownParameters: a mistyped filter is an error, and does not return everything.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	session := f.users[ownGroup][accounts.Administrator]
	for path, want := range map[string]int{
		"/checks?lable=x": http.StatusBadRequest, "/checks?label=x&limit=1": http.StatusOK, "/me?x": http.StatusBadRequest, "/checks?%zz": http.StatusBadRequest, "/checks?a;b": http.StatusBadRequest, "/audit?before=5": http.StatusOK,
	} {
		if status, answer := f.ask("GET", api.Prefix+path, session, nil); status != want {
			t.Errorf("GET %s: %d %.100s, want %d", path, status, answer, want)
		}
	}
	path := api.Prefix + "/collections/" + f.collection[ownGroup] + "/documents?nmae=a.txt"
	if status, _ := f.ask("DELETE", path, session, nil); status != http.StatusBadRequest {
		t.Errorf("DELETE %s: %d, want %d", path, status, http.StatusBadRequest)
	}
}

// TestFormulas: no cell of the table of checks is a formula, whatever is before its sign.
func TestFormulas(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	session := f.users[ownGroup][accounts.Checker]
	a := f.actor(session)
	labels := []string{"=1+1", " =1+1", "\t=1+1", "＝1+1", "\u00a0@SUM(A1)", "\u200b+1", "－1", "+1", "\ufeff=1"}
	for _, label := range labels {
		execute(t, f.folder, `UPDATE submissions SET label = '`+label+`'`)
		status, answer := f.ask("GET", "/checks.csv", session, nil)
		rows, err := csv.NewReader(strings.NewReader(answer)).ReadAll()
		if err != nil || status != http.StatusOK || len(rows) != 2 {
			t.Fatalf("the table: %d, %v, %q", status, err, answer)
		}
		if got := rows[1][2]; got != "'"+label {
			t.Errorf("the label %q is the cell %q, want %q", label, got, "'"+label)
		}
	}
	execute(t, f.folder, `UPDATE submissions SET label = 'Essays = 2'`)
	if _, answer := f.ask("GET", "/checks.csv", session, nil); !strings.Contains(answer, ",Essays = 2,") || a.Role != accounts.Checker {
		t.Errorf("a label without a formula is changed: %s", answer)
	}
}
