package desk

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// A NeedsCode is the error of a sign-in with the right password for which a code of the second
// factor is missing. [Desk.SecondFactor] accepts the code with the ticket, for five minutes.
type NeedsCode struct{ Ticket string }

// Message returns the error as a message of package lang.
func (e *NeedsCode) Message() (string, []any) { return "account.needs-code", nil }

// Error implements error.
func (e *NeedsCode) Error() string {
	return phrase.Error("account.needs-code", "enter the code of your authenticator app, or a recovery code").Error()
}

// demandsFactor reports whether a role needs a second factor.
func (d *sessions) demandsFactor(role accounts.Role) bool {
	least := slices.Index(accounts.Roles(), d.opts.SecondFactor)
	return least >= 0 && slices.Index(accounts.Roles(), role) >= least
}

// SecondFactor ends a sign-in by a code of the authenticator app, which is valid once, or by a
// recovery code. from is the address of the client.
func (d *sessions) SecondFactor(ctx context.Context, ticket, typed, from string) (session string, err error) {
	hash := accounts.HashSecret(ticket)
	a := accounts.Actor{}
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, login, group_id FROM links l JOIN users u ON u.id = l.user_id WHERE hash = ? AND kind = ? AND expires > ? AND NOT disabled`,
		hash, linkCode, now()).Scan(&a.User, &a.Login, &a.Group)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrTicket
	}
	if err != nil {
		return "", err
	}
	if wait, ok := d.codes.Allow(d.opts.Now(), a.User); !ok {
		return "", &TooMany{wait}
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		how := d.spend(tx, a.User, typed)
		tx.Change(ErrTicket, `DELETE FROM links WHERE hash = ?`, hash) // unless it was used meanwhile
		note(tx, a, "sign in", a.User, how)
		session = newSession(tx, a.User, false)
	})
	if errors.Is(err, ErrCode) || errors.Is(err, ErrClockBack) {
		d.passwords.refused("code", a.User, from)
	}
	if err == nil {
		d.codes.Forget(a.User)
	}
	return session, err
}

// spend uses up a code of a user, and returns of which kind it was. It fails with ErrCode or ErrClockBack.
func (d *sessions) spend(tx *storage.Tx, user, typed string) (how string) {
	var secret string
	var last int64
	tx.RowOr(sql.ErrNoRows, `SELECT totp, totp_step FROM users WHERE id = ?`, user).Scan(&secret, &last)
	if used, ok := accounts.VerifyTOTP(secret, typed, d.opts.Now(), last); ok {
		tx.Exec(`UPDATE users SET totp_step = ? WHERE id = ?`, used, user)
		return "code"
	}
	wrong := ErrCode
	if accounts.TOTPAhead(last, d.opts.Now()) {
		wrong = ErrClockBack
	}
	tx.Change(wrong, `DELETE FROM recovery_codes WHERE hash = ? AND user_id = ?`, accounts.HashRecoveryCode(typed), user)
	return "recovery code"
}

// A Setup is a second factor that is being set up.
type Setup struct {
	Secret  string `json:"secret" doc:"in Base32"`
	Address string `json:"address" doc:"otpauth address, for a QR code"`
}

// NewFactor begins to set up a second factor of the actor, who enters his password again.
// [Desk.ConfirmFactor] ends it. An earlier one stays valid until then. issuer is the name of the
// server that an app shows.
func (d *sessions) NewFactor(ctx context.Context, a accounts.Actor, password, issuer, from string) (*Setup, error) {
	if err := may(a, accounts.OwnAccount); err != nil {
		return nil, err
	}
	if err := d.passwords.verifyAgain(ctx, a, password, from); err != nil {
		return nil, err
	}
	secret := accounts.NewTOTP()
	err := d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE users SET totp_new = ? WHERE id = ?`, secret, a.User)
	})
	return &Setup{secret, accounts.TOTPAddress(secret, issuer, a.Login)}, err
}

// ConfirmFactor switches on the second factor of the actor by its first code. It returns the
// recovery codes, which are not stored, and ends his other sessions.
func (d *sessions) ConfirmFactor(ctx context.Context, a accounts.Actor, typed string) (codes []string, err error) {
	if err := may(a, accounts.OwnAccount); err != nil {
		return nil, err
	}
	if wait, ok := d.codes.Allow(d.opts.Now(), a.User); !ok {
		return nil, &TooMany{wait}
	}
	codes, hashes := accounts.NewRecoveryCodes()
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		var secret string
		tx.RowOr(ErrNotFound, `SELECT totp_new FROM users WHERE id = ?`, a.User).Scan(&secret)
		used, ok := accounts.VerifyTOTP(secret, typed, d.opts.Now(), 0)
		if !ok {
			tx.Fail(Wrong("code", "account.wrong-code", "wrong or used code"))
		}
		tx.Exec(`UPDATE users SET totp = totp_new, totp_new = '', totp_step = ? WHERE id = ?`, used, a.User)
		deleteOf(tx, a.User, "recovery_codes")
		for _, h := range hashes {
			tx.Exec(`INSERT INTO recovery_codes (hash, user_id) VALUES (?, ?)`, h, a.User)
		}
		note(tx, a, "set up second factor", a.User, "")
		endOthers(tx, a)
	})
	if err != nil {
		return nil, err
	}
	d.codes.Forget(a.User)
	return codes, nil
}

// EndFactor switches the second factor of the actor off, who enters his password again.
func (d *sessions) EndFactor(ctx context.Context, a accounts.Actor, password, from string) error {
	if err := may(a, accounts.OwnAccount); err != nil {
		return err
	}
	return d.change(ctx, d.passwords.verifyAgain(ctx, a, password, from), func(tx *storage.Tx) { endFactor(tx, a, a.User, "end second factor") })
}

// ResetFactor switches off the second factor of a user who has lost it. His sessions end.
func (d *sessions) ResetFactor(ctx context.Context, a accounts.Actor, user string) error {
	return d.change(ctx, may(a, accounts.ManageUsers), func(tx *storage.Tx) {
		endFactor(tx, a, user, "reset second factor")
		tx.Exec(`DELETE FROM sessions WHERE user_id = ?`, user)
	})
}

func endFactor(tx *storage.Tx, a accounts.Actor, user, action string) {
	tx.Change(ErrNotFound, `UPDATE users SET totp = '', totp_new = '' WHERE id = ?`, user)
	deleteOf(tx, user, "recovery_codes")
	tx.Exec(`DELETE FROM links WHERE user_id = ? AND kind = ?`, user, linkCode)
	noteUser(tx, a, action, user, "")
}
