package desk

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// The sessions sign users in, who manage their own accounts: password, second factor and tokens.
type sessions struct {
	room
	mails     *mails
	passwords *passwords
	codes     *accounts.Limiter // of the second factor, by user
}

// Operator returns the actor of a command of the operator: the user with a login, or ErrNotFound.
func (d *sessions) Operator(ctx context.Context, login string) (a accounts.Actor, err error) {
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, login, name, role, group_id FROM users WHERE login = ? AND NOT disabled`, login).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group)
	return a, found(err)
}

// Lifetimes.
const (
	linkLife    = 7 * 24 * time.Hour
	codeLife    = 5 * time.Minute // between password and code
	sessionLife = 12 * time.Hour  // of a session, at most
	sessionIdle = 2 * time.Hour   // without a request
	seenStep    = time.Minute     // between writes of when a session was used
)

// Kinds of one-time links.
const (
	linkFirst = "first" // makes the first administrator
	linkUser  = "user"  // sets the password of a user
	linkCode  = "code"  // asks for the second factor, after the password
)

// FirstLink returns a one-time link that makes the first administrator, "" if there is one. Earlier
// such links become invalid.
func (d *sessions) FirstLink(ctx context.Context) (secret string, err error) {
	var users int
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT count(*) FROM users`).Scan(&users); err != nil || users > 0 {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Exec(`DELETE FROM links WHERE kind = ?`, linkFirst)
		secret = newLink(tx, linkFirst, nil, linkLife)
	})
	return secret, err
}

// Empty reports whether there are no users yet.
func (d *sessions) Empty(ctx context.Context) (empty bool, err error) {
	err = d.folder.Read.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM users)`).Scan(&empty)
	return empty, err
}

// newLink creates a one-time link and removes those that have expired.
func newLink(tx *storage.Tx, kind string, user *string, life time.Duration) string {
	tx.Exec(`DELETE FROM links WHERE expires < ?`, now())
	secret, hash := accounts.NewSecret()
	tx.Exec(`INSERT INTO links (hash, kind, user_id, expires) VALUES (?, ?, ?, ?)`, hash, kind, user, time.Now().Add(life).UnixMilli())
	return secret
}

// A Link is a one-time link that can still be used.
type Link struct {
	First bool   // it makes the first administrator
	Login string // of the user whose password it sets
}

// Link returns a one-time link, or ErrNotFound.
func (d *sessions) Link(ctx context.Context, secret string) (*Link, error) {
	var kind string
	var login sql.NullString
	err := d.folder.Read.QueryRowContext(ctx, `SELECT kind, login FROM links LEFT JOIN users ON users.id = user_id WHERE hash = ? AND kind != ? AND expires > ?`,
		accounts.HashSecret(secret), linkCode, now()).Scan(&kind, &login)
	return &Link{kind == linkFirst, login.String}, found(err)
}

// spendLink deletes a one-time link and returns its user.
func spendLink(tx *storage.Tx, kind, secret string) (user string) {
	var id sql.NullString
	tx.RowOr(ErrNotFound, `DELETE FROM links WHERE hash = ? AND kind = ? AND expires > ? RETURNING user_id`,
		accounts.HashSecret(secret), kind, now()).Scan(&id)
	return id.String
}

// A Person is what a user enters about himself.
type Person struct {
	Login, Name, Password string
}

// Check returns an error if the login or the password is refused.
func (p *Person) Check() error { return errors.Join(checkLogin(p.Login), checkPassword(p.Password)) }

// First makes the first administrator by a one-time link, and signs him in.
func (d *sessions) First(ctx context.Context, secret string, p Person) (session string, err error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	if _, err := d.Link(ctx, secret); err != nil {
		return "", err
	}
	hash, err := d.passwords.hash(ctx, p.Password)
	if err != nil {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		spendLink(tx, linkFirst, secret)
		group, user := accounts.NewID(), accounts.NewID()
		tx.Exec(`INSERT INTO groups (id, name) VALUES (?, 'Otisk')`, group)
		insertUser(tx, user, group, p.Login, p.Name, accounts.Administrator, hash)
		note(tx, accounts.Actor{User: user, Login: p.Login, Group: group}, "first administrator", user, "")
		session = newSession(tx, user, false)
	})
	return session, err
}

// SignIn returns a new session. from is the address of the client, for the limit of attempts. For a
// user with a second factor, it returns a [NeedsCode].
func (d *sessions) SignIn(ctx context.Context, login, password, from string) (session string, err error) {
	var user, hash string
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, password FROM users WHERE folded = ? AND NOT disabled ORDER BY login = ? DESC LIMIT 1`, storage.Fold(login), login).Scan(&user, &hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	right, err := d.passwords.verify(ctx, attempt{login, from, hash, password})
	if err != nil {
		return "", err
	}
	if !right {
		d.passwords.refused("password", user, from)
		return "", ErrCredentials
	}
	var ticket string
	err = d.folder.Write(ctx, func(tx *storage.Tx) { session, ticket = beginSession(tx, user, "password") })
	return orCode(session, ticket, err)
}

