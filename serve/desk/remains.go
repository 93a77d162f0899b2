package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk/members"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
)

// The remains are what deletions still have to remove from the data folder.
type remains struct {
	room
	files     *storage.Shelf
	indexes   *indexes.Opener
	uploads   *uploads
	reports   *reports
	uncleared atomic.Bool // deleted rows are in the log of the database
}

// Kinds of what a deletion still has to remove.
const (
	remainReport = "report" // a report, by the name of its file
	remainDraft  = "draft"  // the same, of a job that has not recorded it: member is the job, and key its server
	remainFile   = "file"   // an uploaded file
	remainMember = "member" // a text in an uploaded archive that other checks need
	remainQuotes = "quotes" // what reports of a submission quote of one of its texts
	remainIndex  = "index"  // the folder of a deleted collection
	remainRows   = "rows"   // deleted rows in the log of the database; never a row of remains
)

// A remain is a row of what a deletion still has to remove.
type remain struct {
	id, kind, name, member, key string
	tries                       int
}

// A Remain is a removal that is not done yet. It has no names, which are deleted.
type Remain struct {
	Kind    string    `json:"kind" enum:"report,draft,file,member,quotes,index,rows" doc:"draft is a report of a job that was interrupted, member is a text in an archive, quotes is what reports quote, rows is in the log of the database"`
	Waits   bool      `json:"waits" doc:"other checks need the archive: the last of them removes it"`
	Tries   int       `json:"tries" doc:"that failed"`
	Created time.Time `json:"created"`
}

// Limits of the times of removals.
const (
	removalWait  = 10 * time.Second // of a request for what it deleted
	removalRetry = 5 * time.Second  // after the first failure; each further one doubles it
	removalMost  = 10 * time.Minute // between two tries
)

// insertRemains adds what the transaction of a deletion leaves to remove. It returns the ids of the rows.
func insertRemains(tx *storage.Tx, all ...remain) (ids []string) {
	for _, r := range all {
		id := accounts.NewID()
		tx.Exec(`INSERT INTO remains (id, kind, name, member, key, created) VALUES (?, ?, ?, ?, ?, ?)`, id, r.kind, r.name, r.member, r.key, now())
		ids = append(ids, id)
	}
	return ids
}

const selectRemains = `SELECT id, kind, name, member, key, tries FROM remains`

// isLeft is true for a row unless it is a draft of a job that still runs and may record it.
const isLeft = `(kind != '` + remainDraft + `' OR NOT EXISTS (SELECT 1 FROM jobs WHERE id = remains.member AND state = 'running' AND server = remains.key))`

func scanRemain(row func(...any) error, r *remain) error {
	return row(&r.id, &r.kind, &r.name, &r.member, &r.key, &r.tries)
}

// draftsOf selects the ids of the drafts of a job.
const draftsOf = `SELECT id FROM remains WHERE kind = '` + remainDraft + `' AND member = ?`

// A removed is what a removal did.
type removed struct {
	done    bool // nothing is left to remove
	archive bool // an archive still contains the text, since other checks need it
	reports int  // that quoted the text
}

// remove removes what the rows with these ids name, and then the deleted rows from the log of the
// database. dueRemains repeats removals that fail or are not done within removalWait.
func (d *remains) remove(ctx context.Context, ids []string) (all removed) {
	ctx, cancel := context.WithTimeout(ctx, removalWait)
	defer cancel()
	d.uncleared.Store(true)
	all.done = true
	for _, id := range ids {
		var r remain
		err := scanRemain(d.folder.Read.QueryRowContext(ctx, selectRemains+` WHERE id = ?`, id).Scan, &r)
		if errors.Is(err, sql.ErrNoRows) { // removed with another row
			continue
		}
		var one removed
		if err == nil {
			one, err = d.removeOne(ctx, &r)
		}
		if err != nil {
			d.opts.Log.Warn("remove what was deleted; the server tries again", "kind", r.kind, "cause", err)
		}
		all.done, all.archive, all.reports = all.done && one.done, all.archive || one.archive, all.reports+one.reports
	}
	d.scrub(ctx)
	all.done = all.done && !d.uncleared.Load()
	return all
}

// removeOne removes what a row names, deletes the row, and records a failure. The log of the database has the row
// until the next scrub.
func (d *remains) removeOne(ctx context.Context, r *remain) (one removed, err error) {
	d.uncleared.Store(true)
	remove := map[string]func(context.Context, *remain) (removed, error){
		remainReport: d.removeReport, remainDraft: d.removeDraft, remainFile: d.removeFile, remainMember: d.removeMembers, remainQuotes: d.removeQuotes, remainIndex: d.removeIndex,
	}[r.kind]
	if remove == nil {
		return removed{}, fmt.Errorf("unknown kind %q", r.kind)
	}
	one, err = remove(ctx, r)
	switch {
	case err != nil:
		wait := min(removalRetry<<min(r.tries, 16), removalMost)
		_ = d.write(ctx, `UPDATE remains SET tries = tries + 1, ready = ? WHERE id = ?`, time.Now().Add(wait).UnixMilli(), r.id) // on a full disk, the next try is not delayed
	case one.done:
		err = d.write(ctx, `DELETE FROM remains WHERE id = ?`, r.id)
		one.done = err == nil
	}
	return one, err
}

// removeReport removes the file of a report.
func (d *remains) removeReport(ctx context.Context, r *remain) (removed, error) {
	err := d.reports.withLock(ctx, lockOfReports(r.key), func() error { return d.reports.shelf.Remove(ctx, r.name) })
	return removed{done: err == nil}, err
}

