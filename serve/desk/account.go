package desk

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// An Account is what a user sees of himself.
type Account struct {
	Login    string        `json:"login"`
	Name     string        `json:"name"`
	Mail     string        `json:"mail,omitempty" doc:"e-mail address, which is not confirmed"`
	Role     accounts.Role `json:"role"`
	Group    string        `json:"group"`    // name
	Password bool          `json:"password"` // the user has one here
	Factor   bool          `json:"second_factor"`
	Demanded bool          `json:"second_factor_demanded"` // by the role
	Codes    int           `json:"recovery_codes"`         // that are left
	Sessions []Session     `json:"sessions"`
}

// A Session is a session of a user.
type Session struct {
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen"`
	This    bool      `json:"this"` // of the request
}

// Account returns the account of the actor.
func (d *sessions) Account(ctx context.Context, a accounts.Actor) (*Account, error) {
	if err := may(a, accounts.OwnAccount); err != nil {
		return nil, err
	}
	c := &Account{Demanded: d.demandsFactor(a.Role)}
	err := d.folder.Read.QueryRowContext(ctx, `SELECT login, u.name, mail, role, g.name, password != '', totp != '', (SELECT count(*) FROM recovery_codes WHERE user_id = u.id)
		FROM users u JOIN groups g ON g.id = group_id WHERE u.id = ?`, a.User).Scan(&c.Login, &c.Name, &c.Mail, &c.Role, &c.Group, &c.Password, &c.Factor, &c.Codes)
	if err != nil {
		return nil, found(err)
	}
	t := time.Now()
	c.Sessions, err = list(ctx, d.folder.Read, func(row func(...any) error, s *Session) error {
		return row(millis{&s.Created}, millis{&s.Seen}, &s.This)
	},
		`SELECT created, seen, hash = ? FROM sessions WHERE user_id = ? AND created > ? AND seen > ? ORDER BY seen DESC, created DESC`,
		a.Session, a.User, t.Add(-sessionLife).UnixMilli(), t.Add(-sessionIdle).UnixMilli())
	return c, err
}

// SetMail sets the e-mail address of the actor, or removes it with "". Who has a password here enters it, since links that set it are sent
// to the address.
func (d *sessions) SetMail(ctx context.Context, a accounts.Actor, address, password, from string) error {
	if err := errors.Join(may(a, accounts.OwnAccount), checkMail(address)); err != nil {
		return err
	}
	c, err := d.Account(ctx, a)
	if err == nil && c.Password {
		err = d.passwords.verifyAgain(ctx, a, password, from)
	}
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		deleteMails(tx, a.User) // to the address before
		tx.Change(ErrNotFound, `UPDATE users SET mail = ? WHERE id = ?`, address, a.User)
		note(tx, a, "set mail", a.User, "")
	})
}

// EndSessions ends all sessions of the actor but that of the request.
func (d *sessions) EndSessions(ctx context.Context, a accounts.Actor) error {
	return d.change(ctx, may(a, accounts.OwnAccount), func(tx *storage.Tx) {
		note(tx, a, "end sessions", a.User, "")
		endOthers(tx, a)
	})
}

// endOthers ends the sessions of the actor but that of the request.
func endOthers(tx *storage.Tx, a accounts.Actor) {
	tx.Exec(`DELETE FROM sessions WHERE user_id = ? AND hash != ?`, a.User, a.Session)
}

// A PasswordChange replaces the password of a user.
type PasswordChange struct {
	Current  string `json:"current" max:"1024"`
	Password string `json:"password" min:"12" max:"1024"`
	Revoke   bool   `json:"revoke_tokens,omitempty" doc:"also revoke all tokens of the user"`
}

