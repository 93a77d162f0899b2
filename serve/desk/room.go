package desk

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
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

// changed returns ErrNotFound if a statement changed no row.
func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNotFound)
	}
	return nil
}

// exec executes a statement of a transaction.
func exec(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// write executes a statement as a transaction.
func (d *room) write(ctx context.Context, query string, args ...any) error {
	return d.folder.Write(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, query, args...) })
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list reads rows by scan.
func list[T any](ctx context.Context, db querier, scan func(row func(...any) error, v *T) error, query string, args ...any) (_ []T, err error) {
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

// listFor is [list] for an actor who needs a right.
func listFor[T any](ctx context.Context, a accounts.Actor, action accounts.Action, db querier, scan func(row func(...any) error, v *T) error, query string, args ...any) ([]T, error) {
	if err := may(a, action); err != nil {
		return nil, err
	}
	return list(ctx, db, scan, query, args...)
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

// conflict turns the error of an insertion that changed nothing into ErrInUse.
func conflict(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrInUse
	}
	return err
}

// checkName returns a name of a collection, group or token without spaces around it and without characters that
// are not shown: with them, it could look like another name. Words of Persian and of some Indian languages need
// joiners, which stay.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case turns(r), r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u00ad':
			return -1
		}
		return r
	}, name))
	if name == "" || longer(name, 200) {
		return "", Wrong("name", "serve.name", "a name has 1 to {most} characters", "most", 200)
	}
	return name, nil
}
