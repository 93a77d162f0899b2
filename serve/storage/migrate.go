package storage

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
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

// Fold returns a name as searches compare it: in lower case, and in one form of its accents. Databases
// differ in that, and SQLite knows the cases of ASCII only.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// foldNames fills the columns folded in a database that had none.
func foldNames(tx *Tx) {
	for _, c := range []struct{ table, column string }{{"checks", "path"}, {"submissions", "label"}, {"users", "login"}} {
		var rows []string
		tx.Do(func(ctx context.Context, db *sql.Tx) (err error) {
			rows, err = column(ctx, db, fmt.Sprintf(`SELECT id || ' ' || %s FROM %s`, c.column, c.table))
			return err
		})
		for _, row := range rows {
			id, name, _ := strings.Cut(row, " ")
			tx.Exec(fmt.Sprintf(`UPDATE %s SET folded = ? WHERE id = ?`, c.table), Fold(name), id)
		}
	}
}

// foldedVersion is the first version of a database with folded names.
const foldedVersion = 25
