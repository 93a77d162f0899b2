package storage

import (
	"context"
	"database/sql"
	"errors"
)

// A Tx is a transaction that writes. It remembers its first error: then it executes no further statement, its methods
// return zero values, and [Folder.Write] rolls it back and returns the error.
type Tx struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

// Err returns the first error.
func (t *Tx) Err() error { return t.err }

// Fail makes the transaction fail with err, unless err is nil or the transaction has failed before.
func (t *Tx) Fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// Do calls fn with the transaction of the database, unless the transaction has failed, which it does with the error of fn.
func (t *Tx) Do(fn func(ctx context.Context, tx *sql.Tx) error) {
	if t.err == nil {
		t.err = fn(t.ctx, t.tx)
	}
}

// Exec executes a statement and returns the number of rows that it changed.
func (t *Tx) Exec(query string, args ...any) (changed int64) {
	t.Do(func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, query, args...)
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	return changed
}

// Change is [Tx.Exec] for a statement that must change a row: otherwise, the transaction fails with unchanged.
func (t *Tx) Change(unchanged error, query string, args ...any) {
	if t.Exec(query, args...) == 0 {
		t.Fail(unchanged)
	}
}

// RefuseIf makes the transaction fail with reason if a query returns true.
func (t *Tx) RefuseIf(reason error, query string, args ...any) {
	var yes bool
	t.Row(query, args...).Scan(&yes)
	if yes {
		t.Fail(reason)
	}
}

// A Row is the first row of a query.
type Row struct {
	t     *Tx
	query string
	args  []any
	none  error
}

// Row returns the first row of a query, which may have none.
func (t *Tx) Row(query string, args ...any) Row { return Row{t, query, args, nil} }

// RowOr returns the first row of a query. If it has none, the transaction fails with none.
func (t *Tx) RowOr(none error, query string, args ...any) Row { return Row{t, query, args, none} }

// Scan reads the columns of the row, and reports whether there is one.
func (r Row) Scan(to ...any) (found bool) {
	return r.Read(func(scan func(to ...any) error) error { return scan(to...) })
}

// Read calls fn with the Scan method of the row, and reports whether there is one.
func (r Row) Read(fn func(scan func(to ...any) error) error) (found bool) {
	r.t.Do(func(ctx context.Context, tx *sql.Tx) error {
		err := fn(tx.QueryRowContext(ctx, r.query, r.args...).Scan)
		found = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return r.none
		}
		return err
	})
	return found
}
