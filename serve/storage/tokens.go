package storage

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// tokenSchema adds the ends of tokens. Those that exist end after 90 days.
const tokenSchema = `
ALTER TABLE tokens ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
UPDATE tokens SET expires = CAST(unixepoch('subsec') * 1000 AS INTEGER) + 7776000000;
`

// foldedSchema adds what names are searched by: see [Fold].
const foldedSchema = `
ALTER TABLE checks ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE submissions ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN folded TEXT NOT NULL DEFAULT '';
`

// Fold returns a name as searches compare it: in lower case, and in one form of its accents. Databases
// differ in that, and SQLite knows the cases of ASCII only.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// foldNames fills the columns of foldedSchema in a database that had none.
func foldNames(ctx context.Context, tx *sql.Tx) error {
	for _, c := range []struct{ table, column string }{{"checks", "path"}, {"submissions", "label"}, {"users", "login"}} {
		rows, err := column(ctx, tx, fmt.Sprintf(`SELECT id || ' ' || %s FROM %s`, c.column, c.table))
		if err != nil {
			return err
		}
		for _, row := range rows {
			id, name, _ := strings.Cut(row, " ")
			if _, err := tx.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET folded = ? WHERE id = ?`, c.table), Fold(name), id); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldedVersion is the version of a database with folded names.
func foldedVersion() int { return slices.Index(migrations, foldedSchema) + 1 }
