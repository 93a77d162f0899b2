package attack

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
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

// TestRightsDuringUpload: whoever loses the right to an upload while it runs, which can take hours, uploads
// nothing. A new name does not matter.
func TestRightsDuringUpload(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	stored := func() (checks, files int) {
		t.Helper()
		_, checks, err := f.desk.Checks(t.Context(), f.admin, desk.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return checks, len(storagetest.Names(t, f.folder, storage.Files))
	}
	name, change := "Renamed", func(c desk.UserChange) func(user string) error {
		return func(user string) error { return f.desk.ChangeUser(t.Context(), f.admin, user, c) }
	}
	for i, tt := range []struct {
		name   string
		change func(user string) error
		code   [2]int // of the API and of the page
	}{
		{"nothing happens", func(string) error { return nil }, [2]int{http.StatusAccepted, http.StatusSeeOther}},
		{"the user gets another name", change(desk.UserChange{Role: accounts.Checker, Name: &name}), [2]int{http.StatusAccepted, http.StatusSeeOther}},
		{"the user becomes a reader", change(desk.UserChange{Role: accounts.Reader}), [2]int{http.StatusUnauthorized, http.StatusUnauthorized}},
		{"the user is disabled", change(desk.UserChange{Role: accounts.Checker, Disabled: true}), [2]int{http.StatusUnauthorized, http.StatusUnauthorized}},
		{"the user is deleted", func(user string) error { _, err := f.desk.DeleteUser(t.Context(), f.admin, user); return err }, [2]int{http.StatusUnauthorized, http.StatusUnauthorized}},
		{"the session ends", func(user string) error {
			execute(t, f.folder, `DELETE FROM sessions WHERE user_id = '`+user+`'`)
			return nil
		}, [2]int{http.StatusUnauthorized, http.StatusUnauthorized}},
		{"the user becomes a reader by a token", change(desk.UserChange{Role: accounts.Reader}), [2]int{http.StatusForbidden}},
	} {
		for way, path := range []string{api.Prefix + "/submissions", "/check"} {
			if tt.code[way] == 0 {
				continue
			}
			session := f.user(fmt.Sprintf("uploader%d-%d", i, way), accounts.Checker, f.groups[ownGroup])
			user := f.actor(session)
			content, out := io.Pipe()
			r := f.request("POST", path, session, content)
			if tt.code[way] == http.StatusForbidden {
				made, secret, err := f.desk.NewToken(t.Context(), user, "script", []accounts.Scope{accounts.ScopeCheck}, 1)
				if err != nil || made == "" {
					t.Fatal(err)
				}
				r.Header.Del("Cookie")
				r.Header.Set("Authorization", "Bearer "+secret)
			}
			form := multipart.NewWriter(out)
			r.Header.Set("Content-Type", form.FormDataContentType())
			go func() {
				_ = form.WriteField("collection", f.collection[ownGroup])
				part, err := form.CreateFormFile("file", "slow.txt")
				if err == nil {
					_, err = part.Write(bytes.Repeat([]byte("a text of some words "), 1000))
				}
				_ = out.CloseWithError(errors.Join(err, tt.change(user.User), form.Close()))
			}()
			before, _ := stored()
			status, answer := f.send(r)
			if status != tt.code[way] {
				t.Errorf("%s during POST %s: %d %.300s, want %d", tt.name, path, status, answer, tt.code[way])
			}
			want := before
			if tt.code[way] < 400 {
				want++
			}
			if checks, files := stored(); checks != want || files > checks+1 { // one is of another group
				t.Errorf("%s during POST %s: %d checks, want %d; %d files are kept", tt.name, path, checks, want, files)
			}
		}
	}
}

// TestLookAlikes: nobody gets a login that looks like that of another user, or a file name that turns its
// extension round. Users sign in by their login in any case and in either form of accents, which gives nobody
// more tries for a password.
func TestLookAlikes(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	f.user("José.Černá", accounts.Reader, f.groups[ownGroup])
	invite := func(login string) int {
		status, _ := f.ask("POST", api.Prefix+"/users", f.users[ownGroup][accounts.Administrator], desk.Invitation{Login: login, Role: accounts.Reader, Group: f.groups[ownGroup]})
		return status
	}
	for login, want := range map[string]int{
		"first\u200b": http.StatusUnprocessableEntity, "fi\u00adrst": http.StatusUnprocessableEntity, "first\u202e": http.StatusUnprocessableEntity, "\ufefffirst": http.StatusUnprocessableEntity,
		"first\u00a0": http.StatusUnprocessableEntity, "first\u3164": http.StatusUnprocessableEntity, "first\ufe0f": http.StatusUnprocessableEntity, "ｆｉｒｓｔ": http.StatusUnprocessableEntity, "\ufb01rst": http.StatusUnprocessableEntity,
		"FIRST": http.StatusConflict, "Jose\u0301.C\u030cerna\u0301": http.StatusConflict, "JOSÉ.ČERNÁ": http.StatusConflict,
		"žaneta@univ.example": http.StatusCreated, "名前": http.StatusCreated,
	} {
		if got := invite(login); got != want {
			t.Errorf("a user with the login %+q: %d, want %d", login, got, want)
		}
	}
	signIn := func(login, password string) int {
		status, _ := f.ask("POST", api.Prefix+"/session", "", api.SignIn{Login: login, Password: password})
		return status
	}
	forms := []string{"José.Černá", "josé.černá", "JOSÉ.ČERNÁ", "jose\u0301.c\u030cerna\u0301"}
	for _, login := range forms {
		if got := signIn(login, password); got != http.StatusNoContent {
			t.Errorf("signing in as %+q: %d, want %d", login, got, http.StatusNoContent)
		}
	}
	for i := range 10 {
		signIn(forms[i%len(forms)], "wrong")
	}
	for _, login := range forms {
		if got := signIn(login, "wrong"); got != http.StatusTooManyRequests {
			t.Errorf("the 11th password for %+q: %d, want %d", login, got, http.StatusTooManyRequests)
		}
	}
	if os.Getenv(storagetest.Variable) == "" { // with PostgreSQL, there were no such users
		twin := f.actor(f.user("twin", accounts.Reader, f.groups[ownGroup])).User
		execute(t, f.folder, `UPDATE users SET login = 'JOSÉ.ČERNÁ', folded = 'josé.černá' WHERE id = '`+twin+`'`)
		if err := f.desk.ChangeUser(t.Context(), f.admin, twin, desk.UserChange{Role: accounts.Reader, Disabled: true}); err != nil {
			t.Errorf("a user of an earlier version, whose login looks like another one, is not disabled: %v", err)
		}
	}
	checker := f.users[ownGroup][accounts.Checker]
	for name, want := range map[string]string{"\u202etxt.exe": "_txt.exe", "a\u2066b\u2069.txt": "a_b_.txt", "a\u2028b\u0085.txt": "a_b_.txt", "می\u200cخواهم.txt": "می\u200cخواهم.txt"} {
		status, answer := f.upload("/submissions", checker, name, "text", "collection", f.collection[ownGroup])
		var made api.ID
		var got api.Submission
		if err := json.Unmarshal([]byte(answer), &made); status != http.StatusAccepted || err != nil {
			t.Fatalf("the file %+q: %d %s", name, status, answer)
		}
		_, answer = f.ask("GET", api.Prefix+"/submissions/"+made.ID, checker, nil)
		if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Checks) != 1 || got.Checks[0].Path != want {
			t.Errorf("the file %+q is called %+q, want %+q", name, got.Checks[0].Path, want)
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
