package pages

import (
	"errors"
	"net/http"

	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/oidc"
)

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
