package desk

import (
	"context"
	"database/sql"
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
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (at, group_id, user_id, login, action, object, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		now(), a.Group, a.User, a.Login, action, object, detail)
	return err
}

// Audit returns entries of the group of the actor, the newest first, with numbers below before; 0
// means from the newest.
func (d *Desk) Audit(ctx context.Context, a accounts.Actor, before int64, limit int) ([]Entry, error) {
	if err := may(a, accounts.ReadAudit); err != nil {
		return nil, err
	}
	return list(ctx, d.folder.Read, scanEntry, selectEntries+` AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?`, a.Group, before, before, page(limit))
}

// selectEntries reads entries of a group, its parameter.
const selectEntries = `SELECT number, at, login, action, object, detail FROM audit WHERE group_id = ?`

func scanEntry(row func(...any) error, e *Entry) error {
	var at int64
	err := row(&e.Number, &at, &e.Login, &e.Action, &e.Object, &e.Detail)
	e.At = timeOf(at)
	return err
}

// page returns the number of rows of a list: 1 to 500, 100 for 0.
func page(limit int) int {
	if limit == 0 {
		return 100
	}
	return min(max(limit, 1), 500)
}
