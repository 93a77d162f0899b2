// Package desk is what users of otisk serve can do: check texts, decide, maintain collections,
// manage users. The pages and the API call it, so rights are decided here and nowhere else.
//
// Each method takes the acting user. It returns [ErrForbidden] if the table of rights does not
// allow the action, and [ErrNotFound] for resources of another group, as for those that do not exist.
//
// A [Desk] consists of rooms, each for what some users do. A room has only the rooms that it calls, and writes to the tables of its
// area alone.
package desk

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
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

// A Desk serves the users of a data folder. Each of its rooms has the methods for what some users do, with their queries.
type Desk struct {
	room
	indexes *indexes.Opener

	*people
	*passwords
	*sessions
	*mails
	*uploads
	*checks
	*presets
	*courses
	*reports
	*cases
	*collections
	*sources
	*removals
	*platforms
	*assets
	*integrations
	*webhooks
	*deletions
	*remains
	*exports
	*results
	*keeper
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
	p.Dir = f.Path(storage.Collections)
	k := new(keeper)
	queue := work.New(f, k, p, opts.Log)
	d := newDesk(room{f, &opts}, opener, queue, k)
	if err := errors.Join(d.checkCluster(ctx), f.Sweep(ctx)); err != nil {
		return nil, nil, err
	}
	d.started = time.Now()
	last, err := lastUse(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	d.clock.unused(last, d.started)
	d.scrub(ctx) // after a deletion that was interrupted
	return d, queue, nil
}

// Beside returns a desk for commands of the operator on a folder of [storage.Beside]. It has no jobs and
// no indexes.
func Beside(f *storage.Folder) *Desk {
	return newDesk(room{f, &Options{Now: time.Now, Passwords: accounts.Recommended()}}, nil, nil, new(keeper))
}

// newDesk returns a desk with all its rooms. Each has only those before it. It fills the keeper of the queue.
func newDesk(r room, opener *indexes.Opener, queue *work.Queue, k *keeper) *Desk {
	files, turns := r.folder.Shelf(storage.Files), rounds{r, queue}
	d := &Desk{room: r, indexes: opener, keeper: k}
	d.uploads = &uploads{r, files}
	d.mails = &mails{turns}
	d.passwords = newPasswords(r)
	d.sessions = &sessions{r, d.mails, d.passwords, accounts.NewLimiter(5, 5*time.Minute)}
	d.people = &people{r, d.mails, d.uploads}
	d.checks = &checks{r, queue, d.uploads}
	d.reports = &reports{r, d.checks, r.folder.Shelf(storage.Reports), make(chan struct{}, 1)}
	d.remains = &remains{room: r, files: files, indexes: opener, uploads: d.uploads, reports: d.reports}
	d.deletions = &deletions{r, d.remains}
	d.presets = &presets{r, d.uploads, d.remains}
	d.courses = &courses{r, queue, d.uploads, d.checks, d.reports, d.deletions}
	d.cases = &cases{r, d.mails, d.checks, d.reports, d.remains}
	d.collections = &collections{r, queue, opener, d.uploads, d.reports, d.remains}
	d.sources = &sources{r, queue, d.collections}
	d.removals = &removals{r, queue, d.collections, d.reports, d.remains}
	d.webhooks = &webhooks{turns}
	d.platforms = &platforms{r}
	d.assets = &assets{turns, d.uploads, d.platforms}
	d.integrations = &integrations{r, queue, files, d.uploads, d.checks, d.reports, d.deletions, d.webhooks}
	d.exports = &exports{r, files, d.checks, d.reports, d.collections}
	d.results = &results{r, d.mails, d.reports, d.remains}
	*k = keeper{room: r, files: files, swept: time.Now(), uploads: d.uploads, checks: d.checks, presets: d.presets, courses: d.courses, results: d.results,
		collections: d.collections, sources: d.sources, removals: d.removals, integrations: d.integrations, deletions: d.deletions, remains: d.remains}
	return d
}

// A Health is the state of a server.
type Health struct {
	Jobs map[string]int `json:"jobs"`           // by state
	Used int64          `json:"used"`           // bytes of the data folder
	Free int64          `json:"free,omitempty"` // bytes left on its disk, 0 where unknown

	Remains []Remain `json:"remains,omitempty" doc:"what deletions still have to remove, the oldest first"`

	Cluster *indexes.Cluster `json:"cluster,omitempty" doc:"with the collections, unless they are in folders"`
}

// Health returns the state of the server.
func (d *Desk) Health(ctx context.Context, a accounts.Actor) (*Health, error) {
	if err := may(a, accounts.ReadHealth); err != nil {
		return nil, err
	}
	jobs, err := d.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	h := &Health{Jobs: jobs, Free: free(d.folder.Path()), Cluster: d.indexes.Cluster(ctx)}
	if h.Remains, err = d.remains.waiting(ctx); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(d.folder.Path(), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if os.IsNotExist(err) { // removed meanwhile
				return nil
			}
			return err
		}
		if info, err := e.Info(); err == nil {
			h.Used += info.Size()
		}
		return ctx.Err()
	})
	return h, err
}

// Cluster returns the state of the cluster with the collections, nil if there is none.
func (d *Desk) Cluster(ctx context.Context) *indexes.Cluster { return d.indexes.Cluster(ctx) }

// Full reports whether the disk is full, so that uploads are refused.
func (d *Desk) Full() bool { return d.folder.Full() }

// ReadOnly returns why nothing can be written to the data folder, nil if it can.
func (d *Desk) ReadOnly() error { return d.folder.ReadOnly() }

// Jobs returns the number of jobs by state.
func (d *Desk) Jobs(ctx context.Context) (map[string]int, error) {
	type count struct {
		state string
		n     int
	}
	counts, err := list(ctx, d.folder.Read, func(row func(...any) error, c *count) error { return row(&c.state, &c.n) },
		`SELECT state, count(*) FROM jobs GROUP BY state`)
	jobs := map[string]int{}
	for _, c := range counts {
		jobs[c.state] = c.n
	}
	return jobs, err
}
