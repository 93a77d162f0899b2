package work

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
)

// States of jobs, checks and additions.
const (
	Waiting   = "waiting" // for the date of a course
	Queued    = "queued"
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// maxTries is how often a job runs whose process crashes.
const maxTries = 2

// delay is the default of Program.Wait.
const delay = 15 * time.Second

// recordStep is the time after which the failure of a job is recorded again.
const recordStep = time.Second

// A Job is a row of jobs that a worker executes.
type Job struct {
	ID, Kind, Collection string
	Tries                int
	Server               string // id of the server that runs it
}

// A Keeper prepares tasks and records outcomes.
type Keeper interface {
	// Start returns the task of a job.
	Start(ctx context.Context, j Job) (*Task, error)
	// Finish records the outcome of a job and its state in one transaction.
	Finish(ctx context.Context, j Job, task *Task, o *Outcome) error
	// Due creates the jobs whose time has come. It is called at intervals.
	Due(ctx context.Context) error
}

// due calls Keeper.Due, unless another server does.
func (q *Queue) due(ctx context.Context) {
	if !q.Leads() {
		return
	}
	if err := q.keeper.Due(ctx); err != nil && ctx.Err() == nil {
		q.log.Error("create due jobs", "cause", err)
	}
}

// every calls fn at intervals until ctx ends, the first time after one.
func every(ctx context.Context, interval time.Duration, fn func(context.Context)) {
	for {
		if pause.For(ctx, interval) != nil {
			return
		}
		fn(ctx)
	}
}

// A Queue executes jobs.
type Queue struct {
	folder  *storage.Folder
	keeper  Keeper
	program Program
	log     *slog.Logger
	wake    chan struct{}

	leads atomic.Bool // this server schedules

	mu      sync.Mutex
	running map[string]*process // by job
	server  string              // id of this server in the database
	seen    time.Time           // last time that the database recorded it

	Finished, Crashed atomic.Int64 // counters for metrics
}

// errCancelled is the cause of the end of a job that a user cancelled.
var errCancelled = errors.New("cancelled")

// New returns a queue. No job runs before [Queue.Run].
func New(f *storage.Folder, k Keeper, p Program, log *slog.Logger) *Queue {
	p.Wait = cmp.Or(p.Wait, delay)
	return &Queue{folder: f, keeper: k, program: p, log: log, wake: make(chan struct{}, 1), running: map[string]*process{}, server: rand.Text()}
}

// Wake makes the queue look for jobs at once.
func (q *Queue) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Cancel ends the process of a job. The caller has set its state.
func (q *Queue) Cancel(job string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.running[job]; p != nil {
		p.cancel(errCancelled)
	}
}

type process struct {
	cancel context.CancelCauseFunc
	at     check.Progress
}

// Progress returns the progress of a running job, the zero value if it is unknown.
func (q *Queue) Progress(job string) (at check.Progress) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.running[job]; p != nil {
		at = p.at
	}
	return at
}

// Leads reports whether this server does the work that only one server does. Servers that share no
// folder do it from the start.
func (q *Queue) Leads() bool { return !q.folder.Shared() || q.leads.Load() }

// beat records a sign of life of this server and cancels the jobs that it has lost: those that users
// cancelled at another server, and all if it could not record one for too long. Then it takes a new
// id, and the database queues the jobs of the old one again.
func (q *Queue) beat(ctx context.Context) error {
	q.mu.Lock()
	if time.Since(q.seen) > storage.Lease*2/3 && !q.seen.IsZero() {
		q.server = rand.Text()
		for _, p := range q.running {
			p.cancel(errCancelled)
		}
	}
	id, at := q.server, time.Now()
	q.mu.Unlock()
	oldest, err := q.folder.Beat(ctx, id)
	if err == nil {
		err = q.release(ctx, id)
	}
	q.leads.Store(err == nil && oldest)
	if err != nil {
		return err
	}
	q.mu.Lock()
	q.seen = at
	q.mu.Unlock()
	return nil
}

const beatStep = 5 * time.Second

// beatAgain calls beat. If that fails, the next one may succeed.
func (q *Queue) beatAgain(ctx context.Context) {
	if err := q.beat(ctx); err != nil && ctx.Err() == nil {
		q.log.Error("record a sign of life", "cause", err)
	}
}

