package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// The people are all users and groups, whom administrators manage.
type people struct {
	room
	mails   *mails
	uploads *uploads
}

// Errors of the administration of users and groups.
var (
	ErrSelf            error = phrase.Error("people.self", "you cannot delete your own account: another administrator can")
	ErrIntegrationUser error = phrase.Error("people.integration", "an integration sends texts as this user: delete the integration first")
	ErrProvided        error = phrase.Error("people.provided", "the provider sets the login and the name of this user")
)

// A User is an account.
type User struct {
	ID       string        `json:"id"`
	Login    string        `json:"login"`
	Name     string        `json:"name"`
	Mail     string        `json:"mail,omitempty" doc:"e-mail address"`
	Role     accounts.Role `json:"role"`
	Group    string        `json:"group"`      // id
	Grouped  string        `json:"group_name"` // name of the group
	Disabled bool          `json:"disabled"`
	Pending  bool          `json:"pending"` // has not set a password yet
	Factor   bool          `json:"second_factor"`
	External bool          `json:"external"` // a provider or a learning platform signs the user in
	Platform string        `json:"platform,omitempty" doc:"name of the learning platform of the user"`
	Created  time.Time     `json:"created"`
}

const selectUsers = `SELECT u.id, login, u.name, mail, role, group_id, g.name, disabled, password = '' AND external IS NULL, totp != '', external IS NOT NULL,
	coalesce((SELECT p.name FROM platforms p WHERE instr(external, 'lti ' || p.id || ?) = 1), ''), u.created FROM users u JOIN groups g ON g.id = group_id WHERE deleted = 0`

func scanUser(row func(...any) error, u *User) error {
	return row(&u.ID, &u.Login, &u.Name, &u.Mail, &u.Role, &u.Group, &u.Grouped, &u.Disabled, &u.Pending, &u.Factor, &u.External, &u.Platform, millis{&u.Created})
}

// Users returns all users.
func (d *people) Users(ctx context.Context, a accounts.Actor) ([]User, error) {
	return listFor(ctx, may(a, accounts.ManageUsers), d.folder.Read, scanUser, selectUsers+` ORDER BY login`, "\n")
}

// User returns a user.
func (d *people) User(ctx context.Context, a accounts.Actor, id string) (*User, error) {
	return firstFor(ctx, may(a, accounts.ManageUsers), d.folder.Read, scanUser, selectUsers+` AND u.id = ?`, "\n", id)
}

// An Invitation is what an administrator enters about a new user.
type Invitation struct {
	Login string        `json:"login"`
	Name  string        `json:"name"`
	Mail  string        `json:"mail,omitempty" doc:"e-mail address"`
	Role  accounts.Role `json:"role"`
	Group string        `json:"group,omitempty" doc:"id of the group; that of the administrator if empty"`
}

// check returns what is wrong with an invitation, apart from its group and a login that is in use.
func (in *Invitation) check() error {
	return cmp.Or(checkLogin(in.Login), checkPerson(in.Name), checkMail(in.Mail), checkRole(in.Role, accounts.Roles()))
}

func checkPerson(name string) error {
	if longer(name, 200) {
		return Wrong("name", "serve.name", "a name has 1 to {most} characters", "most", 200)
	}
	return nil
}

// checkMail returns an error for a text that is not an e-mail address without a name. An empty one is accepted.
func checkMail(address string) error {
	if parsed, err := mail.ParseAddress(address); address != "" && (err != nil || parsed.Address != address || len(address) > 254) {
		return Wrong("mail", "people.mail", "type an e-mail address such as jana@example.org")
	}
	return nil
}

// Invite creates a user and returns a one-time link that sets his password.
func (d *people) Invite(ctx context.Context, a accounts.Actor, in Invitation) (id, link string, err error) {
	refused := errors.Join(may(a, accounts.ManageUsers), in.check())
	in.Group = cmp.Or(in.Group, a.Group)
	err = d.change(ctx, refused, func(tx *storage.Tx) { id, link = d.invite(tx, a, in) })
	return id, link, err
}

// invite creates a user by an invitation that was checked.
func (d *people) invite(tx *storage.Tx, a accounts.Actor, in Invitation) (id, link string) {
	tx.Fail(errors.Join(loginFree(tx, in.Login, ""), groupExists(tx, in.Group)))
	id = accounts.NewID()
	insertUser(tx, id, in.Group, in.Login, in.Name, in.Role, "")
	tx.Exec(`UPDATE users SET mail = ? WHERE id = ?`, in.Mail, id)
	noteUser(tx, a, "invite user", id, in.Login)
	link = newLink(tx, linkUser, &id, linkLife)
	if in.Mail != "" {
		d.mails.post(tx, message{kind: mailPassword, group: in.Group, user: &id, to: in.Mail, lang: a.Lang, name: in.Login, link: linkPath(link)})
	}
	return id, link
}

// loginFree returns ErrInUse if another user than the one with the given id has a login, in any case and in either
// form of accents.
func loginFree(tx *storage.Tx, login, id string) error {
	var used bool
	tx.Row(`SELECT EXISTS (SELECT 1 FROM users WHERE folded = ? AND id != ?)`, storage.Fold(login), id).Scan(&used)
	if used {
		return ErrInUse
	}
	return nil
}

