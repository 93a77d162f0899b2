package desk

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk/members"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A room is what all rooms of a desk have: the data folder and the settings.
type room struct {
	folder *storage.Folder
	opts   *Options
}

// now returns the time as the database stores it.
func now() int64 { return time.Now().UnixMilli() }

// timeOf returns a time of the database, the zero time for 0.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// A millis reads a time that the database has in milliseconds.
type millis struct{ to *time.Time }

// Scan implements [sql.Scanner].
func (m millis) Scan(v any) error {
	var ms sql.Null[int64]
	err := ms.Scan(v)
	*m.to = timeOf(ms.V)
	return err
}

// May returns ErrForbidden or ErrNeedsFactor unless the actor may do the action.
func May(a accounts.Actor, action accounts.Action) error { return may(a, action) }

func may(a accounts.Actor, action accounts.Action) error {
	if a.NeedsFactor && action != accounts.OwnAccount {
		return ErrNeedsFactor
	}
	if !a.May(action) {
		return ErrForbidden
	}
	return nil
}

// inGroup returns an actor with the role and group of a, but without the limits of a token: for the
// look-ups that are part of an action that a token may do.
func inGroup(a accounts.Actor) accounts.Actor { return accounts.Actor{Role: a.Role, Group: a.Group} }

// found turns the error for a missing row into ErrNotFound.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// change runs a transaction unless it is refused, as by [may].
func (d *room) change(ctx context.Context, refused error, fn func(tx *storage.Tx)) error {
	if refused != nil {
		return refused
	}
	return d.folder.Write(ctx, fn)
}

// write executes a statement as a transaction.
func (d *room) write(ctx context.Context, query string, args ...any) error {
	return d.folder.Write(ctx, func(tx *storage.Tx) { tx.Exec(query, args...) })
}

// list reads rows by scan.
func list[T any](ctx context.Context, db storage.Querier, scan func(row func(...any) error, v *T) error, query string, args ...any) (_ []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := []T{}
	for rows.Next() {
		var v T
		if err := scan(rows.Scan, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// listFor is [list] unless it is refused, as by [may].
func listFor[T any](ctx context.Context, refused error, db storage.Querier, scan func(row func(...any) error, v *T) error, query string, args ...any) ([]T, error) {
	if refused != nil {
		return nil, refused
	}
	return list(ctx, db, scan, query, args...)
}

// firstFor reads the first row of a query unless it is refused, as by [may]. Without a row, the error is ErrNotFound.
func firstFor[T any](ctx context.Context, refused error, db storage.Querier, scan func(row func(...any) error, v *T) error, query string, args ...any) (*T, error) {
	if refused != nil {
		return nil, refused
	}
	v := new(T)
	return v, found(scan(db.QueryRowContext(ctx, query, args...).Scan, v))
}

// read calls a function that queries a database with that of a transaction.
func read[T any](tx *storage.Tx, query func(ctx context.Context, db *sql.Tx) (T, error)) (v T) {
	tx.Do(func(ctx context.Context, db *sql.Tx) (err error) {
		v, err = query(ctx, db)
		return err
	})
	return v
}

// rows is [list] in a transaction.
func rows[T any](tx *storage.Tx, scan func(row func(...any) error, v *T) error, query string, args ...any) []T {
	return read(tx, func(ctx context.Context, db *sql.Tx) ([]T, error) { return list(ctx, db, scan, query, args...) })
}

// first reads the first row of a query in a transaction, which fails with none if there is no row.
func first[T any](tx *storage.Tx, none error, scan func(row func(...any) error, v *T) error, query string, args ...any) *T {
	v := new(T)
	tx.RowOr(none, query, args...).Read(func(row func(...any) error) error { return scan(row, v) })
	return v
}

func scanString(row func(...any) error, s *string) error { return row(s) }

// noteUse notes when a session, a token or a page was used. Reading works if that fails, as on a full disk.
func (d *room) noteUse(ctx context.Context, query string, args ...any) {
	if d.folder.ReadOnly() != nil {
		return
	}
	err := d.write(ctx, query, args...)
	if err != nil && ctx.Err() == nil {
		d.opts.Log.Warn("note the use of a session, token or page", "cause", err)
	}
}

// checkName returns a name of a collection, group or token without spaces around it and without characters that
// are not shown: with them, it could look like another name. Words of Persian and of some Indian languages need
// joiners, which stay.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case members.Turns(r), r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u00ad':
			return -1
		}
		return r
	}, name))
	if name == "" || longer(name, 200) {
		return "", Wrong("name", "serve.name", "a name has 1 to {most} characters", "most", 200)
	}
	return name, nil
}

