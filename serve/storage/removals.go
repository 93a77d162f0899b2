package storage

import (
	"context"
	"errors"
)

// ErrInLog is the error for deleted rows that are still in the log of the database, since a query
// that began before the deletion runs.
var ErrInLog = errors.New("deleted rows are still in the log of the database")

// Scrub removes deleted rows from the files of the database. While older queries run, it waits, and
// in the end returns ErrInLog: the next Scrub or Close removes them. PostgreSQL keeps deleted rows in
// its log and archives for as long as its administrator has set.
func (f *Folder) Scrub(ctx context.Context) error {
	if f.readOnly != nil {
		return nil
	}
	return f.dialect.scrub(ctx, f.write)
}

// Lock calls fn while no other server that shares the folder is in a call with the name. Calls of one
// server do not exclude each other.
func (f *Folder) Lock(ctx context.Context, name string, fn func() error) (err error) {
	if f.dialect.lock == "" {
		return fn()
	}
	tx, err := f.write.BeginTx(ctx, nil) // the lock is its own, which also holds with a pooler
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if _, err := tx.ExecContext(ctx, f.dialect.lock, name); err != nil {
		return err
	}
	return fn()
}