func groupExists(tx *storage.Tx, group string) error {
	if groupName(tx, group) == "" {
		return Wrong("group", "serve.group", "unknown group")
	}
	return nil
}

// A UserChange replaces what is kept about a user.
type UserChange struct {
	Login    string        `json:"login,omitempty" doc:"the present one if empty"`
	Name     *string       `json:"name,omitempty" doc:"the present one if missing"`
	Mail     *string       `json:"mail,omitempty" doc:"e-mail address; the present one if missing"`
	Group    string        `json:"group,omitempty" doc:"id; the present one if empty. Checks stay in their group"`
	Role     accounts.Role `json:"role"`
	Disabled bool          `json:"disabled"`
}

// check returns what is wrong with a change.
func (c *UserChange) check(old *User) error {
	if old.External && (c.Login != old.Login || *c.Name != old.Name) {
		return ErrProvided
	}
	return errors.Join(checkPerson(*c.Name), checkMail(*c.Mail), checkRole(c.Role, accounts.AllRoles()))
}

// fill sets the fields that a change leaves as they are.
func (c *UserChange) fill(old *User) {
	c.Login = cmp.Or(c.Login, old.Login)
	c.Name = cmp.Or(c.Name, &old.Name)
	c.Mail = cmp.Or(c.Mail, &old.Mail)
	c.Group = cmp.Or(c.Group, old.Group)
}

// describe returns a change for the audit log.
func (c *UserChange) describe(old *User, group string) string {
	parts := []string{string(c.Role)}
	if c.Disabled {
		parts = append(parts, "disabled")
	}
	if c.Login != old.Login {
		parts = append(parts, old.Login+" → "+c.Login)
	}
	if c.Group != old.Group {
		parts = append(parts, old.Grouped+" → "+group)
	}
	return strings.Join(parts, ", ")
}

// ChangeUser changes a user. Of the administrators, one that may sign in must remain. A change of more than the name and
// the address ends the sessions of the user. His checks stay in their group.
func (d *people) ChangeUser(ctx context.Context, a accounts.Actor, id string, c UserChange) error {
	return d.change(ctx, may(a, accounts.ManageUsers), func(tx *storage.Tx) {
		old := first(tx, ErrNotFound, scanUser, selectUsers+` AND u.id = ?`, "\n", id)
		c.fill(old)
		if c.Login != old.Login { // earlier versions accepted others
			tx.Fail(errors.Join(checkLogin(c.Login), loginFree(tx, c.Login, id)))
		}
		tx.Fail(errors.Join(c.check(old), groupExists(tx, c.Group)))
		group := groupName(tx, c.Group)
		tx.Exec(`UPDATE users SET login = ?, folded = ?, name = ?, mail = ?, group_id = ?, role = ?, disabled = ? WHERE id = ?`,
			c.Login, storage.Fold(c.Login), strings.TrimSpace(*c.Name), *c.Mail, c.Group, c.Role, c.Disabled, id)
		if c.Login != old.Login {
			renameVerdicts(tx, old.Login, c.Login)
		}
		administratorRemains(tx)
		if c.Login != old.Login || c.Group != old.Group || c.Role != old.Role || c.Disabled {
			deleteOf(tx, id, "sessions")
		}
		noteGroups(tx, a, `SELECT id FROM groups WHERE id IN (?, ?)`, []any{old.Group, c.Group}, "change user", id, c.describe(old, group))
	})
}

func administratorRemains(tx *storage.Tx) {
	var left int
	tx.Row(`SELECT count(*) FROM users WHERE role = ? AND NOT disabled AND password != ''`, accounts.Administrator).Scan(&left)
	if left == 0 {
		tx.Fail(Wrong("role", "serve.last-administrator", "at least one administrator who can sign in must remain"))
	}
}

// A DeletedUser is what stays of a user who was deleted. Checks stay with their group until they are deleted themselves.
type DeletedUser struct {
	Login     string `json:"login,omitempty" doc:"which the rest has from now on; empty if nothing stays"`
	Checks    int    `json:"checks" doc:"of texts that the user uploaded"`
	Decisions int    `json:"decisions" doc:"with verdicts, steps of cases and comments on places"`
	Others    int    `json:"others" doc:"courses, links, additions to collections, deletions and sources"`
}

// userTables are the tables with rows by a user that stay when his account is deleted.
var userTables = []string{"submissions", "checks", "decisions", "case_steps", "remarks", "shares", "additions", "removals", "sources", "private_checks", "assets"}