// beginSession starts a session of a user whose password was right or, if he has a second factor, returns
// the ticket for its code.
func beginSession(tx *storage.Tx, user, how string) (session, ticket string) {
	var secret string
	a := accounts.Actor{User: user}
	tx.RowOr(sql.ErrNoRows, `SELECT login, group_id, totp FROM users WHERE id = ?`, user).Scan(&a.Login, &a.Group, &secret)
	if secret != "" {
		return "", newLink(tx, linkCode, &user, codeLife)
	}
	note(tx, a, "sign in", user, how)
	return newSession(tx, user, false), ""
}

// orCode returns the results of [beginSession] after its transaction.
func orCode(session, ticket string, err error) (string, error) {
	if err == nil && ticket != "" {
		return "", &NeedsCode{ticket}
	}
	return session, err
}

// newSession starts a session and removes those that have expired. external means that a provider
// signed the user in.
func newSession(tx *storage.Tx, user string, external bool) string {
	secret, hash := accounts.NewSecret()
	t := time.Now()
	tx.Exec(`DELETE FROM sessions WHERE created < ? OR seen < ? OR seen > ?`, t.Add(-sessionLife).UnixMilli(), t.Add(-sessionIdle).UnixMilli(), t.Add(clockError).UnixMilli())
	tx.Exec(`INSERT INTO sessions (hash, user_id, created, seen, external) VALUES (?, ?, ?, ?, ?)`, hash, user, t.UnixMilli(), t.UnixMilli(), external)
	if tx.Err() != nil {
		return ""
	}
	return secret
}

// SignOut ends a session.
func (d *sessions) SignOut(ctx context.Context, session string) error {
	return d.write(ctx, `DELETE FROM sessions WHERE hash = ?`, accounts.HashSecret(session))
}

// Actor returns the user of a session, or ErrNotFound. A session of the future has ended, or it would last
// until a clock that was set back reaches it again.
func (d *sessions) Actor(ctx context.Context, session string) (a accounts.Actor, err error) {
	hash, t := accounts.HashSecret(session), time.Now()
	var seen int64
	var factor bool
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, u.name, u.role, u.group_id, u.totp != '' OR s.external, s.seen, u.lang FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.hash = ? AND s.created > ? AND s.seen > ? AND s.seen < ? AND NOT u.disabled`, hash, t.Add(-sessionLife).UnixMilli(), t.Add(-sessionIdle).UnixMilli(), t.Add(clockError).UnixMilli()).
		Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group, &factor, &seen, &a.Lang)
	a.Session, a.NeedsFactor = hash, !factor && d.demandsFactor(a.Role)
	if err == nil && t.UnixMilli()-seen > seenStep.Milliseconds() {
		d.noteUse(ctx, `UPDATE sessions SET seen = ? WHERE hash = ?`, t.UnixMilli(), hash)
	}
	return a, found(err)
}

// Reset returns a one-time link that sets a new password of a user, and his login. The old one stays valid until
// then.
func (d *sessions) Reset(ctx context.Context, a accounts.Actor, user string) (link, login string, err error) {
	err = d.change(ctx, may(a, accounts.ManageUsers), func(tx *storage.Tx) {
		var external bool
		m := message{kind: mailPassword, user: &user}
		tx.RowOr(ErrNotFound, `SELECT login, external IS NOT NULL, group_id, mail, lang FROM users WHERE id = ? AND deleted = 0`, user).Scan(&login, &external, &m.group, &m.to, &m.lang)
		if external {
			tx.Fail(ErrExternal)
		}
		tx.Exec(`DELETE FROM links WHERE user_id = ?`, user)
		noteUser(tx, a, "reset password", user, login)
		link = newLink(tx, linkUser, &user, linkLife)
		if m.to != "" {
			m.name, m.link = login, linkPath(link)
			d.mails.post(tx, m)
		}
	})
	return link, login, err
}

// Accept sets the password of a user by a one-time link, ends his sessions, and signs him in. For a
// user with a second factor, it returns a [NeedsCode].
func (d *sessions) Accept(ctx context.Context, secret, password string) (session string, err error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	if _, err := d.Link(ctx, secret); err != nil {
		return "", err
	}
	hash, err := d.passwords.hash(ctx, password)
	if err != nil {
		return "", err
	}
	var ticket string
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		user := spendLink(tx, linkUser, secret)
		a := accounts.Actor{User: user}
		tx.RowOr(ErrNotFound, `UPDATE users SET password = ? WHERE id = ? AND NOT disabled RETURNING login, group_id`, hash, user).Scan(&a.Login, &a.Group)
		deleteOf(tx, user, "sessions", "links")
		deletePasswordMails(tx, user)
		note(tx, a, "set password", user, "")
		session, ticket = beginSession(tx, user, "link")
	})
	return orCode(session, ticket, err)
}
