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
func apply(tx *Tx, folder string, number int) {
	tx.Do(func(ctx context.Context, db *sql.Tx) error {
		statements, err := migrationFiles.ReadFile(fmt.Sprintf("migrations/%s/%04d.sql", folder, number))
		if err == nil {
			_, err = db.ExecContext(ctx, string(statements))
		}
		if err != nil {
			return fmt.Errorf("migration %d: %w", number, err)
		}
		return nil
	})
}

// migrate applies the migrations that the database lacks, in one transaction.
func (f *Folder) migrate(ctx context.Context) error {
	return f.Write(ctx, func(tx *Tx) {
		f.dialect.prepare(tx)
		var version int
		tx.Do(func(ctx context.Context, db *sql.Tx) (err error) {
			version, err = f.dialect.known(ctx, db)
			return err
		})
		for number := version + 1; number <= latest(); number++ {
			apply(tx, f.dialect.migrations, number)
		}
		if version < foldedVersion {
			foldNames(tx)
		}
		tx.Exec(fmt.Sprintf(f.dialect.setVersion, latest()))
	})
}