// countTraces returns what stays of a user, and whether anything does.
func countTraces(tx *storage.Tx, user string) (t DeletedUser, any bool) {
	tx.Row(`SELECT (SELECT count(*) FROM checks c JOIN submissions s ON s.id = submission_id WHERE coalesce(c.user_id, s.user_id) = ?1),
		(SELECT count(*) FROM decisions WHERE user_id = ?1) + (SELECT count(*) FROM case_steps WHERE user_id = ?1) + (SELECT count(*) FROM remarks WHERE user_id = ?1) + (SELECT count(*) FROM checks WHERE verdict_by = (SELECT login FROM users WHERE id = ?1)),
		(SELECT count(*) FROM shares WHERE user_id = ?1) + (SELECT count(*) FROM additions WHERE user_id = ?1) + (SELECT count(*) FROM removals WHERE user_id = ?1)
			+ (SELECT count(*) FROM sources WHERE user_id = ?1) + (SELECT count(*) FROM courses k JOIN submissions s ON s.id = k.id WHERE s.user_id = ?1)`, user).Scan(&t.Checks, &t.Decisions, &t.Others)
	any = t != DeletedUser{}
	for _, table := range userTables {
		if !any {
			tx.Row(`SELECT EXISTS (SELECT 1 FROM `+table+` WHERE user_id = ?)`, user).Scan(&any)
		}
	}
	return t, any
}

// DeleteUser deletes an account: its password, second factor, sessions, tokens and address. Uploads and
// decisions of the user stay with their group, under his name and a login with the date, since they are evidence; without any, nothing stays.
// The login is then free for another user.
func (d *people) DeleteUser(ctx context.Context, a accounts.Actor, id string) (left DeletedUser, err error) {
	refused := may(a, accounts.ManageUsers)
	if refused == nil && id == a.User {
		refused = ErrSelf
	}
	err = d.change(ctx, refused, func(tx *storage.Tx) {
		u := first(tx, ErrNotFound, scanUser, selectUsers+` AND u.id = ?`, "\n", id)
		var any bool
		tx.RefuseIf(ErrIntegrationUser, `SELECT EXISTS (SELECT 1 FROM integrations WHERE user_id = ?)`, id)
		noteData(tx, a, "delete user", id, u.Login)
		left, any = countTraces(tx, id)
		if any {
			left.Login = closedLogin(tx, u.Login)
			closeAccount(tx, u, left.Login)
		} else {
			leaveCourses(tx, id)
			tx.Exec(`DELETE FROM users WHERE id = ?`, id)
		}
		administratorRemains(tx)
	})
	return left, err
}

// closedLogin returns the login of an account that is deleted. It has a space, so that no user can have it.
func closedLogin(tx *storage.Tx, login string) (closed string) {
	day := time.Now().UTC().Format(time.DateOnly)
	for n := 1; ; n++ {
		closed = login + " (" + day + ")"
		if n > 1 {
			closed = fmt.Sprintf("%s (%s, %d)", login, day, n)
		}
		if loginFree(tx, closed, "") == nil {
			return closed
		}
	}
}

// closeAccount empties the row of a user whose checks or decisions stay.
func closeAccount(tx *storage.Tx, u *User, login string) {
	tx.Exec(`UPDATE users SET login = ?, folded = ?, mail = '', password = '', external = NULL, totp = '', totp_new = '', disabled = TRUE, deleted = ? WHERE id = ?`, login, storage.Fold(login), now(), u.ID)
	deleteOf(tx, u.ID, "sessions", "tokens", "links", "recovery_codes")
	forgetRequests(tx, u.ID)
	leaveCourses(tx, u.ID)
	deleteMails(tx, u.ID)
	renameVerdicts(tx, u.Login, login)
}

// deleteOf deletes the rows of a user in some tables.
func deleteOf(tx *storage.Tx, user string, tables ...string) {
	for _, table := range tables {
		tx.Exec(`DELETE FROM `+table+` WHERE user_id = ?`, user)
	}
}

// freeLogin returns the first of some logins that nobody has, "" for none.
func freeLogin(tx *storage.Tx, logins []string) string {
	for _, login := range logins {
		if checkLogin(login) == nil && loginFree(tx, login, "") == nil {
			return login
		}
	}
	return ""
}

func insertUser(tx *storage.Tx, id, group, login, name string, role accounts.Role, hash string) {
	tx.Exec(`INSERT INTO users (id, group_id, login, folded, name, role, password, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		id, group, login, storage.Fold(login), strings.TrimSpace(name), role, hash, now())
}

// checkLogin returns an error for a login that is too long, or that looks like another one: with spaces, with
// characters that are not visible, or with full-width and other forms of plain ones.
func checkLogin(login string) error {
	hidden := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	if login == "" || longer(login, 200) || strings.ContainsFunc(login, hidden) || norm.NFKC.String(login) != norm.NFC.String(login) {
		return Wrong("login", "serve.login", "a login has 1 to {most} characters without spaces", "most", 200)
	}
	return nil
}

func checkPassword(password string) error {
	if !longer(password, accounts.LeastPassword-1) || len(password) > accounts.MostPassword {
		return Wrong("password", "serve.password", "a password has {least} to {most} characters", "least", accounts.LeastPassword, "most", accounts.MostPassword)
	}
	if accounts.Common(password) {
		return Wrong("password", "serve.common-password", "this password is one of the most common ones: choose another, such as several words")
	}
	return nil
}

func checkRole(role accounts.Role, allowed []accounts.Role) error {
	if !slices.Contains(allowed, role) {
		return Wrong("role", "serve.role", "unknown role")
	}
	return nil
}
