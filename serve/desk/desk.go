// Package desk is what users of otisk serve can do: check texts, decide, maintain collections,
// manage users. The pages and the API call it, so rights are decided here and nowhere else.
//
// Each method takes the acting user. It returns [ErrForbidden] if the table of rights does not
// allow the action, and [ErrNotFound] for resources of another group, as for those that do not exist.
package desk

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/mail"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// Errors that callers decide on.
var (
	ErrNotFound    error = phrase.Error("serve.not-found", "not found")
	ErrForbidden   error = phrase.Error("serve.forbidden", "your role does not allow this")
	ErrCredentials error = phrase.Error("serve.credentials", "wrong name or password")
	ErrInUse       error = phrase.Error("serve.in-use", "the name is in use")
	ErrBusy        error = phrase.Error("serve.busy", "it is queued or running: cancel it, or wait")
	ErrHasChecks   error = phrase.Error("serve.has-checks", "there are checks, courses or integrations with the collection: delete them first")
	ErrLater       error = phrase.Error("serve.later", "other decisions were stored meanwhile: load the report again")
	ErrKeyReused   error = phrase.Error("serve.key-reused", "the Idempotency-Key was used for another request")
	ErrGiven       error = phrase.Error("serve.given-in-use", "a preset, a course or an open check uses the text")
	ErrNeedsFactor error = phrase.Error("account.needs-factor", "your role needs a second factor: set it up on the page of your account")
	ErrCode        error = phrase.Error("account.wrong-code", "wrong or used code")
	ErrTicket      error = phrase.Error("account.ticket", "the time for the code is over: sign in again")
	ErrTooLarge    error = phrase.Error("serve.too-large", "the file is too large")
)

// An Invalid is an error of what a user entered in a field.
type Invalid struct {
	Field string
	error
}

// Unwrap returns the error.
func (e *Invalid) Unwrap() error { return e.error }

// Wrong returns an [Invalid] with a message of package lang and its English text.
func Wrong(field, message, text string, args ...any) error {
	return &Invalid{field, phrase.Error(message, text, args...)}
}

// NotNumber returns the error for a field with a text that is not a number.
func NotNumber(field string) error { return Wrong(field, "serve.number", "type a number") }

// outside returns the error for a number that is too small or too large.
func outside(field string, least, most int) error {
	return Wrong(field, "serve.range", "type a number from {least} to {most}", "least", least, "most", most)
}

// longer reports whether a text has more than most characters.
func longer(text string, most int) bool { return utf8.RuneCountInString(text) > most }

// A TooMany is the error of a sign-in after too many failed ones.
type TooMany struct{ Wait time.Duration }

// Message returns the error as a message of package lang.
func (e *TooMany) Message() (string, []any) {
	return "serve.too-many", []any{"seconds", int(e.Wait/time.Second) + 1}
}

// Error implements error.
func (e *TooMany) Error() string {
	_, args := e.Message()
	return phrase.Error("serve.too-many", "too many attempts: try again in {seconds} s", args...).Error()
}

// Options are the settings of a desk.
type Options struct {
	MaxFile    int64 // bytes of one uploaded file
	GroupQuota int64 // bytes of the files of checks that a group may keep, 0 for any
	UserQuota  int64 // the same of a user

	// SecondFactor is the least role that needs a second factor, "" for none.
	SecondFactor accounts.Role
	Roots        []string         // folders on the server below which collections may be filled from folders
	Allow        []string         // hosts in the network of the server that may be harvested
	Now          func() time.Time // for due times and codes; nil for the clock of the system
	Log          *slog.Logger
	Passwords    accounts.Cost // of new hashes; zero for the recommended cost

	// Cluster is where new collections are, nil for folders. Its Index begins the names of their
	// indexes.
	Cluster *esclient.Config

	// Hooks sends webhooks; nil if there are none.
	Hooks *hooks.Sender

	// Mail sends messages; nil if the server sends none.
	Mail *mail.Server

	// Services calls learning platforms that send submissions; nil for none.
	Services *lti.Services
}

