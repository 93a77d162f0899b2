package storage

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a name as searches compare it: in lower case, and in one form of its accents. Databases
// differ in that, and SQLite knows the cases of ASCII only.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// foldNames fills the columns folded in a database that had none.
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

// foldedVersion is the first version of a database with folded names.
const foldedVersion = 25
