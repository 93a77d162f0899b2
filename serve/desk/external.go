package desk

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
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
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		var a accounts.Actor
		if a, refused = externalUser(tx, id, "OpenID Connect"); refused == nil {
			session = newSession(tx, a.User, true)
		}
	})
	return session, cmp.Or(err, refused)
}

// externalUser finds, creates or changes the user whom a provider has signed in, and notes how. A refusal is
// not an error of the transaction, which ends the sessions of a user without rights.
func externalUser(tx *storage.Tx, id *oidc.Identity, how string) (a accounts.Actor, refused error) {
	var disabled bool
	tx.Row(`SELECT id, login, group_id, role, disabled FROM users WHERE external = ?`, externalOf(id.Issuer, id.Subject)).Scan(&a.User, &a.Login, &a.Group, &a.Role, &disabled)
	group := groupOf(tx, id, a.Group)
	switch {
	case id.Role == "":
		revoke(tx, a)
		return a, oidc.ErrNoRole
	case group == "":
		revoke(tx, a)
		return a, ErrNoGroup
	case disabled:
		return a, ErrDisabled
	case a.User == "":
		a, refused = createExternal(tx, id, group)
	case a.Role != id.Role || a.Group != group:
		a.Group = group
		changeExternal(tx, a, id)
	default:
		tx.Exec(`UPDATE users SET name = ? WHERE id = ?`, id.Name, a.User)
	}
	if refused != nil {
		return a, refused
	}
	a.Name, a.Role = id.Name, id.Role
	note(tx, a, "sign in", a.User, how)
	return a, nil
}

// externalOf returns the name of a user at all providers: subjects are unique for an issuer.
func externalOf(issuer, subject string) string { return issuer + "\n" + subject }

// groupOf returns the group of a user: without a claim, the first group that was created; else the
// current one if the provider names it, or the first named one that exists. It returns "" for none.
func groupOf(tx *storage.Tx, id *oidc.Identity, current string) (group string) {
	if id.Groups == nil {
		if current == "" {
			tx.RowOr(sql.ErrNoRows, `SELECT id FROM groups ORDER BY rowid LIMIT 1`).Scan(&current)
		}
		return current
	}
	for _, name := range id.Groups {
		var found string
		tx.Row(`SELECT id FROM groups WHERE name = ?`, name).Scan(&found)
		if found == current && found != "" {
			return found
		}
		if group == "" {
			group = found
		}
	}
	return group
}

func createExternal(tx *storage.Tx, id *oidc.Identity, group string) (a accounts.Actor, refused error) {
	if err := checkLogin(id.Login); err != nil {
		return a, err
	}
	if loginFree(tx, id.Login, "") != nil {
		return a, ErrLoginTaken
	}
	a = accounts.Actor{User: accounts.NewID(), Login: id.Login, Group: group}
	insertUser(tx, a.User, group, id.Login, id.Name, id.Role, "")
	tx.Exec(`UPDATE users SET external = ? WHERE id = ?`, externalOf(id.Issuer, id.Subject), a.User)
	note(tx, a, "create user", a.User, string(id.Role))
	return a, nil
}

// changeExternal sets the role and the group of a user, and ends his sessions. Tokens stay: they have
// the new role.
func changeExternal(tx *storage.Tx, a accounts.Actor, id *oidc.Identity) {
	tx.Exec(`UPDATE users SET name = ?, role = ?, group_id = ? WHERE id = ?`, id.Name, id.Role, a.Group, a.User)
	tx.Exec(`DELETE FROM sessions WHERE user_id = ?`, a.User)
	note(tx, a, "change user", a.User, string(id.Role))
}

// revoke ends the sessions and tokens of a user without rights.
func revoke(tx *storage.Tx, a accounts.Actor) {
	if a.User != "" {
		deleteOf(tx, a.User, "sessions", "tokens")
		note(tx, a, "refuse user", a.User, "")
	}
}

// endExternal ends the sessions and tokens of all users of a provider.
func endExternal(tx *storage.Tx, issuer string) {
	for _, table := range []string{"sessions", "tokens"} {
		tx.Exec(`DELETE FROM `+table+` WHERE user_id IN (SELECT id FROM users WHERE instr(external, ?) = 1)`, externalOf(issuer, ""))
	}
}
