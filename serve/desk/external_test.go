package desk

import (
	"errors"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/oidc"
)

// TestSignInExternal: a provider creates users, changes their roles and groups, and ends their rights.
// It never signs in as a local user.
func TestSignInExternal(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	admin := administrator(t, d)
	d.opts.SecondFactor = accounts.Reader
	law, err := d.NewGroup(t.Context(), accounts.Actor{User: admin.User, Role: accounts.Administrator, Group: admin.Group}, "Law")
	if err != nil {
		t.Fatal(err)
	}
	signIn := func(id oidc.Identity) (accounts.Actor, string, error) {
		t.Helper()
		id.Issuer = "https://idp.example"
		session, err := d.SignInExternal(t.Context(), &id)
		if err != nil {
			if session != "" {
				t.Errorf("a session beside the error %v", err)
			}
			return accounts.Actor{}, "", err
		}
		a, err := d.Actor(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		return a, session, nil
	}
	jana := oidc.Identity{Subject: "1", Login: "jana", Name: "Jana", Role: accounts.Checker}
	a, first, err := signIn(jana)
	if err != nil || a.Role != accounts.Checker || a.Group != admin.Group || a.NeedsFactor || a.Login != "jana" {
		t.Fatalf("actor %+v, %v, want a checker of the first group who needs no second factor here", a, err)
	}
	_, token, err := d.NewToken(t.Context(), a, "script", []accounts.Scope{accounts.ScopeRead}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := d.TokenActor(t.Context(), token); err != nil || s.NeedsFactor {
		t.Errorf("token of an external user: %+v, %v", s, err)
	}
	for name, id := range map[string]oidc.Identity{"the login of a local user": {Subject: "2", Login: "ADMIN", Role: accounts.Administrator}, "the login of an external user": {Subject: "3", Login: "jana", Role: accounts.Reader}} {
		if _, _, err := signIn(id); !errors.Is(err, ErrLoginTaken) {
			t.Errorf("%s: %v, want ErrLoginTaken", name, err)
		}
	}
	if _, _, err := signIn(oidc.Identity{Subject: "4", Login: "two words", Role: accounts.Reader}); !errors.As(err, new(*Invalid)) {
		t.Errorf("a login with a space: %v", err)
	}
	jana.Role, jana.Groups = accounts.Librarian, []string{"Unknown", "Law"}
	if a, _, err = signIn(jana); err != nil || a.Role != accounts.Librarian || a.Group != law {
		t.Errorf("actor %+v, %v, want a librarian of Law", a, err)
	}
	if _, err := d.Actor(t.Context(), first); !errors.Is(err, ErrNotFound) {
		t.Errorf("the session with the earlier role: %v, want that it ended", err)
	}
	local := accounts.Actor{User: admin.User, Login: admin.Login, Role: accounts.Administrator, Group: admin.Group}
	if _, _, err := d.Reset(t.Context(), local, a.User); !errors.Is(err, ErrExternal) {
		t.Errorf("a link for an external user: %v, want ErrExternal", err)
	}
	jana.Groups = []string{}
	if _, _, err := signIn(jana); !errors.Is(err, ErrNoGroup) {
		t.Errorf("without a group: %v, want ErrNoGroup", err)
	}
	if _, err := d.TokenActor(t.Context(), token); !errors.Is(err, ErrNotFound) {
		t.Errorf("the token of a user without a group: %v, want that it ended", err)
	}
	jana.Groups = nil
	if _, _, err := signIn(jana); err != nil {
		t.Errorf("with rights again: %v", err)
	}
	jana.Role = ""
	if _, _, err := signIn(jana); !errors.Is(err, oidc.ErrNoRole) {
		t.Errorf("without a role: %v, want ErrNoRole", err)
	}
	jana.Role = accounts.Reader
	if err := d.ChangeUser(t.Context(), local, a.User, UserChange{Role: accounts.Reader, Disabled: true}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := signIn(jana); !errors.Is(err, ErrDisabled) {
		t.Errorf("a disabled user: %v, want ErrDisabled", err)
	}
	if err := d.ChangeUser(t.Context(), local, local.User, UserChange{Role: accounts.Reader}); err == nil {
		t.Error("the last local administrator can be changed to a reader")
	}
}
