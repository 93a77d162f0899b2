package desk

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
)

const factorPassword = "correct horse battery"

// withFactor stops the clock of d, since codes depend on it, and switches on the second factor of an administrator.
func withFactor(t *testing.T, d *Desk, a accounts.Actor) (secret string, codes []string) {
	t.Helper()
	stopped := time.Now()
	d.opts.Now = func() time.Time { return stopped }
	setup, err := d.NewFactor(t.Context(), a, factorPassword, "otisk.example", "")
	if err != nil {
		t.Fatal(err)
	}
	codes, err = d.ConfirmFactor(t.Context(), a, accounts.TOTP(setup.Secret, d.opts.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return setup.Secret, codes
}

// ticket signs in with the password, and returns the ticket for the code.
func ticket(t *testing.T, d *Desk) string {
	t.Helper()
	session, err := d.SignIn(t.Context(), "admin", factorPassword, "")
	var needs *NeedsCode
	if !errors.As(err, &needs) || session != "" {
		t.Fatalf("SignIn = %q, %v, want a ticket for the code", session, err)
	}
	return needs.Ticket
}

// TestSecondFactor: with a second factor, a password alone starts no session, each code is valid once,
// and so is each recovery code.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	if _, err := d.NewFactor(t.Context(), a, "wrong password", "", ""); !errors.As(err, new(*Invalid)) {
		t.Errorf("NewFactor with a wrong password: %v, want an error about it", err)
	}
	other, err := d.SignIn(t.Context(), "admin", factorPassword, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewFactor(t.Context(), a, factorPassword, "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ConfirmFactor(t.Context(), a, "000000"); !errors.As(err, new(*Invalid)) {
		t.Errorf("ConfirmFactor with a wrong code: %v", err)
	}
	if session, err := d.SignIn(t.Context(), "admin", factorPassword, ""); err != nil || session == "" {
		t.Fatalf("SignIn before the confirmation = %q, %v, want a session", session, err)
	}
	secret, codes := withFactor(t, d, a)
	if _, err := d.Actor(t.Context(), other); !errors.Is(err, ErrNotFound) {
		t.Errorf("another session after the second factor was set up: %v, want that it ended", err)
	}
	first := ticket(t, d)
	if _, err := d.SecondFactor(t.Context(), first, accounts.TOTP(secret, d.opts.Now()), ""); !errors.Is(err, ErrCode) {
		t.Errorf("the code of the confirmation is valid again: %v", err)
	}
	next := accounts.TOTP(secret, d.opts.Now().Add(30*time.Second))
	if session, err := d.SecondFactor(t.Context(), first, next, ""); err != nil || session == "" {
		t.Fatalf("SecondFactor = %q, %v, want a session", session, err)
	}
	if _, err := d.SecondFactor(t.Context(), first, codes[0], ""); !errors.Is(err, ErrTicket) {
		t.Errorf("a ticket is valid twice: %v", err)
	}
	second := ticket(t, d)
	if _, err := d.SecondFactor(t.Context(), second, next, ""); !errors.Is(err, ErrCode) {
		t.Errorf("a code is valid twice: %v", err)
	}
	if _, err := d.SecondFactor(t.Context(), second, strings.ToLower(codes[0]), ""); err != nil {
		t.Errorf("a recovery code: %v", err)
	}
	if _, err := d.SecondFactor(t.Context(), ticket(t, d), codes[0], ""); !errors.Is(err, ErrCode) {
		t.Errorf("a recovery code is valid twice: %v", err)
	}
	if c, err := d.Account(t.Context(), a); err != nil || !c.Factor || c.Codes != len(codes)-1 {
		t.Errorf("account %+v, %v, want a second factor and %d codes", c, err, len(codes)-1)
	}
	for name, wrong := range map[string]string{"an invented ticket": "AAAA", "no ticket": ""} {
		if _, err := d.SecondFactor(t.Context(), wrong, codes[1], ""); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: %v, want ErrTicket", name, err)
		}
	}
	late := ticket(t, d)
	if err := f.Write(t.Context(), execute(`UPDATE links SET expires = 1 WHERE kind = 'code'`)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SecondFactor(t.Context(), late, codes[1], ""); !errors.Is(err, ErrTicket) {
		t.Errorf("an expired ticket: %v", err)
	}
	var stored int
	if err := f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM recovery_codes WHERE hash IN (?, ?)`, codes[1], strings.ReplaceAll(codes[1], "-", "")).Scan(&stored); err != nil || stored != 0 {
		t.Errorf("%d recovery codes are stored as they are, %v", stored, err)
	}
}

// TestSecondFactorOnce: of two sign-ins at the same time with one code, one succeeds.
func TestSecondFactorOnce(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	secret, _ := withFactor(t, d, administrator(t, d))
	tickets := []string{ticket(t, d), ticket(t, d), ticket(t, d)}
	next := accounts.TOTP(secret, d.opts.Now().Add(30*time.Second))
	var group sync.WaitGroup
	sessions := make([]string, len(tickets))
	for i := range tickets {
		group.Go(func() { sessions[i], _ = d.SecondFactor(t.Context(), tickets[i], next, "") })
	}
	group.Wait()
	started := 0
	for _, s := range sessions {
		if s != "" {
			started++
		}
	}
	if started != 1 {
		t.Errorf("one code started %d sessions, want 1", started)
	}
}

// TestCodeLimit: wrong codes are limited by user, also with a ticket for each and from many addresses.
func TestCodeLimit(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	_, codes := withFactor(t, d, administrator(t, d))
	var err error
	for i := range 6 {
		_, err = d.SecondFactor(t.Context(), ticket(t, d), "000000", "192.0.2."+string(rune('0'+i)))
	}
	if !errors.As(err, new(*TooMany)) {
		t.Errorf("the sixth wrong code: %v, want too many", err)
	}
	if _, err := d.SecondFactor(t.Context(), ticket(t, d), codes[0], ""); !errors.As(err, new(*TooMany)) {
		t.Errorf("a recovery code after too many wrong codes: %v, want too many", err)
	}
}

// TestDemandedFactor: a user whose role needs a second factor can only set it up. A link that sets a
// password does not replace the code, and an administrator can reset the factor.
func TestDemandedFactor(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	_, token, err := d.NewToken(t.Context(), a, "script", []accounts.Scope{accounts.ScopeRead}, 0)
	if err != nil {
		t.Fatal(err)
	}
	d.opts.SecondFactor = accounts.Librarian
	session, err := d.SignIn(t.Context(), "admin", factorPassword, "")
	if err != nil {
		t.Fatal(err)
	}
	if a, err = d.Actor(t.Context(), session); err != nil || !a.NeedsFactor {
		t.Fatalf("actor %+v, %v, want one who needs a second factor", a, err)
	}
	if _, err := d.Users(t.Context(), a); !errors.Is(err, ErrNeedsFactor) {
		t.Errorf("Users without the second factor: %v, want ErrNeedsFactor", err)
	}
	if s, err := d.TokenActor(t.Context(), token); err != nil || s.May(accounts.ReadChecks) {
		t.Errorf("a token of a user without the second factor may read checks, %v", err)
	}
	for _, role := range accounts.Roles() {
		if got, want := d.demandsFactor(role), role == accounts.Librarian || role == accounts.Administrator; got != want {
			t.Errorf("a %s needs a second factor: %v, want %v", role, got, want)
		}
	}
	withFactor(t, d, a)
	if a, err = d.Actor(t.Context(), session); err != nil || a.NeedsFactor {
		t.Fatalf("actor %+v, %v, want one with a second factor", a, err)
	}
	link, _, err := d.Reset(t.Context(), a, a.User)
	if err != nil {
		t.Fatal(err)
	}
	var needs *NeedsCode
	if _, err := d.Accept(t.Context(), link, factorPassword); !errors.As(err, &needs) {
		t.Errorf("a new password by a link: %v, want that it needs the code", err)
	}
	if _, err := d.Link(t.Context(), needs.Ticket); !errors.Is(err, ErrNotFound) {
		t.Errorf("the ticket is a link that sets a password: %v", err)
	}
	if err := d.ResetFactor(t.Context(), a, a.User); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SignIn(t.Context(), "admin", factorPassword, ""); err != nil {
		t.Errorf("SignIn after the reset: %v", err)
	}
	if err := d.ResetFactor(t.Context(), a, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("ResetFactor of nobody: %v", err)
	}
}

// TestChangePassword: changing a password needs the current one, and ends the other sessions.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	other, err := d.SignIn(t.Context(), "admin", factorPassword, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.ChangePassword(t.Context(), a, PasswordChange{Current: "a wrong password", Password: "another long password"}, ""); !errors.As(err, new(*Invalid)) {
		t.Errorf("with a wrong current password: %v", err)
	}
	if err := d.ChangePassword(t.Context(), a, PasswordChange{Current: factorPassword, Password: "short"}, ""); !errors.As(err, new(*Invalid)) {
		t.Errorf("to a short password: %v", err)
	}
	if err := d.ChangePassword(t.Context(), a, PasswordChange{Current: factorPassword, Password: "another long password"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Actor(t.Context(), other); !errors.Is(err, ErrNotFound) {
		t.Errorf("another session after the change: %v, want that it ended", err)
	}
	c, err := d.Account(t.Context(), a)
	if err != nil || len(c.Sessions) != 1 || !c.Sessions[0].This {
		t.Errorf("account %+v, %v, want this session only", c, err)
	}
	if _, err := d.SignIn(t.Context(), "admin", factorPassword, ""); !errors.Is(err, ErrCredentials) {
		t.Errorf("with the old password: %v", err)
	}
	if _, err := d.SignIn(t.Context(), "admin", "another long password", ""); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	if err := d.EndSessions(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if c, err := d.Account(t.Context(), a); err != nil || len(c.Sessions) != 1 {
		t.Errorf("account %+v, %v, want one session", c, err)
	}
}
