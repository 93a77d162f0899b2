package desk

import (
	"context"
	"database/sql"
	"errors"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// insertJob queues a job for a collection.
func insertJob(ctx context.Context, tx *sql.Tx, kind, collection string) (id string, err error) {
	return insertJobIn(ctx, tx, work.Queued, kind, collection)
}

// insertJobIn adds a job in a state.
func insertJobIn(ctx context.Context, tx *sql.Tx, state, kind, collection string) (id string, err error) {
	id = accounts.NewID()
	return id, exec(ctx, tx, `INSERT INTO jobs (id, kind, collection_id, state, ready, created) VALUES (?, ?, ?, ?, 0, ?)`, id, kind, collection, state, now())
}

// errEnded is the error for the outcome of a job that was cancelled, or taken over by another server.
var errEnded = errors.New("the job was cancelled or taken over")

// stillRuns returns errEnded unless the job still runs at its server.
func stillRuns(ctx context.Context, tx *sql.Tx, j work.Job) error {
	runs, err := work.Runs(ctx, tx, j)
	if err == nil && !runs {
		return errEnded
	}
	return err
}

// endJob records the end of a job.
func endJob(ctx context.Context, tx *sql.Tx, id, state string, failure error) error {
	reason, message := storage.Reason(failure)
	return exec(ctx, tx, `UPDATE jobs SET state = ?, reason = ?, message = ? WHERE id = ?`, state, reason, message, id)
}

// cancelJob ends a job that is queued or running.
func cancelJob(ctx context.Context, tx *sql.Tx, id string) error {
	return exec(ctx, tx, `UPDATE jobs SET state = 'cancelled' WHERE id = ? AND state IN ('queued', 'running')`, id)
}

// deleteJobs deletes the jobs of a collection.
func deleteJobs(ctx context.Context, tx *sql.Tx, collection string) error {
	return exec(ctx, tx, `DELETE FROM jobs WHERE collection_id = ?`, collection)
}
