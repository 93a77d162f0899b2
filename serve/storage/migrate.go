package storage

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"sync"
)

// migrationFiles has the changes of the schema for each database as NNNN.sql, which are only appended. The
// version of a database is the number of those that were applied to it. PostgreSQL needs 0000.sql before. The
// comments are in those for SQLite.
//
//go:embed migrations
var migrationFiles embed.FS

// latest returns the number of migrations.
var latest = sync.OnceValue(func() int {
	all, err := migrationFiles.ReadDir("migrations/sqlite")
	if err != nil {
		panic(err) // the program was built without them
	}
	return len(all)
})

// apply executes a migration in a folder of them.
func apply(ctx context.Context, tx *sql.Tx, folder string, number int) error {
	statements, err := migrationFiles.ReadFile(fmt.Sprintf("migrations/%s/%04d.sql", folder, number))
	if err == nil {
		_, err = tx.ExecContext(ctx, string(statements))
	}
	if err != nil {
		return fmt.Errorf("migration %d: %w", number, err)
	}
	return nil
}

// migrate applies the migrations that the database lacks, in one transaction.
func (f *Folder) migrate(ctx context.Context) error {
	return f.Write(ctx, func(tx *sql.Tx) error {
		if err := f.dialect.prepare(ctx, tx); err != nil {
			return err
		}
		version, err := f.dialect.known(ctx, tx)
		if err != nil {
			return err
		}
		for number := version + 1; number <= latest(); number++ {
			if err := apply(ctx, tx, f.dialect.migrations, number); err != nil {
				return err
			}
		}
		if version < foldedVersion {
			if err := foldNames(ctx, tx); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(f.dialect.setVersion, latest()))
		return err
	})
}
