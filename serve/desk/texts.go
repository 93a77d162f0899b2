package desk

import (
	"context"
	"database/sql"
	"errors"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A newText is the row of a check to add.
type newText struct {
	submission, job, state string
	user                   *string // who handed it in, nil for the user of the submission
	keep                   int     // days
}

// insertText adds the check of an upload.
func insertText(tx *storage.Tx, u *Upload, t newText) (id string) {
	id = accounts.NewID()
	tx.Exec(`INSERT INTO checks (id, submission_id, job_id, file, name, path, folded, size, state, created, user_id, keep) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, t.submission, t.job, u.file, u.Name, u.Name, storage.Fold(u.Name), u.Size, t.state, now(), t.user, t.keep)
	return id
}

// A courseText is a text of a course, with its file.
type courseText struct{ id, file string }

func scanCourseText(row func(...any) error, t *courseText) error { return row(&t.id, &t.file) }

// queueTexts queues the check of texts, in one job or one for each file. Those that have a report keep
// it until the job is done.
func queueTexts(tx *storage.Tx, course string, all []courseText, together bool) {
	var collection string
	tx.RowOr(sql.ErrNoRows, `SELECT collection_id FROM submissions WHERE id = ?`, course).Scan(&collection)
	jobs := map[string]string{} // by file
	for _, t := range all {
		key := t.file
		if together {
			key = ""
		}
		if jobs[key] == "" {
			jobs[key] = insertJob(tx, work.Queued, work.Check, collection)
		}
		tx.Exec(`UPDATE checks SET job_id = ?, reason = '', message = '', state = CASE state WHEN 'done' THEN state ELSE 'queued' END WHERE id = ?`, jobs[key], t.id)
	}
}

// setJob makes a text wait for another job.
func setJob(tx *storage.Tx, check, job string) {
	tx.Exec(`UPDATE checks SET job_id = ? WHERE id = ?`, job, check)
}

// recordSize sets the words of a text that was only read, or why it failed.
func recordSize(tx *storage.Tx, check, state string, words int, failure error) {
	reason, message := storage.Reason(failure)
	tx.Exec(`UPDATE checks SET state = ?, reason = ?, message = ?, words = ?, finished = CASE ?1 WHEN 'failed' THEN ?5 ELSE 0 END WHERE id = ?6`, state, reason, message, words, now(), check)
}

// repeatFailed makes the texts of a course that count and failed wait for its next check.
func repeatFailed(tx *storage.Tx, course string) {
	tx.Exec(`UPDATE checks SET state = 'waiting', reason = '', message = '', job_id = (SELECT job_id FROM courses WHERE id = ?1) WHERE submission_id = ?1 AND counts AND state IN ('failed', 'cancelled')`, course)
}

// setCounting sets whether a text of a course counts.
func setCounting(tx *storage.Tx, check string, counts bool) {
	tx.Exec(`UPDATE checks SET counts = ? WHERE id = ?`, counts, check)
}

// leaveOut makes the texts of a course no longer count that are in the files of a query, whose first argument is the course.
func leaveOut(tx *storage.Tx, files string, args ...any) {
	tx.Exec(`UPDATE checks SET counts = FALSE WHERE submission_id = ?1 AND counts AND file IN (`+files+`)`, args...)
}

// acceptScores ends the notices of scores of a course that rose.
func acceptScores(tx *storage.Tx, course string) {
	tx.Exec(`UPDATE checks SET base = score, rose = NULL WHERE submission_id = ? AND rose IS NOT NULL`, course)
}

// setVerdict sets the verdict on a finished check of the actor's group.
func setVerdict(tx *storage.Tx, a accounts.Actor, check, verdict, comment string) {
	tx.Change(ErrNotFound, `UPDATE checks SET verdict = ?, comment = ?, verdict_by = ?, verdict_at = ? WHERE id = ? AND state = 'done'
		AND submission_id IN (SELECT id FROM submissions WHERE group_id = ?)`, verdict, comment, a.Login, now(), check, a.Group)
}

// renameVerdicts sets the login of a user in his verdicts.
func renameVerdicts(tx *storage.Tx, from, to string) {
	tx.Exec(`UPDATE checks SET verdict_by = ? WHERE verdict_by = ?`, to, from)
}

// setCase sets the state of the case of a check.
func setCase(tx *storage.Tx, check, state string) {
	tx.Exec(`UPDATE checks SET case_state = ? WHERE id = ?`, state, check)
}

// setLabel sets the label of a submission.
func setLabel(tx *storage.Tx, submission, label string) {
	tx.Exec(`UPDATE submissions SET label = ?, folded = ? WHERE id = ?`, label, storage.Fold(label), submission)
}

// deleteUnused deletes a submission without texts that is no course.
func deleteUnused(tx *storage.Tx, submission string) {
	tx.Exec(`DELETE FROM submissions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM checks WHERE submission_id = submissions.id) AND NOT EXISTS (SELECT 1 FROM courses WHERE id = submissions.id)`, submission)
}

// insertJob adds a job for a collection.
func insertJob(tx *storage.Tx, state, kind, collection string) (id string) {
	id = accounts.NewID()
	tx.Exec(`INSERT INTO jobs (id, kind, collection_id, state, ready, created) VALUES (?, ?, ?, ?, 0, ?)`, id, kind, collection, state, now())
	return id
}

// errEnded is the error for the outcome of a job that was cancelled, or taken over by another server.
var errEnded = errors.New("the job was cancelled or taken over")

// whileRuns runs a transaction, or returns errEnded unless the job still runs at its server.
func whileRuns(ctx context.Context, f *storage.Folder, j work.Job, fn func(tx *storage.Tx)) error {
	return f.Write(ctx, func(tx *storage.Tx) {
		if !work.Runs(tx, j) {
			tx.Fail(errEnded)
			return
		}
		fn(tx)
	})
}

// endJob records the end of a job.
func endJob(tx *storage.Tx, id, state string, failure error) {
	reason, message := storage.Reason(failure)
	tx.Exec(`UPDATE jobs SET state = ?, reason = ?, message = ? WHERE id = ?`, state, reason, message, id)
}

// cancelJob ends a job that is queued or running.
func cancelJob(tx *storage.Tx, id string) {
	tx.Exec(`UPDATE jobs SET state = 'cancelled' WHERE id = ? AND state IN ('queued', 'running')`, id)
}

// deleteJobs deletes the jobs of a collection.
func deleteJobs(tx *storage.Tx, collection string) {
	tx.Exec(`DELETE FROM jobs WHERE collection_id = ?`, collection)
}