// The rounds repeat what a server does without a request.
type rounds struct {
	room
	queue *work.Queue
}

// Numbers and times of assets, which platforms send as submissions.
const (
	fetchers   = 4               // assets that are fetched at the same time, and reports that are sent
	fetchStep  = time.Second     // between queries for due assets
	reportStep = 5 * time.Second // between queries for due reports; with 20,000 assets, one takes 56 ms of CPU
)

// repeat calls do until ctx ends: again at once if it had as much to do as it takes, else after a pause.
// Of several servers, one does so.
func (d *rounds) repeat(ctx context.Context, pause time.Duration, what string, do func(context.Context) (int, error)) {
	for ctx.Err() == nil {
		done, err := 0, error(nil)
		if d.queue.Leads() {
			done, err = do(ctx)
		}
		if err != nil && ctx.Err() == nil {
			d.opts.Log.Error(what, "cause", err)
		}
		if err == nil && done == fetchers {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// each calls do for all values at the same time.
func each[T any](all []T, do func(T) error) error {
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, x := range all {
		group.Go(func() { errs[i] = do(x) })
	}
	group.Wait()
	return errors.Join(errs...)
}

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
func note(tx *storage.Tx, a accounts.Actor, action, object, detail string) {
	tx.Exec(`INSERT INTO audit (at, group_id, user_id, login, action, object, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		now(), a.Group, a.User, a.Login, action, object, detail)
}

// noteUser adds an entry about a user to the audit log of the actor's group and, if it differs, to that of
// the user: a server administrator is above groups, and each group sees what he does.
func noteUser(tx *storage.Tx, a accounts.Actor, action, user, detail string) {
	noteGroups(tx, a, `SELECT group_id FROM users WHERE id = ?`, []any{user}, action, user, detail)
}

// noteData is [noteUser] for data of a user, which may be in several groups.
func noteData(tx *storage.Tx, a accounts.Actor, action, user, detail string) {
	const groups = `SELECT group_id FROM users WHERE id = ?1 UNION SELECT group_id FROM submissions WHERE user_id = ?1
		UNION SELECT s.group_id FROM submissions s JOIN checks c ON c.submission_id = s.id WHERE c.user_id = ?1 OR c.verdict_by = (SELECT login FROM users WHERE id = ?1)
		OR EXISTS (SELECT 1 FROM decisions WHERE check_id = c.id AND user_id = ?1) OR EXISTS (SELECT 1 FROM case_steps WHERE check_id = c.id AND user_id = ?1)
		OR EXISTS (SELECT 1 FROM remarks WHERE check_id = c.id AND user_id = ?1)
		OR EXISTS (SELECT 1 FROM shares WHERE check_id = c.id AND user_id = ?1)
		UNION SELECT group_id FROM collections k WHERE EXISTS (SELECT 1 FROM additions WHERE collection_id = k.id AND user_id = ?1)`
	noteGroups(tx, a, groups, []any{user}, action, user, detail)
}

// noteGroups adds an entry to the audit logs of the actor's group and of those that a query selects.
func noteGroups(tx *storage.Tx, a accounts.Actor, groups string, args []any, action, object, detail string) {
	all := rows(tx, scanString, groups, args...)
	if !slices.Contains(all, a.Group) {
		all = append(all, a.Group)
	}
	for _, group := range all {
		in := a
		in.Group = group
		note(tx, in, action, object, detail)
	}
}

// clearDetails deletes the details of all entries about an object.
func clearDetails(tx *storage.Tx, object string) {
	tx.Exec(`UPDATE audit SET detail = '' WHERE object = ?`, object)
}

// clearDetail deletes a detail of the entries with an action on an object.
func clearDetail(tx *storage.Tx, object, detail, action string) {
	tx.Exec(`UPDATE audit SET detail = '' WHERE object = ? AND detail = ? AND action = ?`, object, detail, action)
}

// Audit returns entries of the group of the actor, the newest first, with numbers below before; 0
// means from the newest.
func (d *Desk) Audit(ctx context.Context, a accounts.Actor, before int64, limit int) ([]Entry, error) {
	return listFor(ctx, may(a, accounts.ReadAudit), d.folder.Read, scanEntry, selectEntries+` AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?`, a.Group, before, before, page(limit))
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
