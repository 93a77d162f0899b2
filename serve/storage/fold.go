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
