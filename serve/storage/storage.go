// Package storage keeps the data folder of otisk serve: a database, uploaded files, reports and
// collections.
//
//	otisk.db       SQLite: accounts, checks, jobs, decisions, audit log
//	reserve        space for small writes when the disk is full
//	files/         uploaded files, one each, named by a random id
//	reports/       reports in JSON, named by the id of their check
//	collections/   an index in a folder for each collection
//	sources/       how far harvests and crawls are; without it, they begin again
//	work/          temporary files of the worker processes
//
// One process opens a folder at a time, unless the database is one of PostgreSQL: then the servers of
// several machines share the folder and the database ([Share]). Files are on the disk, with their names, before a row
// refers to them; files without a row are left over from an interrupted request, and [Open]
// removes them.
package storage

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite" // also the driver "sqlite"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/bucket"
)

// Names in the data folder.
const (
	database    = "otisk.db"
	lockName    = "serve.lock"
	markName    = "database.mark" // of the database of a shared folder
	Files       = "files"
	Reports     = "reports"
	Collections = "collections"
	Sources     = "sources"
	Work        = "work"
)

// A Folder is an open data folder.
type Folder struct {
	dir     string
	lock    *flock.Flock // nil if servers share the folder
	dialect *dialect
	bucket  *bucket.Bucket // with uploads and reports, nil for the folder
	full    atomic.Bool    // the disk was full, and the reserve is released

	server   atomic.Value // id of this server, a string
	readOnly error        // why the folder was opened for reading only

	// Read is the pool of connections for queries.
	Read  *sql.DB
	write *sql.DB // one connection, so that writers wait in the process
}

// Options say where the parts of a data folder are that are not in it.
type Options struct {
	Database string         // address in PostgreSQL, "" for SQLite in the folder
	Bucket   *bucket.Bucket // with uploads and reports; nil for the folder

	// Alone means that new collections are not in the folder. Servers with a bucket then need no
	// shared folder.
	Alone bool
}

