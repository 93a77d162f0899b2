package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk/members"
	"github.com/otisk/otisk/serve/storage"
)

// The deletions remove checks with all that is kept about them, on demand or when their time has come.
type deletions struct {
	room
	remains *remains
}

// States of a deletion: all is removed, or something is left for later.
const (
	Removed     = "done"
	RemoveLater = "queued"
)

// A Deleted counts what the deletion of checks removed.
type Deleted struct {
	State     string `json:"state" enum:"done,queued" doc:"queued if something is still in the data folder: the server removes it as soon as it can"`
	Checks    int    `json:"checks" doc:"that are deleted"`
	Report    bool   `json:"report" doc:"a report is deleted"`
	Decisions int    `json:"decisions" doc:"states of decisions that are deleted"`
	Steps     int    `json:"steps" doc:"steps of cases that are deleted"`
	Links     int    `json:"links" doc:"links to the checks that are deleted"`
	Quoting   int    `json:"quoting" doc:"reports on other texts of the submission that quoted the text, and no longer do"`
	File      bool   `json:"file" doc:"the uploaded file is deleted, or its part with the text"`
	Archive   string `json:"archive,omitempty" doc:"name of an uploaded archive that still contains the text, since other checks need it and a part of it cannot be deleted"`
}

// DeleteCheck deletes a check with its report and decisions, its links and its file, and removes
// what reports on other texts of the submission quote of its text. A file in an uploaded zip archive
// is deleted from it; other archives stay until the last of their checks is deleted. DeleteCheck
// returns ErrBusy for a check that is queued or running.
func (d *deletions) DeleteCheck(ctx context.Context, a accounts.Actor, id string) (*Deleted, error) {
	if err := may(a, accounts.DeleteChecks); err != nil {
		return nil, err
	}
	return d.deleteCheck(ctx, a, id, "delete check")
}

// deleteCheck deletes a check and notes it as an action of the audit log.
func (d *deletions) deleteCheck(ctx context.Context, a accounts.Actor, id, action string) (*Deleted, error) {
	const one = `c.id = ?`
	return d.deleteChecks(ctx, one, id, func(tx *storage.Tx, all []doomed) {
		switch {
		case len(all) == 0 || all[0].group != a.Group:
			tx.Fail(ErrNotFound)
		case all[0].busy:
			tx.Fail(ErrBusy)
		}
		note(tx, a, action, id, "")
	})
}

// DeleteSubmission deletes all checks of an upload, as DeleteCheck does. It returns ErrBusy if one of
// them is queued or running. A course is deleted by [Desk.DeleteCourse].
func (d *deletions) DeleteSubmission(ctx context.Context, a accounts.Actor, id string) (*Deleted, error) {
	if err := may(a, accounts.DeleteChecks); err != nil {
		return nil, err
	}
	return d.deleteChecks(ctx, ofSubmission, id, func(tx *storage.Tx, all []doomed) {
		switch {
		case len(all) == 0 || all[0].group != a.Group || all[0].course:
			tx.Fail(ErrNotFound)
		case slices.ContainsFunc(all, func(c doomed) bool { return c.busy }):
			tx.Fail(ErrBusy)
		}
		note(tx, a, "delete upload", id, "")
	})
}

// ofSubmission selects the checks of a submission.
const ofSubmission = `c.submission_id = ?`

// A doomed is a check that is being deleted.
type doomed struct {
	id, submission, group, job, file, name, path string
	report                                       int
	busy, course, among                          bool
}

func scanDoomed(row func(...any) error, c *doomed) error {
	return row(&c.id, &c.submission, &c.group, &c.job, &c.file, &c.name, &c.path, &c.report, &c.busy, &c.course, &c.among)
}

// deleteChecks deletes the checks that a condition with the parameter id selects, if check, which gets
// them and ends the transaction by an error, allows it. Then it removes what they leave.
func (d *deletions) deleteChecks(ctx context.Context, condition, id string, check func(tx *storage.Tx, all []doomed)) (*Deleted, error) {
	gone := new(Deleted)
	var all []doomed
	var left []string
	err := d.folder.Write(ctx, func(tx *storage.Tx) {
		all = rows(tx, scanDoomed, `SELECT c.id, s.id, s.group_id, c.job_id, c.file, c.name, c.path, c.reported, EXISTS (SELECT 1 FROM jobs WHERE id = c.job_id AND state IN ('queued', 'running')),
			EXISTS (SELECT 1 FROM courses WHERE id = s.id), s.among FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE `+condition+` ORDER BY c.rowid`, id)
		check(tx, all)
		for _, c := range all {
			deleteRows(tx, &c, gone)
		}
		left = insertLeft(tx, all)
	})
	if err != nil {
		return nil, err
	}
	done := d.remains.remove(ctx, left)
	gone.State, gone.Quoting, gone.File = Removed, done.reports, done.done
	if !done.done {
		gone.State = RemoveLater
	}
	if done.archive {
		gone.Archive = all[0].name
	}
	return gone, nil
}

