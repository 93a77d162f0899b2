package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/otisk/otisk/lang/phrase"
)

// A dialect is how two databases differ, beside the rewriting of queries by connections.
type dialect struct {
	migrations string                                         // folder of its migrations
	prepare    func(tx *Tx)                                   // creates what migrations need
	begin      string                                         // first statement of a transaction, "" for none
	lock       string                                         // statement with a name, "" if only one server uses the folder
	version    string                                         // query
	setVersion string                                         // statement with %d
	scrub      func(ctx context.Context, write *sql.DB) error // removes deleted rows
}

// A Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// known returns the version of a database, or an error if a later version of the program has changed it.
func (d *dialect) known(ctx context.Context, db Querier) (version int, err error) {
	if err := db.QueryRowContext(ctx, d.version).Scan(&version); err != nil {
		return 0, err
	}
	if version > latest() {
		return 0, phrase.Error("serve.newer", "it has version {found}, and this program knows versions up to {known}: use a later version of otisk", "found", version, "known", latest())
	}
	return version, nil
}

var sqlite3 = dialect{
	migrations: "sqlite",
	prepare:    func(*Tx) {},
	version:    "PRAGMA user_version",
	setVersion: "PRAGMA user_version = %d",
	scrub:      checkpoint,
}

// A transaction in PostgreSQL that writes waits for a lock, which it has until its end. So it sees
// the same as one in SQLite, where writers wait for each other, and no query needs a second form with
// locks of rows.
var postgres = dialect{
	migrations: "postgres",
	prepare:    preparePostgres,
	begin:      "SELECT pg_advisory_xact_lock(1869900139, hashtext(current_schema()))",
	lock:       "SELECT pg_advisory_xact_lock(1869900140, hashtext(current_schema() || ' ' || ?))",
	version:    "SELECT number FROM version",
	setVersion: "UPDATE version SET number = %d",
	scrub:      vacuum,
}

// preparePostgres creates the functions that queries call in a new database.
func preparePostgres(tx *Tx) {
	var exists bool
	tx.Row("SELECT to_regclass(quote_ident(current_schema()) || '.version') IS NOT NULL").Scan(&exists)
	if !exists {
		apply(tx, "postgres", 0)
	}
}

// checkpoint removes deleted rows from the log of SQLite, which has overwritten them in the database
// itself.
func checkpoint(ctx context.Context, write *sql.DB) (err error) {
	c, err := write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	// Writers wait for this connection, so it does not wait long for readers.
	if _, err := c.ExecContext(ctx, "PRAGMA busy_timeout = 500"); err != nil {
		return err
	}
	var busy, log, done int
	err = c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
	if _, again := c.ExecContext(context.WithoutCancel(ctx), "PRAGMA busy_timeout = "+patience); err == nil {
		err = again
	}
	if err == nil && busy != 0 {
		return ErrInLog
	}
	return err
}

// vacuum frees the space of deleted rows in PostgreSQL. Its log keeps them until it is recycled.
func vacuum(ctx context.Context, write *sql.DB) (err error) {
	for _, table := range []string{"checks", "decisions", "case_steps", "remarks", "shares", "removals", "submissions", "additions", "assets", "integration_texts", "audit", "jobs", "remains"} {
		if _, e := write.ExecContext(ctx, "VACUUM "+table); e != nil {
			err = errors.Join(err, fmt.Errorf("vacuum %s: %w", table, e))
		}
	}
	return err
}
