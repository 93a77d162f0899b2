package pages

import (
	"errors"
	"net/http"

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
type signInForm struct{ Login, Next, Error, Provider string }

func showSignIn(v *visit) error {
	if v.signed {
		return v.goTo(local(v.FormValue("next")))
	}
	return v.show("sign-in", v.lang.Text("web.sign-in"), v.signInForm("", v.FormValue("next"), ""))
}

func (v *visit) signInForm(login, next, wrong string) signInForm {
	f := signInForm{Login: login, Next: local(next), Error: wrong}
	if v.s.Provider != nil {
		f.Provider = v.s.Provider.Name()
	}
	return f
}

func signIn(v *visit) error {
	login := v.PostFormValue("login")
	session, err := v.s.Desk.SignIn(v.Context(), login, v.PostFormValue("password"), v.s.Address(v.Request))
	if err == nil {
		return v.begin(session, v.PostFormValue("next"))
	}
	if needs := new(desk.NeedsCode); errors.As(err, &needs) {
		return v.askCode(needs.Ticket, v.PostFormValue("next"), "")
	}
	status, text := v.explain(err)
	v.status = status
	return v.show("sign-in", v.lang.Text("web.sign-in"), v.signInForm(login, v.PostFormValue("next"), text))
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
	Secret, Name, Error string
	Least               int // bytes of a password
}

func showLink(v *visit) error { return v.showLink(linkForm{Secret: v.FormValue("secret")}) }

func (v *visit) showLink(f linkForm) (err error) {
	given := f.Link
	if f.Link, err = v.s.Desk.Link(v.Context(), f.Secret); err != nil {
		return err
	}
	if given != nil && f.First {
		f.Login = given.Login
	}
	f.Least = accounts.LeastPassword
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
	f := linkForm{Link: link, Secret: secret, Name: v.PostFormValue("name")}
	var session string
	switch {
	case password != v.PostFormValue("again"):
		f.Error = v.lang.Text("web.passwords-differ")
	case link.First:
		f.Login = v.PostFormValue("login")
		session, err = v.s.Desk.First(v.Context(), secret, desk.Person{Login: f.Login, Name: f.Name, Password: password})
	default:
		session, err = v.s.Desk.Accept(v.Context(), secret, password)
	}
	if err == nil && f.Error == "" {
		return v.begin(session, "/")
	}
	if needs := new(desk.NeedsCode); errors.As(err, &needs) {
		return v.askCode(needs.Ticket, "/", "")
	}
	status := http.StatusUnprocessableEntity
	if err != nil {
		status, f.Error = v.explain(err)
	}
	v.status = status
	return v.showLink(f)
}