// deleteRows deletes the rows of a check.
func deleteRows(tx *storage.Tx, c *doomed, gone *Deleted) {
	deleteIntegrated(tx, c.id)
	var decisions, links, steps int
	tx.Row(`SELECT (SELECT count(*) FROM decisions WHERE check_id = ?1), (SELECT count(*) FROM shares WHERE check_id = ?1), (SELECT count(*) FROM case_steps WHERE check_id = ?1)`, c.id).Scan(&decisions, &links, &steps)
	tx.Exec(`UPDATE jobs SET reason = '', message = '' WHERE id = ?`, c.job) // names of files
	tx.Exec(`DELETE FROM checks WHERE id = ?`, c.id)
	deleteUnused(tx, c.submission)
	gone.Checks, gone.Decisions, gone.Links, gone.Steps = gone.Checks+1, gone.Decisions+decisions, gone.Links+links, gone.Steps+steps
	gone.Report = gone.Report || c.report > 0
	clearDetails(tx, c.id) // names of recipients
}

// insertLeft adds what is left of checks whose rows are deleted: reports, files, and what the reports
// on other texts quote. It returns the ids of its rows, and of the drafts of jobs that no longer run.
func insertLeft(tx *storage.Tx, all []doomed) []string {
	var left []remain
	drafts := map[string][]string{} // by job
	needed := map[string]int{}      // checks that still need a file
	for _, c := range all {
		if drafts[c.job] == nil {
			drafts[c.job] = rows(tx, scanString, draftsOf+` AND `+isLeft, c.job)
		}
		if c.report > 0 {
			left = append(left, remain{kind: remainReport, name: reportName(c.id, c.report), key: c.id})
		}
		others, known := needed[c.file]
		if !known {
			tx.Row(`SELECT count(*) FROM checks WHERE file = ?`, c.file).Scan(&others)
			needed[c.file] = others
		}
		switch {
		case others > 0:
			left = append(left, remain{kind: remainMember, name: c.file, member: members.PathOf(c.name, c.path)})
		case !known:
			left = append(left, remain{kind: remainFile, name: c.file})
		}
		if !c.among {
			continue
		}
		var quoting bool
		tx.Row(`SELECT EXISTS (SELECT 1 FROM checks WHERE submission_id = ? AND reported > 0)`, c.submission).Scan(&quoting)
		if quoting {
			left = append(left, remain{kind: remainQuotes, name: c.submission, member: c.path, key: c.id})
		}
	}
	return slices.Concat(append(slices.Collect(maps.Values(drafts)), insertRemains(tx, left...))...)
}

// mostKeep is the limit of days after which something is deleted: 100 years.
const mostKeep = 36525

// day is the number of milliseconds of a day.
const day = int64(24 * time.Hour / time.Millisecond)

// expiry returns the time at which something created at since is deleted if it is kept for days;
// the zero time for 0 days. It is at least a day after the retention was set, so that an error can
// be corrected.
func expiry(days int, since, set int64) time.Time {
	if days == 0 {
		return time.Time{}
	}
	return timeOf(max(since+int64(days)*day, set+day))
}

func checkKeep(field string, days int) error {
	if days < 0 || days > mostKeep {
		return Wrong(field, "case.keep-days", "the number of days is 0 to {most}; 0 keeps it for ever", "most", mostKeep)
	}
	return nil
}

// KeepCheck sets after how many days from the upload the server deletes a check of the actor's group;
// 0 means never.
func (d *deletions) KeepCheck(ctx context.Context, a accounts.Actor, id string, days int) error {
	return d.change(ctx, errors.Join(may(a, accounts.DeleteChecks), checkKeep("days", days)), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE checks SET keep = ?, keep_set = ? WHERE id = ? AND submission_id IN (SELECT id FROM submissions WHERE group_id = ?)`,
			days, d.opts.Now().UnixMilli(), id, a.Group)
		note(tx, a, "keep check", id, fmt.Sprint(days))
	})
}

// mostDue is the number of checks that are deleted between two looks at other due jobs.
const mostDue = 100

// dueChecks deletes the checks whose time has come, unless their case is open. One that cannot be deleted does not keep the
// others.
func (d *deletions) dueChecks(ctx context.Context) error {
	type dueCheck struct{ id, group string }
	at := d.opts.Now().UnixMilli()
	due, err := list(ctx, d.folder.Read, func(row func(...any) error, c *dueCheck) error { return row(&c.id, &c.group) },
		`SELECT c.id, s.group_id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.keep > 0 AND c.created + c.keep * ?1 <= ?2 AND c.keep_set + ?1 <= ?2 AND c.case_state IN ('', 'closed')
		AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = c.job_id AND state IN ('queued', 'running')) ORDER BY c.created LIMIT ?3`, day, at, mostDue)
	for _, c := range due {
		server := accounts.Actor{Role: accounts.Librarian, Group: c.group}
		_, failed := d.deleteCheck(ctx, server, c.id, "delete check by retention")
		if failed != nil && !errors.Is(failed, ErrNotFound) && !errors.Is(failed, ErrBusy) {
			err = errors.Join(err, fmt.Errorf("delete check %s: %w", c.id, failed))
		}
	}
	return err
}