// ChangePassword sets a new password of the actor, who enters the current one, and ends his other
// sessions and, if he wants that, his tokens. One-time links for his account become invalid.
func (d *sessions) ChangePassword(ctx context.Context, a accounts.Actor, c PasswordChange, from string) error {
	if err := may(a, accounts.OwnAccount); err != nil {
		return err
	}
	if err := checkPassword(c.Password); err != nil {
		return err
	}
	if err := d.passwords.verifyAgain(ctx, a, c.Current, from); err != nil {
		return err
	}
	hash, err := d.passwords.hash(ctx, c.Password)
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE users SET password = ? WHERE id = ?`, hash, a.User)
		tx.Exec(`DELETE FROM links WHERE user_id = ?`, a.User)
		if c.Revoke {
			tx.Exec(`DELETE FROM tokens WHERE user_id = ?`, a.User)
			note(tx, a, "revoke token", a.User, "")
		}
		note(tx, a, "set password", a.User, "")
		endOthers(tx, a)
	})
}

// NoteLanguage stores the language in which the actor reads pages, for messages to him.
func (d *sessions) NoteLanguage(ctx context.Context, a accounts.Actor, tag string) {
	if d.mails.Mails() && a.Lang != tag {
		d.noteUse(ctx, `UPDATE users SET lang = ? WHERE id = ?`, tag, a.User)
	}
}

// A Token lets a program act as a user, with some of his rights.
type Token struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Scopes  []accounts.Scope `json:"scopes"`
	Created time.Time        `json:"created"`
	Expires time.Time        `json:"expires"`
	Used    time.Time        `json:"used,omitzero"`
	Login   string           `json:"login" doc:"of the user"`
}

// Lifetimes of tokens, in days.
const (
	TokenDays  = 90 // unless the user chooses another
	mostTokens = 365
)

// Tokens returns the tokens of the actor.
func (d *sessions) Tokens(ctx context.Context, a accounts.Actor) ([]Token, error) {
	return listFor(ctx, may(a, accounts.OwnTokens), d.folder.Read, scanToken, selectTokens+` WHERE user_id = ? ORDER BY t.created`, a.User)
}

// AllTokens returns the tokens of all users, for a server administrator.
func (d *sessions) AllTokens(ctx context.Context, a accounts.Actor) ([]Token, error) {
	return listFor(ctx, may(a, accounts.ManageUsers), d.folder.Read, scanToken, selectTokens+` ORDER BY login, t.created`)
}

const selectTokens = `SELECT t.id, t.name, scopes, t.created, expires, used, login FROM tokens t JOIN users u ON u.id = user_id`

func scanToken(row func(...any) error, t *Token) error {
	var scopes string
	err := row(&t.ID, &t.Name, &scopes, millis{&t.Created}, millis{&t.Expires}, millis{&t.Used}, &t.Login)
	t.Scopes = scopesOf(scopes)
	return err
}

func scopesOf(text string) (list []accounts.Scope) {
	return lists.Map(strings.Fields(text), func(name string) accounts.Scope { return accounts.Scope(name) })
}

// NewToken creates a token that expires after some days, 0 for [TokenDays], and returns its secret,
// which is not stored.
func (d *sessions) NewToken(ctx context.Context, a accounts.Actor, name string, scopes []accounts.Scope, days int) (id, secret string, err error) {
	name, err = checkName(name)
	if err := errors.Join(may(a, accounts.OwnTokens), err); err != nil {
		return "", "", err
	}
	if days = cmp.Or(days, TokenDays); days < 1 || days > mostTokens {
		return "", "", Wrong("days", "serve.days", "the number of days is 1 to {most}", "most", mostTokens)
	}
	var names []string
	for _, s := range scopes {
		if !slices.Contains(accounts.Scopes(), s) {
			return "", "", Wrong("scopes", "serve.scope", "unknown scope")
		}
		names = append(names, string(s))
	}
	if len(names) == 0 {
		return "", "", Wrong("scopes", "serve.no-scope", "a token needs a scope")
	}
	id = accounts.NewID()
	secret, hash := accounts.NewSecret()
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Exec(`INSERT INTO tokens (id, hash, user_id, name, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)`, id, hash, a.User, name, strings.Join(names, " "), now(), now()+int64(days)*day)
		note(tx, a, "create token", id, name)
	})
	return id, secret, err
}

// RevokeToken deletes a token of the actor or, for a server administrator, of any user.
func (d *sessions) RevokeToken(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.OwnTokens), func(tx *storage.Tx) {
		var user string
		tx.RowOr(ErrNotFound, `DELETE FROM tokens WHERE id = ? AND (user_id = ? OR ?) RETURNING user_id`, id, a.User, a.May(accounts.ManageUsers)).Scan(&user)
		noteUser(tx, a, "revoke token", user, id)
	})
}

// TokenActor returns the user of a token, with its scopes, or ErrNotFound.
func (d *sessions) TokenActor(ctx context.Context, secret string) (a accounts.Actor, err error) {
	var scopes string
	var used int64
	var factor bool
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, u.name, u.role, u.group_id, u.totp != '' OR u.external IS NOT NULL, t.id, t.scopes, t.used FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE t.hash = ? AND t.expires > ? AND NOT u.disabled`, accounts.HashSecret(secret), now()).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group, &factor, &a.Token, &scopes, &used)
	a.Scopes, a.NeedsFactor = scopesOf(scopes), !factor && d.demandsFactor(a.Role)
	if err == nil && now()-used > seenStep.Milliseconds() {
		d.noteUse(ctx, `UPDATE tokens SET used = ? WHERE id = ?`, now(), a.Token)
	}
	return a, found(err)
}