// release cancels the processes whose jobs no longer run at this server.
func (q *Queue) release(ctx context.Context, id string) error {
	q.mu.Lock()
	jobs := slices.Collect(maps.Keys(q.running))
	q.mu.Unlock()
	for _, job := range jobs {
		var runs bool
		err := q.folder.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = 'running' AND server = ?)`, job, id).Scan(&runs)
		if err != nil {
			return err
		}
		if !runs {
			q.Cancel(job)
		}
	}
	return nil
}

// leaving is the time limit for telling the database of a shared folder that this server stops.
const leaving = 5 * time.Second

// Run executes jobs, up to workers in parallel, until ctx ends. Jobs that were running when an
// earlier server stopped run again, without using up a try. In a shared folder, another server runs
// those of this one at once when it stops. In a folder that can only be read, no job runs.
func (q *Queue) Run(ctx context.Context, workers int) error {
	if q.folder.ReadOnly() != nil {
		<-ctx.Done()
		return nil
	}
	if err := q.beat(ctx); err != nil {
		return err
	}
	var group sync.WaitGroup
	group.Go(func() {
		q.due(ctx)
		every(ctx, q.program.Wait/3, q.due)
	})
	if q.folder.Shared() {
		group.Go(func() { every(ctx, beatStep, q.beatAgain) })
	}
	for range workers {
		group.Go(func() { q.work(ctx) })
	}
	group.Wait()
	if q.folder.Shared() {
		q.leave(ctx)
	}
	return nil
}

// leave hands the jobs of this server over to the others, after its processes have ended. If the
// database does not answer, they take the jobs after [storage.Lease].
func (q *Queue) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	if err := q.folder.Leave(ctx, q.server); err != nil {
		q.log.Error("leave the other servers", "cause", err)
	}
}

func (q *Queue) work(ctx context.Context) {
	for ctx.Err() == nil {
		job, ok, err := q.claim(ctx)
		if err != nil && ctx.Err() == nil {
			q.log.Error("claim a job", "cause", err)
		}
		if ok {
			q.Wake() // another worker may find a job, too
			q.execute(ctx, job)
			continue
		}
		select {
		case <-ctx.Done():
		case <-q.wake:
		case <-time.After(time.Second):
		}
	}
}

// isReady is true for a job whose time has come, at the time ?. One that is later than the second time,
// by more than the delay, waits for nothing: the clock was turned back.
const isReady = `(ready <= ? OR ready > ?)`

// claim marks the oldest job that is ready as running. At most one addition or removal runs for a
// collection, and at most one job gathers. No removal runs beside a job that gathers for the
// collection, or before an earlier addition that waits after a failure: either could add the documents
// again.
func (q *Queue) claim(ctx context.Context) (j Job, ok bool, err error) {
	const ready = `SELECT id, kind, collection_id, tries + 1 FROM jobs WHERE state = 'queued' AND ` + isReady + ` AND NOT (kind IN ('add', 'remove') AND EXISTS
		(SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.kind IN ('add', 'remove') AND r.collection_id = jobs.collection_id)) AND NOT (kind = 'gather' AND EXISTS
		(SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.kind = 'gather')) AND NOT (kind = 'remove' AND EXISTS
		(SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.kind = 'gather' AND r.collection_id = jobs.collection_id)) AND NOT (kind = 'gather' AND EXISTS
		(SELECT 1 FROM jobs r WHERE r.state IN ('queued', 'running') AND r.kind = 'remove' AND r.collection_id = jobs.collection_id)) AND NOT (kind = 'remove' AND EXISTS
		(SELECT 1 FROM jobs r WHERE r.state = 'queued' AND r.kind = 'add' AND r.collection_id = jobs.collection_id AND r.created < jobs.created)) ORDER BY created, rowid LIMIT 1`
	now := time.Now().UnixMilli()
	q.mu.Lock()
	j.Server = q.server
	q.mu.Unlock()
	var any bool
	if err := q.folder.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' AND `+isReady+`)`, now, now+q.program.Wait.Milliseconds()).Scan(&any); err != nil || !any {
		return j, false, err
	}
	err = q.folder.Write(ctx, func(tx *storage.Tx) {
		if ok = tx.Row(ready, now, now+q.program.Wait.Milliseconds()).Scan(&j.ID, &j.Kind, &j.Collection, &j.Tries); ok {
			setState(tx, j, Running, nil)
		}
	})
	return j, ok && err == nil, err
}

func setState(tx *storage.Tx, j Job, state string, cause error) {
	reason, message := storage.Reason(cause)
	tx.Exec(`UPDATE jobs SET state = ?, tries = ?, reason = ?, message = ?, server = ? WHERE id = ?`, state, j.Tries, reason, message, j.Server, j.ID)
	for _, rows := range []string{"checks", "additions", "removals"} {
		tx.Exec(`UPDATE `+rows+` SET state = ?, reason = ?, message = ? WHERE job_id = ? AND state IN ('queued', 'running')`, state, reason, message, j.ID)
	}
}

