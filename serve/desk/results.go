package desk

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The results are what the jobs that check texts found.
type results struct {
	room
	mails   *mails
	reports *reports
	remains *remains
}

// finish stores the reports of a job and the scores after the decisions on earlier ones.
func (d *results) finish(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	results, err := d.collect(ctx, j, task, o)
	if err != nil {
		return err
	}
	for i := range results {
		r := &results[i]
		if r.report == "" {
			continue
		}
		if err := d.decideAgain(ctx, r, filepath.Join(task.Out, filepath.Base(r.report)), task.Among); err != nil {
			return err
		}
	}
	return d.record(ctx, j, task, results)
}

// record stores the reports of a job and its results. If it returns an error, no new report is left,
// unless the database or the store of reports does not answer: then the server removes them later.
func (d *results) record(ctx context.Context, j work.Job, task *work.Task, results []result) (err error) {
	drafts, err := d.storeReports(ctx, j, task, results)
	defer func() {
		if err != nil && len(drafts) > 0 {
			d.remains.remove(context.WithoutCancel(ctx), drafts)
		}
	}()
	if err != nil {
		return err
	}
	var replaced []string
	err = whileRuns(ctx, d.folder, j, func(tx *storage.Tx) {
		before := marksOf(tx, j)
		var earlier []remain
		for _, r := range results {
			r.store(tx)
			if r.before > 0 && r.report != "" {
				earlier = append(earlier, remain{kind: remainReport, name: reportName(r.id, r.before), key: r.id})
			}
		}
		replaced = insertRemains(tx, earlier...)
		recordDrafts(tx, drafts)
		notePrivate(tx, j, task, results)
		d.mails.informOfCourse(tx, j, before)
		endJob(tx, j.ID, work.Done, nil)
	})
	if err == nil && len(replaced) > 0 {
		d.remains.remove(ctx, replaced)
	}
	return err
}

// storeReports stores the reports of a job as drafts, whose rows have the ids that it returns, also with
// an error. It removes those of an earlier run of the job, which was interrupted.
func (d *results) storeReports(ctx context.Context, j work.Job, task *work.Task, results []result) (drafts []string, err error) {
	var stored []result
	var unrecorded []remain
	for _, r := range results {
		if r.report != "" {
			stored = append(stored, r)
			unrecorded = append(unrecorded, remain{kind: remainDraft, name: reportName(r.id, r.before+1), member: j.ID, key: j.Server})
		}
	}
	if len(unrecorded) == 0 {
		return nil, nil
	}
	var earlier []string
	err = whileRuns(ctx, d.folder, j, func(tx *storage.Tx) {
		earlier = rows(tx, scanString, draftsOf, j.ID)
		drafts = insertRemains(tx, unrecorded...)
	})
	if err != nil {
		return nil, err
	}
	if len(earlier) > 0 {
		d.remains.remove(ctx, earlier)
	}
	for i, r := range stored {
		if err := d.reports.shelf.MoveIn(ctx, filepath.Join(task.Out, filepath.Base(r.report)), unrecorded[i].name); err != nil {
			return drafts, err
		}
	}
	return drafts, nil
}

// A result is the row of a check after its job.
type result struct {
	id, like     string // like is the id of the row of its file
	path         string
	reason       error  // why it failed
	report       string // file name
	text         work.Text
	before       int     // number of the report of the check before, 0 for none
	score        float64 // percent, after decisions
	countedWords         // of that score
	decided      int64   // number of the decisions, 0 for none
	overview     string
}

// A row is the row of a check whose job runs.
type row struct {
	id, file, path string
	report         int // number, 0 for none
	taken          bool
}

// rowsOf returns the rows of a job, in the order of the files of its task.
func (d *results) rowsOf(ctx context.Context, j work.Job, task *work.Task) ([][]row, error) {
	rows, err := list(ctx, d.folder.Read, func(scan func(...any) error, r *row) error { return scan(&r.id, &r.file, &r.path, &r.report) },
		`SELECT id, file, path, reported FROM checks WHERE job_id = ? ORDER BY rowid`, j.ID)
	if err != nil {
		return nil, err
	}
	places := make(map[string]int, len(task.Files))
	for i, f := range task.Files {
		places[filepath.Base(f.Path)] = i
	}
	all := make([][]row, len(task.Files))
	for _, r := range rows {
		i, ok := places[r.file]
		if !ok {
			return nil, errEnded
		}
		all[i] = append(all[i], r)
	}
	if slices.ContainsFunc(all, func(rows []row) bool { return len(rows) == 0 }) {
		return nil, errEnded
	}
	return all, nil
}

// claimRow returns the row of a text of a file: that of an earlier check of the text, or the one of the
// file, which was not checked yet. It returns nil if the text needs a new row.
func claimRow(rows []row, file, path string) *row {
	for _, sought := range []string{path, file} {
		for i := range rows {
			if r := &rows[i]; r.path == sought && !r.taken {
				r.taken = true
				return r
			}
		}
	}
	return nil
}

