package desk

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/otisk/otisk/serve/accounts"
)

// An Entry is an entry of the audit log.
type Entry struct {
	Number int64     `json:"number"`
	At     time.Time `json:"at"`
	Login  string    `json:"login"`
	Action string    `json:"action"`
	Object string    `json:"object"`           // id
	Detail string    `json:"detail,omitempty"` // names, never texts
}

// note adds an entry to the audit log.
func note(ctx context.Context, tx *sql.Tx, a accounts.Actor, action, object, detail string) error {
	return exec(ctx, tx, `INSERT INTO audit (at, group_id, user_id, login, action, object, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		now(), a.Group, a.User, a.Login, action, object, detail)
}

// noteUser adds an entry about a user to the audit log of the actor's group and, if it differs, to that of
// the user: a server administrator is above groups, and each group sees what he does.
func noteUser(ctx context.Context, tx *sql.Tx, a accounts.Actor, action, user, detail string) error {
	return noteGroups(ctx, tx, a, `SELECT group_id FROM users WHERE id = ?`, []any{user}, action, user, detail)
}

// noteData is [noteUser] for data of a user, which may be in several groups.
func noteData(ctx context.Context, tx *sql.Tx, a accounts.Actor, action, user, detail string) error {
	const groups = `SELECT group_id FROM users WHERE id = ?1 UNION SELECT group_id FROM submissions WHERE user_id = ?1
		UNION SELECT s.group_id FROM submissions s JOIN checks c ON c.submission_id = s.id WHERE c.user_id = ?1 OR c.verdict_by = (SELECT login FROM users WHERE id = ?1)
		OR EXISTS (SELECT 1 FROM decisions WHERE check_id = c.id AND user_id = ?1) OR EXISTS (SELECT 1 FROM case_steps WHERE check_id = c.id AND user_id = ?1)
		OR EXISTS (SELECT 1 FROM remarks WHERE check_id = c.id AND user_id = ?1)
		OR EXISTS (SELECT 1 FROM shares WHERE check_id = c.id AND user_id = ?1)
		UNION SELECT group_id FROM collections k WHERE EXISTS (SELECT 1 FROM additions WHERE collection_id = k.id AND user_id = ?1)`
	return noteGroups(ctx, tx, a, groups, []any{user}, action, user, detail)
}

// noteGroups adds an entry to the audit logs of the actor's group and of those that a query selects.
func noteGroups(ctx context.Context, tx *sql.Tx, a accounts.Actor, groups string, args []any, action, object, detail string) error {
	list, err := list(ctx, tx, scanString, groups, args...)
	if err != nil {
		return err
	}
	if !slices.Contains(list, a.Group) {
		list = append(list, a.Group)
	}
	for _, group := range list {
		in := a
		in.Group = group
		if err := note(ctx, tx, in, action, object, detail); err != nil {
			return err
		}
	}
	return nil
}

// clearDetails deletes the details of all entries about an object.
func clearDetails(ctx context.Context, tx *sql.Tx, object string) error {
	return exec(ctx, tx, `UPDATE audit SET detail = '' WHERE object = ?`, object)
}

// clearDetail deletes a detail of the entries with an action on an object.
func clearDetail(ctx context.Context, tx *sql.Tx, object, detail, action string) error {
	return exec(ctx, tx, `UPDATE audit SET detail = '' WHERE object = ? AND detail = ? AND action = ?`, object, detail, action)
}

// Audit returns entries of the group of the actor, the newest first, with numbers below before; 0
// means from the newest.
func (d *Desk) Audit(ctx context.Context, a accounts.Actor, before int64, limit int) ([]Entry, error) {
	return listFor(ctx, a, accounts.ReadAudit, d.folder.Read, scanEntry, selectEntries+` AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?`, a.Group, before, before, page(limit))
}

// selectEntries reads entries of a group, its parameter.
const selectEntries = `SELECT number, at, login, action, object, detail FROM audit WHERE group_id = ?`

func scanEntry(row func(...any) error, e *Entry) error {
	return row(&e.Number, millis{&e.At}, &e.Login, &e.Action, &e.Object, &e.Detail)
}

// page returns the number of rows of a list: 1 to 500, 100 for 0.
func page(limit int) int {
	if limit == 0 {
		return 100
	}
	return min(max(limit, 1), 500)
}
