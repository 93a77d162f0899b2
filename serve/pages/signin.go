package pages

import (
	"errors"
	"net/http"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/oidc"
)

// home leads to the first page that the user may open.
func home(v *visit) error {
	switch {
	case v.actor.May(accounts.CheckTexts):
		return v.goTo("/check")
	case !v.actor.May(accounts.ReadChecks):
		return v.goTo("/own")
	}
	return v.goTo("/checks")
}

// A signInForm is the data of the page for signing in.
type signInForm struct {
	Next, Error, Provider string
	First                 bool // there are no users yet
}

func showSignIn(v *visit) error {
	if v.signed && v.refused == nil {
		return v.goTo(local(v.FormValue("next")))
	}
	return v.showSignIn(v.FormValue("next"), "")
}

func (v *visit) showSignIn(next, wrong string) (err error) {
	f := signInForm{Next: local(next), Error: wrong}
	if v.s.Provider != nil {
		f.Provider = v.s.Provider.Name()
	}
	if f.First, err = v.s.Desk.Empty(v.Context()); err != nil {
		return err
	}
	return v.show("sign-in", v.lang.Text("web.sign-in"), f)
}

func signIn(v *visit) error {
	session, err := v.s.Desk.SignIn(v.Context(), v.PostFormValue("login"), v.PostFormValue("password"), v.s.Address(v.Request))
	if err == nil {
		return v.begin(session, v.PostFormValue("next"))
	}
	if needs := new(desk.NeedsCode); errors.As(err, &needs) {
		return v.askCode(needs.Ticket, v.PostFormValue("next"))
	}
	return err
}

// begin starts a session. An earlier one of this browser ends.
func (v *visit) begin(session, next string) error {
	if v.signed {
		if err := v.s.Desk.SignOut(v.Context(), v.session); err != nil {
			return err
		}
	}
	api.SetSession(v.w, session, v.s.Secure)
	return v.goTo(local(next))
}

func signOut(v *visit) error {
	api.SetSession(v.w, "", v.s.Secure)
	if v.signed {
		if err := v.s.Desk.SignOut(v.Context(), v.session); err != nil {
			return err
		}
	}
	return v.goTo("/sign-in")
}

// A linkForm is the data of the page of a one-time link.
type linkForm struct {
	*desk.Link
	Secret string
	Least  int // characters of a password
}

func showLink(v *visit) (err error) {
	f := linkForm{Secret: v.FormValue("secret"), Least: accounts.LeastPassword}
	if f.Link, err = v.s.Desk.Link(v.Context(), f.Secret); err != nil {
		return err
	}
	title := v.lang.Text("web.set-password")
	if f.First {
		title = v.lang.Text("web.first")
	}
	return v.show("link", title, f)
}

func useLink(v *visit) error {
	secret, password := v.PostFormValue("secret"), v.PostFormValue("password")
	link, err := v.s.Desk.Link(v.Context(), secret)
	if err != nil {
		return err
	}
	var session string
	switch {
	case password != v.PostFormValue("again"):
		return errPasswordsDiffer
	case link.First:
		session, err = v.s.Desk.First(v.Context(), secret, desk.Person{Login: v.PostFormValue("login"), Name: v.PostFormValue("name"), Password: password})
	default:
		session, err = v.s.Desk.Accept(v.Context(), secret, password)
	}
	if needs := new(desk.NeedsCode); errors.As(err, &needs) {
		return v.askCode(needs.Ticket, "/")
	}
	if err != nil {
		return err
	}
	return v.begin(session, "/")
}

// errPasswordsDiffer is the error for a new password that was typed differently.
var errPasswordsDiffer = desk.Wrong("again", "web.passwords-differ", "the passwords differ")

// stateCookie is the name of the cookie that binds a sign-in at the provider to the browser.
const stateCookie = "otisk_state"

func (v *visit) setState(state string, age int) {
	http.SetCookie(v.w, &http.Cookie{Name: stateCookie, Value: state, Path: "/sign-in", MaxAge: age, HttpOnly: true, Secure: v.s.Secure, SameSite: http.SameSiteLaxMode})
}

// toProvider sends the browser to the provider.
func toProvider(v *visit) error {
	if v.s.Provider == nil {
		return desk.ErrNotFound
	}
	address, state, err := v.s.Provider.Start(v.Context(), local(v.FormValue("next")))
	if err != nil {
		return v.notSignedIn(err, v.FormValue("next"))
	}
	v.setState(state, 600)
	return v.goTo(address)
}

// fromProvider signs a user in whom the provider sends back.
func fromProvider(v *visit) error {
	if v.s.Provider == nil {
		return desk.ErrNotFound
	}
	var state string
	if c, err := v.Cookie(stateCookie); err == nil {
		state = c.Value
	}
	v.setState("", -1)
	id, next, err := v.s.Provider.Finish(v.Context(), state, v.URL.Query())
	if err != nil && !errors.Is(err, oidc.ErrNoRole) {
		return v.notSignedIn(err, next)
	}
	session, err := v.s.Desk.SignInExternal(v.Context(), id)
	if err != nil {
		return v.notSignedIn(err, next)
	}
	return v.begin(session, next)
}

// refusals are the errors of signing in at a provider with their statuses.
var refusals = []struct {
	err    error
	status int
}{
	{oidc.ErrFlow, http.StatusBadRequest}, {oidc.ErrRefused, http.StatusForbidden}, {oidc.ErrNoRole, http.StatusForbidden}, {oidc.ErrProvider, http.StatusBadGateway},
	{desk.ErrNoGroup, http.StatusForbidden}, {desk.ErrLoginTaken, http.StatusForbidden}, {desk.ErrDisabled, http.StatusForbidden},
}

// notSignedIn shows the page for signing in with the reason, and logs the cause.
func (v *visit) notSignedIn(err error, next string) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			v.s.Log.Warn("sign-in by the provider refused", "cause", err, "address", v.s.Address(v.Request))
			v.status = r.status
			return v.showSignIn(next, v.lang.Err(r.err))
		}
	}
	return err
}
