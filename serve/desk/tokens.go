package desk

import (
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
	Used    time.Time        `json:"used,omitzero"`
}

// Tokens returns the tokens of the actor.
func (d *Desk) Tokens(ctx context.Context, a accounts.Actor) ([]Token, error) {
	if err := may(a, accounts.OwnTokens); err != nil {
		return nil, err
	}
	return list(ctx, d.folder.Read, func(row func(...any) error, t *Token) error {
		var scopes string
		var created, used int64
		err := row(&t.ID, &t.Name, &scopes, &created, &used)
		t.Scopes, t.Created, t.Used = scopesOf(scopes), timeOf(created), timeOf(used)
		return err
	}, `SELECT id, name, scopes, created, used FROM tokens WHERE user_id = ? ORDER BY created`, a.User)
}

func scopesOf(text string) (list []accounts.Scope) {
	for name := range strings.FieldsSeq(text) {
		list = append(list, accounts.Scope(name))
	}
	return list
}

// NewToken creates a token and returns its secret, which is not stored.
func (d *Desk) NewToken(ctx context.Context, a accounts.Actor, name string, scopes []accounts.Scope) (id, secret string, err error) {
	name, err = checkName(name)
	if err := errors.Join(may(a, accounts.OwnTokens), err); err != nil {
		return "", "", err
	}
	var names []string
	for _, s := range scopes {
		if !slices.Contains(accounts.Scopes(), s) {
			return "", "", invalid("scopes", "serve.scope", "unknown scope")
		}
		names = append(names, string(s))
	}
	if len(names) == 0 {
		return "", "", invalid("scopes", "serve.no-scope", "a token needs a scope")
	}
	id = accounts.NewID()
	secret, hash := accounts.NewSecret()
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO tokens (id, hash, user_id, name, scopes, created) VALUES (?, ?, ?, ?, ?, ?)`, id, hash, a.User, name, strings.Join(names, " "), now())
		if err != nil {
			return err
		}
		return note(ctx, tx, a, "create token", id, name)
	})
	return id, secret, err
}

// RevokeToken deletes a token of the actor.
func (d *Desk) RevokeToken(ctx context.Context, a accounts.Actor, id string) error {
	if err := may(a, accounts.OwnTokens); err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		if err := changed(tx.ExecContext(ctx, `DELETE FROM tokens WHERE id = ? AND user_id = ?`, id, a.User)); err != nil {
			return err
		}
		return note(ctx, tx, a, "revoke token", id, "")
	})
}

// TokenActor returns the user of a token, with its scopes, or ErrNotFound.
func (d *Desk) TokenActor(ctx context.Context, secret string) (a accounts.Actor, err error) {
	var scopes string
	var used int64
	var factor bool
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, u.name, u.role, u.group_id, u.totp != '' OR u.external IS NOT NULL, t.id, t.scopes, t.used FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE t.hash = ? AND NOT u.disabled`, accounts.HashSecret(secret)).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group, &factor, &a.Token, &scopes, &used)
	a.Scopes, a.NeedsFactor = scopesOf(scopes), !factor && d.demands(a.Role)
	if err == nil && now()-used > seenStep.Milliseconds() {
		d.noteUse(ctx, `UPDATE tokens SET used = ? WHERE id = ?`, now(), a.Token)
	}
	return a, found(err)
}