// collect returns the results of a job. The first text of a file takes the row of the file; the
// others, members of an archive, get rows of their own, which later checks of the file find again.
func (d *results) collect(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) ([]result, error) {
	rows, err := d.rowsOf(ctx, j, task)
	if err != nil {
		return nil, err
	}
	var all []result
	add := func(file int, r result) {
		r.id, r.like = accounts.NewID(), rows[file][0].id
		if row := claimRow(rows[file], task.Files[file].Name, r.path); row != nil {
			r.id, r.like, r.before = row.id, row.id, row.report
		}
		all = append(all, r)
	}
	for _, t := range o.Texts {
		if t.File < 0 || t.File >= len(rows) {
			continue
		}
		r := result{path: t.Path, report: t.Report, text: t}
		if t.Row.RowCount != nil { // nil for a text that was listed
			r.score, r.countedWords = t.Row.Percent, countOf(t.Row.RowCount)
		}
		add(t.File, r)
	}
	for _, u := range o.Unread {
		for i, f := range task.Files {
			if u.Path == f.Name || strings.HasPrefix(u.Path, f.Name+document.MemberMark) {
				add(i, result{path: u.Path, reason: phrase.Kept(u.Reason, u.Message)})
				break
			}
		}
	}
	for _, left := range rows {
		for _, r := range left {
			if !r.taken {
				all = append(all, result{id: r.id, like: r.id, path: r.path, reason: errNoText})
			}
		}
	}
	return all, nil
}

// errNoText is the reason for a file without texts, such as an empty archive.
var errNoText = phrase.Error("serve.no-text", "the file has no text")

// decideAgain counts the score of a text that was checked again with the decisions on it, and what the
// text shares with others.
func (d *results) decideAgain(ctx context.Context, r *result, path string, among bool) error {
	saved, number, err := d.reports.latest(ctx, r.id)
	if err != nil || saved == nil && !among {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found, err := report.ReadJSON(bytes.NewReader(data))
	if saved == nil {
		if err == nil {
			r.overview, err = overviewOf(found)
		}
		if err != nil { // the overview of the course reads the report again
			d.opts.Log.Warn("read a new report", "cause", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	decisions, err := report.ReadDecisions(bytes.NewReader(saved))
	if err != nil {
		return err
	}
	if err := report.Decide(found, decisions); err != nil {
		return err
	}
	if r.overview, err = overviewOf(found); err != nil {
		return err
	}
	r.score, r.countedWords, r.decided = found.Final().Percent, countOf(report.RowOf(found, "").RowCount), number
	r.text.Row.Sources = report.SourcesLeft(found)
	return nil
}

// store writes a result into its row, which it creates for a further text of a file. If the score
// rose by more than the course of the text allows, the row keeps the one before.
func (r *result) store(tx *storage.Tx) {
	r.insert(tx)
	if r.report == "" {
		r.fail(tx)
		return
	}
	var decided int64
	tx.Row(`SELECT coalesce(max(number), 0) FROM decisions WHERE check_id = ?`, r.id).Scan(&decided)
	if decided != r.decided { // a decision was stored after the score was counted: the job runs again
		tx.Fail(ErrLater)
	}
	// Only a check that changes the score adds one: in a course, each late text checks all others again.
	tx.Exec(`INSERT INTO check_scores (check_id, at, score) SELECT ?1, ?2, ?3 WHERE ?3 IS DISTINCT FROM (SELECT score FROM check_scores WHERE check_id = ?1 ORDER BY number DESC LIMIT 1)`, r.id, now(), r.score)
	row := r.text.Row
	tx.Change(ErrNotFound, `UPDATE checks SET state = 'done', path = ?1, folded = ?2, reason = '', message = '', reported = ?3, score = ?4, found = ?5, words = ?6, sources = ?7, flags = ?8, partial = ?9, finished = ?10,
		overview = ?13, (`+countColumns+`) = (?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21),
		rose = CASE WHEN ?4 - coalesce(rose, base) > `+riseOf+` THEN coalesce(rose, base) END,
		base = CASE WHEN base <= ?4 AND (?4 - base > `+riseOf+`) IS NOT TRUE THEN base ELSE ?4 END WHERE id = ?11 AND reported = ?12`,
		append([]any{r.path, storage.Fold(r.path), r.before + 1, r.score, row.Found, row.Words, row.Sources, r.text.Flags, len(row.Unsearched) > 0, now(), r.id, r.before, r.overview}, r.values()...)...)
}

// insert creates the row of a further text of a file.
func (r *result) insert(tx *storage.Tx) {
	if r.id == r.like {
		return
	}
	tx.Exec(`INSERT INTO checks (id, submission_id, job_id, file, name, path, size, state, created, user_id, keep, keep_set)
		SELECT ?, submission_id, job_id, file, name, ?, size, 'running', created, user_id, keep, keep_set FROM checks WHERE id = ?`, r.id, r.path, r.like)
}

// fail records why a text was not checked.
func (r *result) fail(tx *storage.Tx) {
	reason, message := storage.Reason(r.reason)
	tx.Change(ErrNotFound, `UPDATE checks SET state = 'failed', path = ?, folded = ?, reason = ?, message = ?, finished = ? WHERE id = ?`, r.path, storage.Fold(r.path), reason, message, now(), r.id)
}

// recordList gives each text of a file that waits for the date of its course a row, which says why the text cannot be
// checked if it is damaged.
func (d *results) recordList(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	results, err := d.collect(ctx, j, task, o)
	if err != nil {
		return err
	}
	return whileRuns(ctx, d.folder, j, func(tx *storage.Tx) {
		for _, r := range results {
			r.insert(tx)
			if r.reason != nil {
				r.fail(tx)
			} else {
				tx.Change(ErrNotFound, `UPDATE checks SET state = 'waiting', path = ?, folded = ? WHERE id = ?`, r.path, storage.Fold(r.path), r.id)
			}
		}
		tx.Exec(`UPDATE checks SET job_id = (SELECT job_id FROM courses WHERE id = submission_id) WHERE job_id = ?`, j.ID)
		endJob(tx, j.ID, work.Done, nil)
	})
}

// riseOf selects the rise of a score that the course of a check allows, NULL for a check of no course.
const riseOf = `(SELECT rise FROM courses k WHERE k.id = checks.submission_id)`
