package desk

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
)

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
	return listFor(ctx, a, accounts.OwnTokens, d.folder.Read, scanToken, selectTokens+` WHERE user_id = ? ORDER BY t.created`, a.User)
}

// AllTokens returns the tokens of all users, for a server administrator.
func (d *sessions) AllTokens(ctx context.Context, a accounts.Actor) ([]Token, error) {
	return listFor(ctx, a, accounts.ManageUsers, d.folder.Read, scanToken, selectTokens+` ORDER BY login, t.created`)
}

const selectTokens = `SELECT t.id, t.name, scopes, t.created, expires, used, login FROM tokens t JOIN users u ON u.id = user_id`

func scanToken(row func(...any) error, t *Token) error {
	var scopes string
	err := row(&t.ID, &t.Name, &scopes, millis{&t.Created}, millis{&t.Expires}, millis{&t.Used}, &t.Login)
	t.Scopes = scopesOf(scopes)
	return err
}

func scopesOf(text string) (list []accounts.Scope) {
	for name := range strings.FieldsSeq(text) {
		list = append(list, accounts.Scope(name))
	}
	return list
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
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO tokens (id, hash, user_id, name, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)`, id, hash, a.User, name, strings.Join(names, " "), now(), now()+int64(days)*day)
		if err != nil {
			return err
		}
		return note(ctx, tx, a, "create token", id, name)
	})
	return id, secret, err
}

// RevokeToken deletes a token of the actor or, for a server administrator, of any user.
func (d *sessions) RevokeToken(ctx context.Context, a accounts.Actor, id string) error {
	if err := may(a, accounts.OwnTokens); err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		var user string
		err := tx.QueryRowContext(ctx, `DELETE FROM tokens WHERE id = ? AND (user_id = ? OR ?) RETURNING user_id`, id, a.User, a.May(accounts.ManageUsers)).Scan(&user)
		if err != nil {
			return found(err)
		}
		return noteUser(ctx, tx, a, "revoke token", user, id)
	})
}

// TokenActor returns the user of a token, with its scopes, or ErrNotFound.
func (d *sessions) TokenActor(ctx context.Context, secret string) (a accounts.Actor, err error) {
	var scopes string
	var used int64
	var factor bool
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, u.name, u.role, u.group_id, u.totp != '' OR u.external IS NOT NULL, t.id, t.scopes, t.used FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE t.hash = ? AND t.expires > ? AND NOT u.disabled`, accounts.HashSecret(secret), now()).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group, &factor, &a.Token, &scopes, &used)
	a.Scopes, a.NeedsFactor = scopesOf(scopes), !factor && d.demands(a.Role)
	if err == nil && now()-used > seenStep.Milliseconds() {
		d.noteUse(ctx, `UPDATE tokens SET used = ? WHERE id = ?`, now(), a.Token)
	}
	return a, found(err)
}
