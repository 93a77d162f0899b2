package pages

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// A codeForm is the data of the page that asks for the code of the second factor.
type codeForm struct{ Ticket, Next string }

// askCode shows the page that asks for the code of the second factor.
func (v *visit) askCode(ticket, next string) error {
	v.status = cmp.Or(v.status, http.StatusUnauthorized)
	return v.show("code", v.lang.Text("account.code-title"), codeForm{ticket, local(next)})
}

// showCode shows the form of a wrong code again.
func showCode(v *visit) error {
	return v.askCode(v.PostFormValue("ticket"), v.PostFormValue("next"))
}

func enterCode(v *visit) error {
	next := v.PostFormValue("next")
	session, err := v.s.Desk.SecondFactor(v.Context(), v.PostFormValue("ticket"), v.PostFormValue("code"), v.s.Address(v.Request))
	switch {
	case err == nil:
		return v.begin(session, next)
	case errors.Is(err, desk.ErrTicket):
		v.status = http.StatusUnauthorized
		return v.showSignIn(next, v.lang.Err(desk.ErrTicket))
	}
	return err
}

// An accountPage is the data of the page of the user's account.
type accountPage struct {
	*desk.Account
	Least    int // characters of a password
	Setup    *desk.Setup
	QR       *square
	Recovery []string // codes that were created
	Changed  bool     // the password
	Stored   bool     // the address
}

func showAccount(v *visit) error { return v.showAccount(accountPage{}) }

func (v *visit) showAccount(p accountPage) (err error) {
	if p.Account, err = v.s.Desk.Account(v.Context(), v.actor); err != nil {
		return err
	}
	p.Least = accounts.LeastPassword
	return v.show("account", v.lang.Text("account.title"), p)
}

func changePassword(v *visit) error {
	password := v.PostFormValue("password")
	if password != v.PostFormValue("again") {
		return errPasswordsDiffer
	}
	err := v.s.Desk.ChangePassword(v.Context(), v.actor, desk.PasswordChange{Current: v.PostFormValue("current"), Password: password, Revoke: v.PostFormValue("revoke") != ""}, v.s.Address(v.Request))
	if err != nil {
		return err
	}
	return v.showAccount(accountPage{Changed: true})
}

func newFactor(v *visit) error {
	setup, err := v.s.Desk.NewFactor(v.Context(), v.actor, v.PostFormValue("password"), v.s.Issuer(), v.s.Address(v.Request))
	if err != nil {
		return err
	}
	return v.showSetup(setup)
}

// showSetup shows the second factor that is being set up.
func (v *visit) showSetup(setup *desk.Setup) error {
	code, err := squareOf(setup.Address)
	if err != nil {
		return err
	}
	return v.showAccount(accountPage{Setup: setup, QR: code})
}

// showFactor shows the second factor after a wrong code. The secret of the form is shown, and not used.
func showFactor(v *visit) error {
	secret := v.PostFormValue("secret")
	return v.showSetup(&desk.Setup{Secret: secret, Address: accounts.TOTPAddress(secret, v.s.Issuer(), v.actor.Login)})
}

func confirmFactor(v *visit) error {
	codes, err := v.s.Desk.ConfirmFactor(v.Context(), v.actor, v.PostFormValue("code"))
	if err != nil {
		return err
	}
	return v.showAccount(accountPage{Recovery: codes})
}

func endFactor(v *visit) error {
	return v.after(v.s.Desk.EndFactor(v.Context(), v.actor, v.PostFormValue("password"), v.s.Address(v.Request)), "/account")
}

func endSessions(v *visit) error {
	return v.after(v.s.Desk.EndSessions(v.Context(), v.actor), "/account")
}

// Issuer returns the name of the server in authenticator apps: its host.
func (o *Options) Issuer() string {
	_, host, _ := strings.Cut(o.BaseURL, "://")
	return host
}

// A square is a QR code as a path of SVG, with a margin of four modules: ISO/IEC 18004.
type square struct {
	Size int
	Path string
}

const margin = 4

// squareOf returns the QR code of a text.
func squareOf(text string) (*square, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, err
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				path.WriteString("M" + strconv.Itoa(x+margin) + " " + strconv.Itoa(y+margin) + "h1v1h-1z")
			}
		}
	}
	return &square{size + 2*margin, path.String()}, nil
}

func setMail(v *visit) error {
	err := v.s.Desk.SetMail(v.Context(), v.actor, strings.TrimSpace(v.PostFormValue("mail")), v.PostFormValue("password"), v.s.Address(v.Request))
	if err != nil {
		return err
	}
	return v.showAccount(accountPage{Stored: true})
}
