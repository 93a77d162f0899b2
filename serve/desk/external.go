package desk

import (
	"context"
	"database/sql"
	"errors"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/oidc"
)

// Errors of users whom a provider signs in.
var (
	ErrExternal   error = phrase.Error("account.external", "the provider signs this user in: there is no password here")
	ErrLoginTaken error = phrase.Error("account.login-taken", "another user of this server has your login: ask an administrator")
	ErrNoGroup    error = phrase.Error("account.no-group", "your account at the provider has no group of this server: ask an administrator")
	ErrDisabled   error = phrase.Error("account.disabled", "an administrator has disabled your account")
)

// SignInExternal starts a session of a user whom a provider has signed in. The user is created at the
// first sign-in; later ones set name, role and group as the provider says. If the provider no longer
// gives a role or group, the sessions and tokens of the user end.
//
// Users are recognised by issuer and subject: a login that a local user has is refused.
func (d *sessions) SignInExternal(ctx context.Context, id *oidc.Identity) (session string, err error) {
	var refused error
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		var a accounts.Actor
		if a, refused, err = externalUser(ctx, tx, id, "OpenID Connect"); err != nil || refused != nil {
			return err
		}
		session, err = newSession(ctx, tx, a.User, true)
		return err
	})
	return session, errors.Join(err, refused)
}

// externalUser finds, creates or changes the user whom a provider has signed in, and notes how. A refusal is
// not an error of the transaction, which ends the sessions of a user without rights.
func externalUser(ctx context.Context, tx *sql.Tx, id *oidc.Identity, how string) (a accounts.Actor, refused, err error) {
	var disabled bool
	err = tx.QueryRowContext(ctx, `SELECT id, login, group_id, role, disabled FROM users WHERE external = ?`, externalOf(id.Issuer, id.Subject)).Scan(&a.User, &a.Login, &a.Group, &a.Role, &disabled)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return a, nil, err
	}
	group, err := groupOf(ctx, tx, id, a.Group)
	if err != nil {
		return a, nil, err
	}
	switch {
	case id.Role == "":
		return a, oidc.ErrNoRole, revoke(ctx, tx, a)
	case group == "":
		return a, ErrNoGroup, revoke(ctx, tx, a)
	case disabled:
		return a, ErrDisabled, nil
	case a.User == "":
		a, refused, err = createExternal(ctx, tx, id, group)
	case a.Role != id.Role || a.Group != group:
		a.Group = group
		err = changeExternal(ctx, tx, a, id)
	default:
		_, err = tx.ExecContext(ctx, `UPDATE users SET name = ? WHERE id = ?`, id.Name, a.User)
	}
	if err != nil || refused != nil {
		return a, refused, err
	}
	a.Name, a.Role = id.Name, id.Role
	return a, nil, note(ctx, tx, a, "sign in", a.User, how)
}

// externalOf returns the name of a user at all providers: subjects are unique for an issuer.
func externalOf(issuer, subject string) string { return issuer + "\n" + subject }

// groupOf returns the group of a user: without a claim, the first group that was created; else the
// current one if the provider names it, or the first named one that exists. It returns "" for none.
func groupOf(ctx context.Context, tx *sql.Tx, id *oidc.Identity, current string) (group string, err error) {
	if id.Groups == nil {
		if current != "" {
			return current, nil
		}
		err = tx.QueryRowContext(ctx, `SELECT id FROM groups ORDER BY rowid LIMIT 1`).Scan(&group)
		return group, err
	}
	for _, name := range id.Groups {
		var found string
		err := tx.QueryRowContext(ctx, `SELECT id FROM groups WHERE name = ?`, name).Scan(&found)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", err
		}
		if found == current && found != "" {
			return found, nil
		}
		if group == "" {
			group = found
		}
	}
	return group, nil
}

func createExternal(ctx context.Context, tx *sql.Tx, id *oidc.Identity, group string) (a accounts.Actor, refused, err error) {
	if err := checkLogin(id.Login); err != nil {
		return a, err, nil
	}
	if err := loginFree(ctx, tx, id.Login, ""); errors.Is(err, ErrInUse) {
		return a, ErrLoginTaken, nil
	} else if err != nil {
		return a, nil, err
	}
	a = accounts.Actor{User: accounts.NewID(), Login: id.Login, Group: group}
	if err := insertUser(ctx, tx, a.User, group, id.Login, id.Name, id.Role, ""); err != nil {
		return a, nil, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE users SET external = ? WHERE id = ?`, externalOf(id.Issuer, id.Subject), a.User); err != nil {
		return a, nil, err
	}
	return a, nil, note(ctx, tx, a, "create user", a.User, string(id.Role))
}

// changeExternal sets the role and the group of a user, and ends his sessions. Tokens stay: they have
// the new role.
func changeExternal(ctx context.Context, tx *sql.Tx, a accounts.Actor, id *oidc.Identity) error {
	if _, err := tx.ExecContext(ctx, `UPDATE users SET name = ?, role = ?, group_id = ? WHERE id = ?`, id.Name, id.Role, a.Group, a.User); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ?`, a.User); err != nil {
		return err
	}
	return note(ctx, tx, a, "change user", a.User, string(id.Role))
}

// revoke ends the sessions and tokens of a user without rights.
func revoke(ctx context.Context, tx *sql.Tx, a accounts.Actor) error {
	if a.User == "" {
		return nil
	}
	if err := deleteOf(ctx, tx, a.User, "sessions", "tokens"); err != nil {
		return err
	}
	return note(ctx, tx, a, "refuse user", a.User, "")
}

// endExternal ends the sessions and tokens of all users of a provider.
func endExternal(ctx context.Context, tx *sql.Tx, issuer string) (err error) {
	for _, table := range []string{"sessions", "tokens"} {
		if err == nil {
			err = exec(ctx, tx, `DELETE FROM `+table+` WHERE user_id IN (SELECT id FROM users WHERE instr(external, ?) = 1)`, externalOf(issuer, ""))
		}
	}
	return err
}
