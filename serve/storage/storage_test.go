package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
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
	err = f.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("PRAGMA user_version = 99")
		return err
	})
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
	err = f.Write(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO groups VALUES ('1', 'A')"); err != nil {
			return err
		}
		return failure
	})
	var n int
	if e := f.Read.QueryRow("SELECT count(*) FROM groups").Scan(&n); !errors.Is(err, failure) || e != nil || n != 0 {
		t.Errorf("Write = %v, then %d rows, %v; want the failure and none", err, n, e)
	}
}

// TestPostgresQuery: parameters are numbered as SQLite numbers them, and numbers have their types.
func TestPostgresQuery(t *testing.T) {
	t.Parallel()
	args := []driver.NamedValue{{Value: "a"}, {Value: int64(2)}, {Value: 1.5}, {Value: true}}
	for query, want := range map[string]string{
		"SELECT ?, ?":                       "SELECT $1, $2::BIGINT",
		"SELECT ?, ?3, ?":                   "SELECT $1, $3::DOUBLE PRECISION, $4::BOOLEAN",
		"SELECT ?2, ?1, ?":                  "SELECT $2::BIGINT, $1, $3::DOUBLE PRECISION",
		"SELECT CAST(x AS INTEGER)":         "SELECT CAST(x AS BIGINT)",
		"SELECT x WHERE y LIKE ? ESCAPE ''": `SELECT x WHERE y COLLATE "default" ILIKE $1 ESCAPE ''`,
	} {
		if got := postgresQuery(query, args); got != want {
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
