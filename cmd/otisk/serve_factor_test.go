package main

import (
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
)

// secondFactor sets up a second factor, signs in with a code and with a recovery code, and switches
// the factor off.
func (u *user) secondFactor() {
	t := u.t
	u.open("/check")
	u.send("/sign-out", `location.pathname === "/sign-in"`)
	u.p.Eval(`window.left = true; document.querySelector('[lang="en"]').click()`, nil)
	u.until(`typeof left === "undefined" && document.readyState === "complete" && document.documentElement.lang === "en"`)
	u.signIn()
	u.open("/account")
	u.fill("password", "not the password")
	u.p.Eval(`window.left = true; document.querySelector('form[action="/account/factor"] button').click()`, nil)
	u.until(`typeof left === "undefined" && document.readyState === "complete" && document.querySelector("[role=alert]").innerText === "wrong password"`)
	u.p.Errors = nil // the status is an error
	u.fill("password", testPassword)
	u.send("/account/factor", `document.querySelector("svg.qr path") !== null`)
	u.audit()
	keep(t, "serve-account-setup.png", u.p.Screenshot)
	secret := u.p.Text(`document.querySelector('[name="secret"]').value`)
	u.fill("code", accounts.TOTP(secret, time.Now()))
	u.send("/account/factor/confirm", `document.querySelectorAll(".codes li").length === 10`)
	u.audit()
	keep(t, "serve-account-codes.png", u.p.Screenshot)
	recovery := u.p.Text(`document.querySelector(".codes li").innerText`)
	u.open("/users")
	u.open(u.p.Text(`[...document.querySelectorAll(".name a")].find((a) => a.innerText === "jana").getAttribute("href")`))
	if got := u.p.Text(`document.querySelector('form[action$="/factor"]').innerText`); !strings.Contains(got, "Reset second factor") {
		t.Errorf("the page of a user has %q for one with a second factor", got)
	}
	for _, code := range []string{accounts.TOTP(secret, time.Now().Add(30*time.Second)), recovery} {
		u.send("/sign-out", `location.pathname === "/sign-in"`)
		u.open("/sign-in")
		u.fill("login", "jana", "password", testPassword)
		u.p.Eval(`window.left = true; document.querySelector('form[action="/sign-in"] button').click()`, nil)
		u.until(`typeof left === "undefined" && document.readyState === "complete" && document.querySelector('[name="ticket"]') !== null`)
		u.p.Errors = nil // the status is an error
		u.audit()
		u.p.Errors = nil
		u.fill("code", code)
		u.send("/sign-in/code", `location.pathname === "/check"`)
	}
	u.open("/account")
	u.fill("password", testPassword)
	u.p.Eval(`window.left = true; document.querySelector('button[formaction="/account/factor/end"]').click()`, nil)
	u.until(`typeof left === "undefined" && document.readyState === "complete" && document.querySelector(".danger") === null`)
	u.clean()
	u.fill("current", testPassword, "again", testPassword)
	u.p.Eval(`document.querySelector('form[action="/account/password"] [name="password"]').value = `+quoted(testPassword), nil)
	u.send("/account/password", `document.querySelector("[role=status]") !== null`)
}
