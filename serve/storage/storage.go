// Package storage keeps the data folder of otisk serve: a database, uploaded files, reports and
// collections.
//
//	otisk.db       SQLite: accounts, checks, jobs, decisions, audit log
//	files/         uploaded files, one each, named by a random id
//	reports/       reports in JSON, named by the id of their check
//	collections/   an index in a folder for each collection
//	sources/       how far harvests and crawls are; without it, they begin again
//	work/          temporary files of the worker processes
//
// One process opens a folder at a time. Files are on the disk, with their names, before a row
// refers to them; files without a row are left over from an interrupted request, and [Open]
// removes them.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	"modernc.org/sqlite" // also the driver "sqlite"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/phrase"
)

// Names in the data folder.
const (
	database    = "otisk.db"
	lockName    = "serve.lock"
	Files       = "files"
	Reports     = "reports"
	Collections = "collections"
	Sources     = "sources"
	Work        = "work"
)

// A Folder is an open data folder.
type Folder struct {
	dir  string
	lock *flock.Flock

	// Read is the pool of connections for queries.
	Read  *sql.DB
	write *sql.DB // one connection, so that writers wait in the process
}

// Open opens the data folder dir and creates it if it is missing. It returns an error if another
// process has the folder open or a later version of the program has changed it.
func Open(ctx context.Context, dir string) (_ *Folder, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	for _, sub := range []string{Files, Reports, Collections, Sources, Work} {
		if err := lasting.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, opening(dir, err)
		}
	}
	lock := flock.New(filepath.Join(dir, lockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, opening(dir, err)
	}
	if !locked {
		return nil, phrase.Error("serve.locked", "another otisk serve is using {dir}", "dir", dir)
	}
	f := &Folder{dir: dir, lock: lock}
	if err := f.openDatabase(ctx); err != nil {
		return nil, errors.Join(opening(dir, err), f.Close())
	}
	return f, nil
}

// opening names the folder in an error of opening it.
func opening(dir string, err error) error {
	if IsFull(err) {
		err = syscall.ENOSPC
	}
	return phrase.Error("serve.open", "open the data folder {dir}: {cause}", "dir", dir, "cause", oserror.Cause(err))
}

func (f *Folder) openDatabase(ctx context.Context) (err error) {
	if f.write, err = f.connect("immediate"); err != nil {
		return err
	}
	f.write.SetMaxOpenConns(1)
	if err := f.migrate(ctx); err != nil {
		return err
	}
	if f.Read, err = f.connect("deferred"); err != nil {
		return err
	}
	f.Read.SetMaxOpenConns(readers)
	return lasting.SyncDir(f.dir)
}

// readers is the limit of connections for queries.
const readers = 8

// connect opens a pool of connections whose transactions begin in the given mode. A commit is
// durable when it returns (synchronous=full). Deleted rows are overwritten (secure_delete).
func (f *Folder) connect(mode string) (*sql.DB, error) {
	query := url.Values{"_txlock": {mode}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "trusted_schema(off)", "secure_delete(on)",
	}}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(f.dir, database)), RawQuery: query.Encode()}
	return sql.Open("sqlite", name.String())
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

// Write calls fn in a transaction, and commits it unless fn returns an error. Transactions run one
// at a time.
func (f *Folder) Write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := f.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Ready returns an error if the database does not answer.
func (f *Folder) Ready(ctx context.Context) error {
	var one int
	return f.Read.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Codes of SQLite for a full disk: when it writes to the database, and when it extends the shared memory
// of its log, as at the start.
const (
	full       = 13
	fullShared = 4874
)

// IsFull reports whether an error is about a full disk.
func IsFull(err error) bool {
	var failed *sqlite.Error
	return errors.Is(err, syscall.ENOSPC) || errors.As(err, &failed) && (failed.Code()&0xff == full || failed.Code() == fullShared)
}

// Close closes the database and releases the folder.
func (f *Folder) Close() error {
	var errs []error
	for _, db := range []*sql.DB{f.Read, f.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(append(errs, f.lock.Close())...)
}