// Open opens the data folder dir and creates it if it is missing. With a database in PostgreSQL,
// other servers may use the folder, too; otherwise an error is returned if another process has it
// open. A folder is refused that a later version of the program has changed, or whose database
// belongs to another folder or bucket.
func Open(ctx context.Context, dir string, opts Options) (*Folder, error) {
	d := &sqlite3
	if opts.Database != "" {
		d = &postgres
	}
	f, err := create(dir, d)
	if err != nil {
		return nil, err
	}
	f.bucket = opts.Bucket
	if opts.Database != "" {
		err = f.share(ctx, opts)
	} else {
		err = f.own(ctx)
	}
	if err == nil {
		err = f.belongInBucket(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// own opens the database in a folder that only this process uses.
func (f *Folder) own(ctx context.Context) error {
	locked, err := f.lockFile()
	if err != nil {
		return opening(f.dir, err)
	}
	if !locked {
		return phrase.Error("serve.locked", "another otisk serve is using {dir}", "dir", f.dir)
	}
	if err = f.readOnly; err == nil {
		err = f.openDatabase(ctx)
	}
	if IsFull(err) { // the reserve suffices for the log of the database
		f.release()
		err = errors.Join(f.closeDatabase(), f.openDatabase(ctx))
	}
	if IsFull(err) || isReadOnly(err) {
		err = errors.Join(f.closeDatabase(), f.openReadOnly(ctx, err))
	}
	if err != nil {
		return opening(f.dir, err)
	}
	return nil
}

// Beside opens the database of a data folder that a server may be using, for commands of the operator
// that change rows only. It opens no folder whose database an earlier or later version of the program has
// left: a server migrates it at its start.
func Beside(ctx context.Context, dir, address string) (*Folder, error) {
	f, version, err := beside(ctx, dir, address)
	if err == nil && version < latest() {
		err = errors.Join(opening(dir, phrase.Error("serve.older", "its database is of an earlier version: start the server once")), f.Close())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// beside opens the database of a data folder without a lock or a migration, and returns its version.
func beside(ctx context.Context, dir, address string) (f *Folder, version int, err error) {
	f = &Folder{dir: dir, dialect: &sqlite3}
	if address != "" {
		f.dialect = &postgres
		f.Read, err = openPostgres(address)
		f.write = f.Read
	} else if _, err = os.Stat(f.Path(database)); err == nil {
		f.Read, err = f.connect("deferred")
		if err == nil {
			f.write, err = f.connect("immediate")
		}
	}
	if err == nil {
		version, err = f.dialect.known(ctx, f.Read)
	}
	if err != nil {
		return nil, 0, errors.Join(opening(dir, err), f.Close())
	}
	return f, version, nil
}

// share opens the database of PostgreSQL, and creates the tables if they are missing.
func (f *Folder) share(ctx context.Context, opts Options) (err error) {
	if _, err := os.Stat(f.Path(database)); err == nil {
		return phrase.Error("serve.has-database", "{dir} has a database of its own: name a new folder, or start without --database", "dir", f.dir)
	}
	if f.Read, err = openPostgres(opts.Database); err != nil {
		return phrase.Error("serve.database", "open the database: {cause}", "cause", oserror.Cause(err))
	}
	f.Read.SetMaxOpenConns(2 * readers)
	f.write = f.Read
	if err := f.migrate(ctx); err != nil {
		return phrase.Error("serve.database", "open the database: {cause}", "cause", oserror.Cause(err))
	}
	alone, err := f.alone(ctx, opts)
	if err != nil || alone {
		return err
	}
	return f.belong(ctx)
}

// alone reports whether nothing in the folder is for other servers.
func (f *Folder) alone(ctx context.Context, opts Options) (alone bool, err error) {
	if !opts.Alone || opts.Bucket == nil {
		return false, nil
	}
	err = f.Read.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM collections WHERE index_name = '')`).Scan(&alone)
	return alone, err
}

// Shared reports whether other servers may use the folder.
func (f *Folder) Shared() bool { return f.dialect == &postgres }

// belong stores a mark of the folder in the database, or returns an error if that has another one.
func (f *Folder) belong(ctx context.Context) error {
	return f.Write(ctx, func(tx *Tx) {
		var want string
		tx.RowOr(sql.ErrNoRows, "SELECT folder FROM version").Scan(&want)
		have, err := os.ReadFile(f.Path(markName))
		if !errors.Is(err, fs.ErrNotExist) {
			tx.Fail(err)
		}
		if want == string(have) && want != "" || tx.Err() != nil {
			return
		}
		if want != "" {
			tx.Fail(phrase.Error("serve.other-folder", "the database belongs to another folder than {dir}: all servers that share a database must use the same folder", "dir", f.dir))
			return
		}
		mark := rand.Text()
		tx.Fail(replace.File(f.Path(markName), 0o600, true, func(w io.Writer) error { _, err := io.WriteString(w, mark); return err }))
		tx.Exec("UPDATE version SET folder = ?", mark)
	})
}

// create creates the data folder dir if it is missing.
func create(dir string, d *dialect) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{Files, Reports, Collections, Sources, Work} {
		if err := lasting.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, opening(dir, err)
		}
	}
	return &Folder{dir: dir, dialect: d}, nil
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

// patience is how long a connection waits for a lock of SQLite, in milliseconds.
const patience = "10000"

// readers is the limit of connections for queries.
const readers = 8

// connect opens a pool of connections whose transactions begin in the given mode. A commit is
// durable when it returns (synchronous=full). Deleted rows are overwritten (secure_delete).
func (f *Folder) connect(mode string) (*sql.DB, error) {
	query := url.Values{"_txlock": {mode}, "_pragma": {
		"busy_timeout(" + patience + ")", "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "trusted_schema(off)", "secure_delete(on)",
	}}
	return f.connectBy(query)
}

func (f *Folder) connectBy(query url.Values) (*sql.DB, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(f.dir, database)), RawQuery: query.Encode()}
	return sql.Open("sqlite", name.String())
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

// Write calls fn in a transaction, and commits it unless it has failed. Transactions run one
// at a time, also those of several servers. If the disk is full, Write releases the reserve of the
// folder, so that the next transaction has space.
func (f *Folder) Write(ctx context.Context, fn func(tx *Tx)) error {
	err := f.transact(ctx, fn)
	if IsFull(err) && !f.Shared() {
		f.release()
	}
	if isBusy(err) {
		err = errors.Join(ErrBusy, err)
	}
	return err
}

func (f *Folder) transact(ctx context.Context, fn func(tx *Tx)) error {
	if f.readOnly != nil {
		return errors.Join(ErrReadOnly, f.readOnly)
	}
	tx, err := f.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	t := &Tx{ctx: ctx, tx: tx}
	if f.dialect.begin != "" {
		t.Exec(f.dialect.begin)
	}
	if t.err == nil {
		fn(t)
	}
	if t.err != nil {
		return errors.Join(t.err, tx.Rollback())
	}
	return tx.Commit()
}

// Ready returns an error if the database does not answer.
func (f *Folder) Ready(ctx context.Context) error {
	var one int
	return f.Read.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Codes of databases for a full disk. Those of SQLite are for writing to the database, and for extending
// the shared memory of its log, as at the start.
const (
	full         = 13
	fullShared   = 4874
	postgresFull = "53100"
)

// ErrBusy is the error of a transaction that has waited too long for another process.
var ErrBusy error = phrase.Error("serve.database-busy", "the database of the server is busy: try again in a few seconds")

// Codes of databases that are busy: those of SQLite for a lock, those of PostgreSQL for a deadlock, a lock
// that is not available, too many connections, and a server that starts.
const busy = 5

var postgresBusy = []string{"40P01", "55P03", "53300", "57P03"}

// isBusy reports whether an error is about a database that another process uses.
func isBusy(err error) bool {
	var failed *sqlite.Error
	var remote *pgconn.PgError
	return errors.As(err, &failed) && failed.Code()&0xff == busy || errors.As(err, &remote) && slices.Contains(postgresBusy, remote.Code)
}

// IsFull reports whether an error is about a full disk.
func IsFull(err error) bool {
	var failed *sqlite.Error
	var remote *pgconn.PgError
	return errors.Is(err, syscall.ENOSPC) || errors.As(err, &failed) && (failed.Code()&0xff == full || failed.Code() == fullShared) ||
		errors.As(err, &remote) && remote.Code == postgresFull
}

// Close closes the database and releases the folder.
func (f *Folder) Close() error {
	err := f.closeDatabase()
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

func (f *Folder) closeDatabase() (err error) {
	for _, db := range []*sql.DB{f.Read, f.write} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}
