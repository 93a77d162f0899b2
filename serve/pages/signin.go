package pages

import (
	"errors"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
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
