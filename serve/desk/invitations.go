package desk

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// Limits of a table of users.
const (
	mostInvited     = 2000
	mostTableErrors = 20 // that are reported
	mostTable       = 1 << 20
)

// TableColumns are the columns of a table of users. Only the login and the role are required.
var TableColumns = []string{"login", "name", "mail", "role", "group"}

// An Invited is a new user with the secret of the link that sets the password.
type Invited struct {
	ID    string `json:"id"`
	Login string `json:"login"`
	Link  string `json:"link" doc:"secret of the one-time link"`
}

// An invitedRow is a row of a table of users.
type invitedRow struct {
	line int
	Invitation
	group string // name
}

// lineError returns an error of a line of a table.
func lineError(line int, cause error) *phrase.Phrase {
	return phrase.Error("people.line", "line {line}: {cause}", "line", line, "cause", cause)
}

// tableError returns the error for a table with wrong lines, which names the first of them.
func tableError(wrong phrase.List) error {
	return Wrong("file", "people.lines", "nobody was added: {errors}", "errors", wrong[:min(len(wrong), mostTableErrors)])
}

// InviteTable creates a user for each row of an uploaded table in CSV: all of them, or none if a row is wrong. The error
// then names each wrong line. Groups are named; a row without one is for the group of the actor.
func (d *people) InviteTable(ctx context.Context, a accounts.Actor, uploads []*Upload) (all []Invited, err error) {
	defer func() { d.uploads.Discard(ctx, uploads) }()
	if err := may(a, accounts.ManageUsers); err != nil {
		return nil, err
	}
	if len(uploads) != 1 {
		return nil, Wrong("file", "people.one-table", "choose one table")
	}
	text, err := d.uploads.read(ctx, uploads[0], mostTable)
	if err != nil {
		return nil, err
	}
	rows, err := readUsers(text)
	if err != nil {
		return nil, err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) { all = d.inviteAll(tx, a, rows) })
	if err != nil {
		return nil, err
	}
	return all, nil
}

// inviteAll invites the users of a table. After an error, the transaction ends without any of them.
func (d *people) inviteAll(tx *storage.Tx, a accounts.Actor, rows []invitedRow) (all []Invited) {
	var wrong phrase.List
	for _, r := range rows {
		r.Group = a.Group
		switch {
		case r.group != "" && !tx.Row(`SELECT id FROM groups WHERE name = ?`, r.group).Scan(&r.Group):
			wrong = append(wrong, lineError(r.line, Wrong("group", "people.no-group", "there is no group {name}", "name", r.group)))
		case loginFree(tx, r.Login, "") != nil:
			wrong = append(wrong, lineError(r.line, phrase.Error("people.login-used", "the login {login} is in use", "login", r.Login)))
		default:
			id, link := d.invite(tx, a, r.Invitation)
			all = append(all, Invited{id, r.Login, link})
		}
	}
	if len(wrong) > 0 {
		tx.Fail(tableError(wrong))
	}
	return all
}

// readUsers reads a table of users: CSV in UTF-8 with commas, semicolons or tabs and with the names of its columns.
func readUsers(text []byte) (rows []invitedRow, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, Wrong("file", "people.utf8", "save the table as CSV in UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(text))
	head, _, _ := bytes.Cut(text, []byte("\n"))
	for _, comma := range []rune{';', '\t'} {
		if bytes.ContainsRune(head, comma) {
			r.Comma = comma
		}
	}
	r.FieldsPerRecord = -1
	columns, err := r.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, tableError(phrase.List{unreadable(err)})
	}
	for i, c := range columns {
		columns[i] = strings.ToLower(strings.TrimSpace(c))
		if !slices.Contains(TableColumns, columns[i]) || slices.Contains(columns[:i], columns[i]) {
			return nil, Wrong("file", "people.column", "the first line has the column {column}: it names each of {columns} at most once", "column", c, "columns", strings.Join(TableColumns, ", "))
		}
	}
	if !slices.Contains(columns, "login") || !slices.Contains(columns, "role") {
		return nil, Wrong("file", "people.columns", "the first line names the columns: login and role, and any of name, mail and group")
	}
	var wrong phrase.List
	lines := map[string]int{} // of logins
	for {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			wrong = append(wrong, unreadable(err))
			break
		}
		row := invitedRow{}
		row.line, _ = r.FieldPos(0)
		if err := row.fill(columns, values); err != nil {
			wrong = append(wrong, lineError(row.line, err))
			continue
		}
		folded := storage.Fold(row.Login)
		if first := lines[folded]; first > 0 {
			wrong = append(wrong, lineError(row.line, phrase.Error("people.twice", "line {first} has the login {login}, too", "first", first, "login", row.Login)))
			continue
		}
		lines[folded] = row.line
		rows = append(rows, row)
	}
	switch {
	case len(wrong) > 0:
		return nil, tableError(wrong)
	case len(rows) == 0 || len(rows) > mostInvited:
		return nil, Wrong("file", "people.rows", "a table has 1 to {most} users", "most", mostInvited)
	}
	return rows, nil
}

// unreadable returns the error for a line that is not CSV.
func unreadable(err error) *phrase.Phrase {
	line := 1
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		line = p.StartLine
	}
	return lineError(line, phrase.Error("people.csv", "not CSV: quotation marks do not match"))
}

// fill sets the values of a row, and returns what is wrong with them.
func (r *invitedRow) fill(columns, values []string) error {
	if len(values) > len(columns) {
		return phrase.Error("people.fields", "it has more fields than the first line")
	}
	for i, v := range values {
		v = strings.TrimSpace(v)
		switch columns[i] {
		case "login":
			r.Login = v
		case "name":
			r.Name = v
		case "mail":
			r.Mail = v
		case "role":
			r.Role = accounts.Role(strings.ToLower(v))
		case "group":
			r.group = v
		}
	}
	return r.check()
}