// removeDraft removes the file of a report that no job records any more.
func (d *remains) removeDraft(ctx context.Context, r *remain) (removed, error) {
	err := d.write(ctx, `UPDATE remains SET kind = ? WHERE id = ?`, remainReport, r.id) // a job that records its reports meanwhile finds that this one is missing
	if err != nil {
		return removed{}, err
	}
	return d.removeReport(ctx, r)
}

// removeFile removes an uploaded file, and with it all texts in it that are still to be removed.
func (d *remains) removeFile(ctx context.Context, r *remain) (removed, error) {
	err := d.reports.withLock(ctx, lockOfFile(r.name), func() error { return d.files.Remove(ctx, r.name) })
	if err != nil {
		return removed{}, err
	}
	err = d.write(ctx, `DELETE FROM remains WHERE kind = ? AND name = ?`, remainMember, r.name)
	return removed{done: err == nil}, err
}

// removeMembers removes all texts from an archive that no check has. If that is not possible, they wait
// for the deletion of the last check of the archive.
func (d *remains) removeMembers(ctx context.Context, r *remain) (one removed, err error) {
	err = d.reports.withLock(ctx, lockOfFile(r.name), func() error {
		one, err = d.removeMembersOf(ctx, r)
		return err
	})
	return one, err
}

func (d *remains) removeMembersOf(ctx context.Context, r *remain) (removed, error) {
	rows, err := list(ctx, d.folder.Read, scanRemain, selectRemains+` WHERE kind = ? AND name = ?`, remainMember, r.name)
	if err != nil {
		return removed{}, err
	}
	paths, err := list(ctx, d.folder.Read, scanMember, `SELECT name, path FROM checks WHERE file = ?`, r.name)
	if err != nil || len(paths) == 0 { // the file has a row of its own
		return removed{done: err == nil}, err
	}
	gone := lists.Map(rows, func(row remain) string { return row.member })
	needed, err := d.uploads.trimArchive(ctx, r.name, paths, gone)
	if err != nil {
		return removed{}, err
	}
	waits := func(r *remain) bool { return needed == nil || members.In(r.member, needed) }
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		for _, row := range rows {
			query := `DELETE FROM remains WHERE id = ?`
			if waits(&row) {
				query = `UPDATE remains SET waits = 1 WHERE id = ?`
			}
			tx.Exec(query, row.id)
		}
	})
	return removed{done: err == nil && !waits(r), archive: waits(r)}, err
}

// scanMember reads the path of a text in its file, "" if the file is the text.
func scanMember(row func(...any) error, member *string) error {
	var name, path string
	err := row(&name, &path)
	*member = members.PathOf(name, path)
	return err
}

// removeQuotes removes what the reports of a submission whose texts were checked against each other
// quote of a text.
func (d *remains) removeQuotes(ctx context.Context, r *remain) (removed, error) {
	others, err := list(ctx, d.folder.Read, scanString, `SELECT id FROM checks WHERE submission_id = ? AND reported > 0`, r.name)
	if err != nil {
		return removed{}, err
	}
	n, err := d.reports.forgetIn(ctx, others, replacements(r.key, []string{r.member}), true)
	return removed{done: err == nil, reports: n}, err
}

// removeIndex removes the folder of a deleted collection.
func (d *remains) removeIndex(ctx context.Context, r *remain) (removed, error) {
	err := d.indexes.Delete(ctx, indexes.Place{ID: r.name})
	return removed{done: err == nil}, err
}

// dueRemains removes what earlier deletions left, at the start and after failures.
func (d *remains) dueRemains(ctx context.Context) error {
	at := now()
	due, err := list(ctx, d.folder.Read, scanRemain, selectRemains+` WHERE waits = 0 AND (ready <= ? OR ready > ?) AND `+isLeft+` ORDER BY ready, rowid LIMIT ?`, at, at+removalMost.Milliseconds(), mostDue)
	for _, r := range due {
		if _, failed := d.removeOne(ctx, &r); failed != nil {
			err = errors.Join(err, fmt.Errorf("remove %s %s: %w", r.kind, r.id, failed))
		}
	}
	if d.uncleared.Load() {
		d.scrub(ctx)
	}
	return err
}

// remains returns what deletions still have to remove, the oldest first.
func (d *remains) waiting(ctx context.Context) ([]Remain, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, r *Remain) error {
		return row(&r.Kind, &r.Waits, &r.Tries, millis{&r.Created})
	}, `SELECT kind, waits > 0, tries, created FROM remains WHERE `+isLeft+` ORDER BY rowid LIMIT 500`)
	if err == nil && d.uncleared.Load() {
		all = append(all, Remain{Kind: remainRows, Created: timeOf(now())})
	}
	return all, err
}

// scrub removes deleted rows from the log of the database, or leaves that to the next call.
func (d *remains) scrub(ctx context.Context) {
	d.uncleared.Store(false) // a deletion that is committed meanwhile sets it again
	err := d.folder.Scrub(ctx)
	if err == nil {
		return
	}
	d.uncleared.Store(true)
	if !errors.Is(err, storage.ErrInLog) {
		d.opts.Log.Warn("remove deleted rows from the log of the database", "cause", err)
	}
}

// recordDrafts deletes the rows of drafts that are reports now. If one is gone, its file is, too, and the
// error is errEnded.
func recordDrafts(tx *storage.Tx, ids []string) {
	for _, id := range ids {
		tx.Change(errEnded, `DELETE FROM remains WHERE id = ? AND kind = ?`, id, remainDraft)
	}
}
