package main

import (
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/serve/desk"
)

// TestServeKeycloak signs in at the Keycloak that OTISK_OIDC_ISSUER names, in a browser: make test-oidc.
func TestServeKeycloak(t *testing.T) {
	issuer := os.Getenv("OTISK_OIDC_ISSUER")
	if issuer == "" {
		t.Skip("OTISK_OIDC_ISSUER names no Keycloak with the realm of testdata/keycloak (make test-oidc)")
	}
	t.Setenv(oidcSecret, "faculty-secret")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := browser.Start(t)
	s := startServe(t, t.TempDir(), "--listen", address, "--base-url", "http://"+address, "--oidc-issuer", issuer, "--oidc-client", "otisk", "--oidc-name", "Keycloak",
		"--oidc-role", "checker=checker", "--oidc-role", "administrator=administrator", "--oidc-group-claim", "groups")
	s.first()
	u := &user{t: t, p: p, s: s}
	u.p.Size(1200, 900)
	u.open("/checks")
	u.audit()
	keep(t, "serve-sign-in.png", u.p.Screenshot)
	enter := func(login string) {
		u.p.Eval(`window.left = true; document.querySelector('a[href^="/sign-in/provider"]').click()`, nil)
		u.until(`document.querySelector("#kc-form-login, #username") !== null`)
		u.p.Eval(`document.querySelector("#username").value = "`+login+`"; document.querySelector("#password").value = "`+login+`-password"; document.querySelector("#kc-login").click()`, nil)
		u.until(`location.origin === "http://` + address + `" && document.readyState === "complete"`)
		u.p.Errors, u.p.Requests = nil, nil // those of the provider
	}
	enter("jana")
	u.until(`location.pathname === "/checks"`)
	u.open("/account")
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, "jana · checker · Otisk") || strings.Contains(got, "Change password") {
		t.Errorf("the account of a user of the provider: %s", got)
	}
	u.send("/sign-out", `location.pathname === "/sign-in"`)
	u.p.Visit(issuer + "/protocol/openid-connect/logout") // ends the session at the provider
	u.p.Eval(`document.querySelector("#kc-logout").click()`, nil)
	u.until(`document.readyState === "complete" && document.querySelector("#kc-logout") === null`)
	u.open("/sign-in")
	enter("petr") // a student: without a role of this server
	u.until(`document.querySelector("[role=alert]").innerText.includes("has no role")`)
	u.p.Visit(s.address + "/sign-in/callback?code=stolen&state=invented")
	u.until(`document.querySelector("[role=alert]").innerText.includes("not started in this browser")`)
	var users []desk.User
	s.call("GET", "/users", nil, http.StatusOK, &users)
	if len(users) != 2 || users[1].Login != "jana" || !users[1].External || users[1].Name != "Jana Nova" {
		t.Errorf("users %+v, want the administrator and jana of the provider", users)
	}
}
