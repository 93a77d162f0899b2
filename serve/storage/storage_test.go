package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestOneServer: a second server on a folder is refused until the first has ended.
func TestOneServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "another otisk serve is using "+dir) {
		t.Errorf("a second Open = %v, want an error that names the folder", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, err = Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatalf("Open after Close = %v", err)
	}
	_ = f.Close()
}

// TestNewer: a folder that a later version changed is refused, also for a backup.
func TestNewer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = f.Write(t.Context(), func(tx *Tx) { tx.Exec("PRAGMA user_version = 99") })
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	_, opened := Open(t.Context(), dir, Options{})
	_, backed := Backup(t.Context(), dir, t.TempDir(), nil, func(context.Context, string, string) error { return nil })
	for what, err := range map[string]error{"Open": opened, "Backup": backed} {
		if err == nil || !strings.Contains(err.Error(), dir+": it has version 99") {
			t.Errorf("%s of a newer folder = %v, want an error that names the version", what, err)
		}
	}
}

// TestRollback: a transaction that fails changes nothing.
func TestRollback(t *testing.T) {
	t.Parallel()
	f, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	failure := errors.New("failure")
	err = f.Write(t.Context(), func(tx *Tx) {
		tx.Exec("INSERT INTO groups VALUES ('1', 'A')")
		tx.Fail(failure)
	})
	var n int
	if e := f.Read.QueryRow("SELECT count(*) FROM groups").Scan(&n); !errors.Is(err, failure) || e != nil || n != 0 {
		t.Errorf("Write = %v, then %d rows, %v; want the failure and none", err, n, e)
	}
}

// TestPostgresQuery: parameters are numbered as SQLite numbers them.
func TestPostgresQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT ?, ?":                       "SELECT $1, $2",
		"SELECT ?, ?3, ?":                   "SELECT $1, $3, $4",
		"SELECT ?2, ?1, ?":                  "SELECT $2, $1, $3",
		"SELECT CAST(x AS INTEGER)":         "SELECT CAST(x AS BIGINT)",
		"SELECT x WHERE y LIKE ? ESCAPE ''": `SELECT x WHERE y COLLATE "default" ILIKE $1 ESCAPE ''`,
	} {
		if got := postgresQuery(query); got != want {
			t.Errorf("postgresQuery(%q) = %q, want %q", query, got, want)
		}
	}
}

// TestMigrations: each migration exists for both databases, and has only what that database knows.
func TestMigrations(t *testing.T) {
	t.Parallel()
	foreign := map[string][]string{
		sqlite3.migrations:  {"BIGINT", "BOOLEAN", "BYTEA", "plpgsql"},
		postgres.migrations: {"STRICT", "INTEGER", "BLOB", "WITHOUT ROWID", "RAISE("},
	}
	for folder, words := range foreign {
		for number := 1; number <= latest(); number++ {
			text, err := migrationFiles.ReadFile(fmt.Sprintf("migrations/%s/%04d.sql", folder, number))
			if err != nil {
				t.Error(err)
			}
			for _, word := range words {
				if strings.Contains(string(text), word) {
					t.Errorf("migration %d for %s has %s:\n%s", number, folder, word, text)
				}
			}
		}
	}
}

// TestFirstError: after its first error, a transaction executes nothing, its methods return zero values, and Write
// returns that error.
func TestFirstError(t *testing.T) {
	t.Parallel()
	f, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const insert = "INSERT INTO groups VALUES (?, 'A')"
	failure := errors.New("failure")
	for name, fail := range map[string]func(tx *Tx){
		"Fail":     func(tx *Tx) { tx.Fail(failure) },
		"Do":       func(tx *Tx) { tx.Do(func(context.Context, *sql.Tx) error { return failure }) },
		"Change":   func(tx *Tx) { tx.Change(failure, "DELETE FROM groups WHERE id = 'none'") },
		"RefuseIf": func(tx *Tx) { tx.RefuseIf(failure, "SELECT count(*) = 1 FROM groups") },
		"RowOr":    func(tx *Tx) { tx.RowOr(failure, "SELECT id FROM groups WHERE id = 'none'").Scan(new(string)) },
	} {
		err := f.Write(t.Context(), func(tx *Tx) {
			if n := tx.Exec(insert, "1"); n != 1 {
				t.Errorf("Exec = %d rows, want 1", n)
			}
			var id string
			if !tx.Row("SELECT id FROM groups").Scan(&id) || id != "1" || tx.Row("SELECT id FROM groups WHERE id = 'none'").Scan(&id) || tx.Err() != nil {
				t.Errorf("the row has the id %q, %v, want 1 and no error for a missing row", id, tx.Err())
			}
			fail(tx)
			tx.Fail(errors.New("a later one"))
			tx.Do(func(context.Context, *sql.Tx) error { t.Error("called after an error"); return nil })
			if n := tx.Exec(insert, "2"); n != 0 || tx.Row("SELECT id FROM groups").Scan(&id) {
				t.Error("executed after an error")
			}
		})
		if !errors.Is(err, failure) {
			t.Errorf("Write = %v after %s, want the first error", err, name)
		}
	}
}
