package desk

import (
	"context"
	"database/sql"
	"testing"

	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// TestConnectionCut: a transaction whose connection to the database is cut changes nothing, and the
// next one works.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	storagetest.NeedPostgres(t)
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	const cut = `SELECT pg_terminate_backend(pg_backend_pid())`
	for _, when := range []string{"before", "after"} {
		err := f.Write(ctx, func(tx *storage.Tx) {
			cutOff := func(ctx context.Context, db *sql.Tx) error {
				_, _ = db.ExecContext(ctx, cut)
				return nil
			}
			if when == "before" {
				tx.Do(cutOff) // the next statement fails
			}
			tx.Exec(`INSERT INTO groups (id, name) VALUES (?, ?)`, when, when)
			if when == "after" {
				tx.Do(cutOff) // the commit fails
			}
		})
		if err == nil {
			t.Errorf("a transaction that was cut %s its statement succeeded", when)
		}
	}
	if _, err := d.NewCollection(ctx, a, "Theses", false); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
	var groups, collections int
	if err := f.Read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM groups WHERE name IN ('before', 'after')), (SELECT count(*) FROM collections)`).Scan(&groups, &collections); err != nil || groups != 0 || collections != 1 {
		t.Errorf("%d groups and %d collections, %v, want 0 and 1", groups, collections, err)
	}
}
