package desk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

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
	if j.Kind == work.Gather {
		if task.Source, err = d.sources.sourceTask(ctx, j); err != nil {
			return nil, err
		}
		task.Gone, err = list(ctx, d.folder.Read, scanString, `SELECT mark FROM forgotten WHERE collection_id = ?`, j.Collection)
		return task, err
	}
	if j.Kind == work.Remove {
		task.Names, err = d.removals.removalNames(ctx, j)
		return task, err
	}
	query := `SELECT file, name FROM checks WHERE job_id = ? GROUP BY file, name ORDER BY min(rowid)`
	if j.Kind == work.Add {
		query = `SELECT file, name FROM additions WHERE job_id = ? AND state = 'running'`
	}
	task.Files, err = list(ctx, d.folder.Read, func(row func(...any) error, f *work.File) error { return row(&f.Path, &f.Name) }, query, j.ID)
	if err == nil && j.Kind == work.Add {
		err = d.folder.Read.QueryRowContext(ctx, `SELECT kind IN (?1, ?2), kind = ?2 FROM additions WHERE job_id = ?3`, tableKind, documentKind, j.ID).Scan(&task.Table, &task.Whole)
	}
	if err != nil {
		return nil, err
	}
	if j.Kind == work.Add || j.Kind == work.Read || j.Kind == work.List {
		return task, d.uploads.fetch(ctx, task)
	}
	var preset string
	var submission string
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, among, preset FROM submissions WHERE id = (SELECT submission_id FROM checks WHERE job_id = ? LIMIT 1)`, j.ID).Scan(&submission, &task.Among, &preset)
	if err != nil {
		return nil, err
	}
	further, err := d.checks.further(ctx, submission)
	if err != nil {
		return nil, err
	}
	if task.Collections, err = d.collections.ready(ctx, append([]string{j.Collection}, further...)...); err != nil {
		return nil, err
	}
	task.Skip, err = list(ctx, d.folder.Read, scanString, `SELECT path FROM checks WHERE submission_id = ?1 AND NOT counts AND file IN (SELECT file FROM checks WHERE job_id = ?2)`, submission, j.ID)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(preset), &task.Preset); err != nil {
		return nil, err
	}
	if err := d.integrations.askedFor(ctx, j, task); err != nil {
		return nil, err
	}
	if task.Private, err = d.collections.private(ctx, submission, task.Collections); err != nil {
		return nil, err
	}
	if task.Given, err = d.presets.givenFiles(ctx, task.Preset.Given); err != nil {
		return nil, err
	}
	return task, d.uploads.fetch(ctx, task)
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