// A Desk serves the users of a data folder.
type Desk struct {
	folder    *storage.Folder
	files     *storage.Shelf // uploads
	reports   *storage.Shelf
	swept     time.Time     // when files without a row were removed
	removing  chan struct{} // slot for one removal at a time
	uncleared atomic.Bool   // deleted rows are in the log of the database
	indexes   *indexes.Opener
	queue     *work.Queue
	opts      Options
	limits    *accounts.Limiter // of passwords, by login and address
	general   *accounts.Limiter // of passwords, by login or address
	codes     *accounts.Limiter // of codes of the second factor, by user

	hashing chan struct{} // slots for hashing passwords

	started time.Time
	clock   steadiness
}

// New returns a desk and its queue, which does not run yet. It removes files that interrupted
// requests left.
func New(ctx context.Context, f *storage.Folder, p work.Program, opts Options) (*Desk, *work.Queue, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Passwords == (accounts.Cost{}) {
		opts.Passwords = accounts.Recommended()
	}
	opener, err := indexes.New(f.Path(storage.Collections), opts.Cluster)
	if err != nil {
		return nil, nil, err
	}
	d := &Desk{folder: f, files: f.Shelf(storage.Files), reports: f.Shelf(storage.Reports), swept: time.Now(), indexes: opener, opts: opts, limits: accounts.NewLimiter(10, 30*time.Second), general: accounts.NewLimiter(100, 10*time.Second), codes: accounts.NewLimiter(5, 5*time.Minute), hashing: newHashing(), removing: make(chan struct{}, 1)}
	p.Dir = f.Path(storage.Collections)
	d.queue = work.New(f, d, p, opts.Log)
	if err := errors.Join(d.checkCluster(ctx), f.Sweep(ctx)); err != nil {
		return nil, nil, err
	}
	d.started = time.Now()
	last, err := d.lastUse(ctx)
	if err != nil {
		return nil, nil, err
	}
	d.clock.unused(last, d.started)
	d.scrub(ctx) // after a deletion that was interrupted
	return d, d.queue, nil
}

// Beside returns a desk for commands of the operator on a folder of [storage.Beside]. It has no jobs and
// no files.
func Beside(f *storage.Folder) *Desk {
	return &Desk{folder: f, opts: Options{Now: time.Now, Passwords: accounts.Recommended()}, hashing: newHashing()}
}

// Operator returns the actor of a command of the operator: the user with a login, or ErrNotFound.
func (d *Desk) Operator(ctx context.Context, login string) (a accounts.Actor, err error) {
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, login, name, role, group_id FROM users WHERE login = ? AND NOT disabled`, login).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group)
	return a, found(err)
}

// now returns the time as the database stores it.
func now() int64 { return time.Now().UnixMilli() }

// timeOf returns a time of the database, the zero time for 0.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// May returns ErrForbidden or ErrNeedsFactor unless the actor may do the action.
func May(a accounts.Actor, action accounts.Action) error { return may(a, action) }

func may(a accounts.Actor, action accounts.Action) error {
	if a.NeedsFactor && action != accounts.OwnAccount {
		return ErrNeedsFactor
	}
	if !a.May(action) {
		return ErrForbidden
	}
	return nil
}

// inGroup returns an actor with the role and group of a, but without the limits of a token: for the
// look-ups that are part of an action that a token may do.
func inGroup(a accounts.Actor) accounts.Actor { return accounts.Actor{Role: a.Role, Group: a.Group} }

// found turns the error for a missing row into ErrNotFound.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// changed returns ErrNotFound if a statement changed no row.
func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNotFound)
	}
	return nil
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list reads rows by scan.
func list[T any](ctx context.Context, db querier, scan func(row func(...any) error, v *T) error, query string, args ...any) (_ []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := []T{}
	for rows.Next() {
		var v T
		if err := scan(rows.Scan, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