// Runs reports whether a job still runs at its server: it was not cancelled, and no other server has
// taken it over.
func Runs(tx *storage.Tx, j Job) (runs bool) {
	tx.RowOr(sql.ErrNoRows, `SELECT state = 'running' AND server = ? FROM jobs WHERE id = ?`, j.Server, j.ID).Scan(&runs)
	return runs
}

func (q *Queue) execute(ctx context.Context, j Job) {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q.mu.Lock()
	p := &process{cancel: cancel}
	q.running[j.ID] = p
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		delete(q.running, j.ID)
		q.mu.Unlock()
	}()
	start := time.Now()
	err := q.run(running, j, p)
	log := q.log.With("job", j.ID, "kind", j.Kind, "try", j.Tries, "seconds", time.Since(start).Seconds())
	switch {
	case err == nil:
		q.Finished.Add(1)
		log.Info("job done")
		return
	case ctx.Err() != nil, errors.Is(context.Cause(running), errCancelled):
		return // the next server runs it again; a cancelled job has its state
	}
	log.Warn("job failed", "cause", err)
	for { // on a full disk nothing can be recorded
		recorded := q.failed(ctx, j, err)
		if recorded == nil || ctx.Err() != nil {
			return
		}
		q.log.Error("record the failure of a job", "job", j.ID, "cause", recorded)
		_ = pause.For(ctx, recordStep) // the next round ends
	}
}

func (q *Queue) run(ctx context.Context, j Job, p *process) error {
	task, err := q.keeper.Start(ctx, j)
	if errors.Is(err, indexes.ErrAway) {
		return errors.Join(err, q.hold(ctx))
	}
	if err != nil {
		return err
	}
	if task.Out != "" {
		defer os.RemoveAll(task.Out)
	}
	o, err := q.program.Run(ctx, task, func(at check.Progress) {
		q.mu.Lock()
		defer q.mu.Unlock()
		p.at = at
	})
	switch {
	case err != nil:
		return err
	case o.Error != "" && o.Later != "":
		return laterError{o.Error, o.Later}
	case o.Error != "":
		return fileError{phrase.Kept(o.Error, o.Message)}
	}
	return q.keeper.Finish(ctx, j, task, o)
}

// A fileError is an error that another try would repeat.
type fileError struct{ error }

// waits returns why a job waits, for users. A cause on the server may name its files, and is only
// logged.
func waits(crash bool, cause error) error {
	if crash {
		return cause
	}
	for _, known := range []error{indexes.ErrAway, indexes.ErrMissing, bucket.ErrAway} {
		if errors.Is(cause, known) {
			return phrase.Error("serve.waits-for", "{cause}; the server tries again", "cause", known)
		}
	}
	return phrase.Error("serve.waits", "the server cannot do it at the moment, and tries again")
}

const inCluster = `SELECT j.id FROM jobs j JOIN collections k ON k.id = j.collection_id WHERE j.state = 'queued' AND k.index_name != ''
	UNION SELECT c.job_id FROM checks c JOIN submission_collections s ON s.submission_id = c.submission_id JOIN collections k ON k.id = s.collection_id WHERE c.state = 'queued' AND k.index_name != ''`

// hold delays all jobs that need the cluster, so that a long queue does not keep the server busy while
// the cluster does not answer.
func (q *Queue) hold(ctx context.Context) error {
	reason, message := storage.Reason(waits(false, indexes.ErrAway))
	return q.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Exec(`UPDATE jobs SET ready = ?, reason = ?, message = ? WHERE state = 'queued' AND id IN (`+inCluster+`)`, time.Now().Add(q.program.Wait).UnixMilli(), reason, message)
		for _, rows := range []string{"checks", "additions", "removals"} {
			tx.Exec(`UPDATE `+rows+` SET reason = ?, message = ? WHERE state = 'queued' AND job_id IN (`+inCluster+`)`, reason, message)
		}
	})
}

// failed queues a job again, or sets it aside. Only a crash of the process uses up a try: the files
// do not cause other errors.
func (q *Queue) failed(ctx context.Context, j Job, cause error) error {
	crash := errors.Is(cause, errCrashed)
	if crash {
		q.Crashed.Add(1)
	}
	again := !errors.As(cause, new(fileError)) && (!crash || j.Tries < maxTries)
	return q.folder.Write(ctx, func(tx *storage.Tx) {
		if !Runs(tx, j) {
			return
		}
		if !again {
			if crash {
				cause = phrase.Error("serve.set-aside", "set aside after {n} tries: {cause}", "n", j.Tries, "cause", cause)
			}
			setState(tx, j, Failed, cause)
			return
		}
		if !crash {
			j.Tries--
			tx.Exec(`UPDATE jobs SET ready = ? WHERE id = ?`, time.Now().Add(q.program.Wait).UnixMilli(), j.ID)
		}
		setState(tx, j, Queued, waits(crash, cause))
	})
}
