package desk

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A keeper prepares the tasks of jobs, and records what they found.
type keeper struct {
	room
	files   *storage.Shelf
	swept   time.Time // when files without a row were removed
	started time.Time
	clock   steadiness

	uploads      *uploads
	checks       *checks
	presets      *presets
	courses      *courses
	results      *results
	collections  *collections
	sources      *sources
	removals     *removals
	integrations *integrations
	deletions    *deletions
	remains      *remains
}

// Start implements [work.Keeper].
func (d *keeper) Start(ctx context.Context, j work.Job) (*work.Task, error) {
	task := &work.Task{Kind: j.Kind}
	var err error
	if task.Collections, err = d.collections.ready(ctx, j.Collection); err != nil {
		return nil, err
	}
	switch j.Kind {
	case work.Gather:
		return task, d.sources.setSource(ctx, j, task)
	case work.Remove:
		task.Names, err = d.removals.removalNames(ctx, j)
		return task, err
	case work.Add:
		err = d.collections.setFiles(ctx, j, task)
	case work.Read, work.List:
		err = d.checks.setFiles(ctx, j, task)
	default:
		err = d.startCheck(ctx, j, task)
	}
	if err != nil {
		return nil, err
	}
	return task, d.uploads.fetch(ctx, task)
}

// startCheck sets what a job checks, and how.
func (d *keeper) startCheck(ctx context.Context, j work.Job, task *work.Task) error {
	if err := d.checks.setFiles(ctx, j, task); err != nil {
		return err
	}
	submission, further, err := d.checks.setSettings(ctx, j, task)
	if err != nil {
		return err
	}
	if task.Collections, err = d.collections.ready(ctx, append([]string{j.Collection}, further...)...); err != nil {
		return err
	}
	if err := d.integrations.applyRequest(ctx, j, task); err != nil {
		return err
	}
	if task.Private, err = d.collections.privateCollections(ctx, submission, task.Collections); err != nil {
		return err
	}
	task.Given, err = d.presets.givenFiles(ctx, task.Preset.Given)
	return err
}

// Due implements [work.Keeper].
func (d *keeper) Due(ctx context.Context) error {
	err := errors.Join(d.folder.Reserve(free(d.folder.Path())), d.remains.dueRemains(ctx), d.sources.dueSources(ctx), d.courses.dueCourses(ctx), d.integrations.dueIntegrated(ctx), unlessAway(d.collections.deleteIndexes(ctx)), d.dueSweep(ctx))
	if d.steady() {
		err = errors.Join(err, d.deletions.dueChecks(ctx), d.removals.dueDocuments(ctx))
	}
	return err
}

// sweepStep is the time between two removals of files without a row.
const sweepStep = 24 * time.Hour

// dueSweep removes files that a deletion left since their store did not answer, or that another server
// left, temporary ones as soon as that has ended. A folder that is not shared has such files only until the next start.
func (d *keeper) dueSweep(ctx context.Context) error {
	if d.folder.Shared() {
		if err := d.folder.Sweep(ctx, storage.Work); err != nil {
			return err
		}
	}
	if !d.files.Waits() || time.Since(d.swept) < sweepStep {
		return nil
	}
	d.swept = time.Now()
	return d.folder.Sweep(ctx, storage.Files, storage.Reports)
}

// Finish implements [work.Keeper].
func (d *keeper) Finish(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	switch j.Kind {
	case work.Add, work.Gather:
		return d.collections.finishAddition(ctx, j, task, o)
	case work.Remove:
		return d.removals.finishRemoval(ctx, j, task, o)
	case work.Read:
		return d.integrations.finishReading(ctx, j, o)
	case work.List:
		return d.results.recordList(ctx, j, task, o)
	}
	return d.results.finish(ctx, j, task, o)
}

// clockError is how far the clocks of servers may differ, or one may be turned back, without a
// consequence.
const clockError = 10 * time.Minute

// ErrClockBack is the error for a code of the second factor that may be right, while the last one that was
// used is of the future.
var ErrClockBack error = phrase.Error("account.clock-back", "the clock of the server was turned back, so it accepts no codes of the app: use a recovery code, and ask an administrator to set the clock")

// ClockBack returns the time of the latest entry of the audit log or use of a session, if it is in the
// future: the clock of this machine was turned back, or was ahead. It returns the zero time otherwise.
//
// Nothing is lost then. Sessions of the future have ended, jobs and webhooks do not wait for their time,
// and due times are those of the present clock.
func (d *Desk) ClockBack(ctx context.Context) (newest time.Time, err error) {
	newest, err = lastUse(ctx, d.folder)
	if err != nil || !newest.After(time.Now().Add(clockError)) {
		return time.Time{}, err
	}
	return newest, nil
}

// lastUse returns the time of the latest entry of the audit log or use of a session, the zero time if there is
// none.
func lastUse(ctx context.Context, f *storage.Folder) (time.Time, error) {
	var at int64
	err := f.Read.QueryRowContext(ctx, `SELECT coalesce(max(at), 0) FROM (SELECT at FROM audit WHERE number > (SELECT coalesce(max(number), 0) FROM audit) - 1000 UNION ALL SELECT seen FROM sessions) x`).Scan(&at)
	return timeOf(at), err
}

// steadyFor is how long the clock of the machine must run without a jump before retention deletes anything:
// most clocks that are wrong at the start of a machine are set by then.
const steadyFor = time.Hour

// unusedFor is the time without an entry of the audit log or use of a session after which a start is like a
// jump of the clock: the server may have been off, or its clock may be ahead.
const unusedFor = 24 * time.Hour

// A steadiness finds jumps of the clock of the machine by its monotonic clock. The zero value has seen
// none.
type steadiness struct {
	mu    sync.Mutex
	wall  time.Time     // of the last look
	run   time.Duration // monotonic time of the last look
	until time.Duration // monotonic time at which the clock counts as steady
}

// look reports whether the clock is steady when it shows wall, a time after the start by the monotonic clock.
func (s *steadiness) look(wall time.Time, run time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if jump := wall.Sub(s.wall) - (run - s.run); !s.wall.IsZero() && jump.Abs() > clockError {
		s.until = run + steadyFor
	}
	s.wall, s.run = wall, run
	return run >= s.until
}

// unused notes the last time at which the data were used before the start, the zero time if never.
func (s *steadiness) unused(last, start time.Time) {
	if !last.IsZero() && start.Sub(last) > unusedFor {
		s.until = steadyFor
	}
}

// steady reports whether the clock of the machine has run without a jump for long enough.
func (d *keeper) steady() bool {
	at := time.Now()
	return d.clock.look(at.Round(0), at.Sub(d.started))
}
