package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// A Removal is the deletion of documents from a collection.
type Removal struct {
	ID        string         `json:"id"`
	By        string         `json:"by" doc:"login; empty for the server"`
	State     string         `json:"state" enum:"queued,running,done,failed"`
	Reason    string         `json:"reason,omitempty"`
	Message   *phrase.Stored `json:"-"` // of the reason
	Documents int            `json:"documents" doc:"that are deleted with their texts and n-grams"`
	Reports   int            `json:"reports" doc:"that quoted them, and no longer do"`
	Created   time.Time      `json:"created"`
	Finished  time.Time      `json:"finished,omitzero"`
}

// mostNames is the limit of documents that one request deletes.
const mostNames = 10_000

// DeleteDocuments queues the deletion of documents from a collection of the actor's group, by their
// names. It returns ErrNotFound if the collection does not have one of them.
func (d *Desk) DeleteDocuments(ctx context.Context, a accounts.Actor, collection string, names []string) (id string, err error) {
	if err := may(a, accounts.DeleteDocuments); err != nil {
		return "", err
	}
	if err := d.owns(ctx, accounts.Actor{Role: a.Role, Group: a.Group}, collection); err != nil {
		return "", err
	}
	if len(names) == 0 || len(names) > mostNames {
		return "", Wrong("name", "serve.names", "name 1 to {most} documents", "most", mostNames)
	}
	marks, err := d.contains(ctx, collection, names)
	if err != nil {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		id, err = insertRemoval(ctx, tx, collection, &a.User, names, marks)
		return err
	})
	d.queue.Wake()
	return id, err
}

// contains returns the marks of documents, or ErrNotFound unless the collection has all of these
// names.
func (d *Desk) contains(ctx context.Context, collection string, names []string) (marks []string, err error) {
	err = d.withIndex(ctx, collection, func(r store.Reader) error {
		for _, name := range names {
			doc, err := r.Document(ctx, store.IDOf("", name))
			if errors.Is(err, store.ErrNotFound) || err == nil && doc.Name() != name {
				return ErrNotFound
			}
			if err != nil {
				return err
			}
			marks = append(marks, work.Marks(collection, name, doc.Content)...)
		}
		return nil
	})
	if err == nil && len(marks) == 0 { // no index
		err = ErrNotFound
	}
	return marks, err
}

// insertRemoval queues the deletion of documents and marks them, so that sources skip them. user
// is nil for the server.
func insertRemoval(ctx context.Context, tx *sql.Tx, collection string, user *string, names, marks []string) (id string, err error) {
	for _, mark := range marks {
		if _, err := tx.ExecContext(ctx, `INSERT INTO forgotten (collection_id, mark) VALUES (?, ?) ON CONFLICT DO NOTHING`, collection, mark); err != nil {
			return "", err
		}
	}
	job, err := insertJob(ctx, tx, work.Remove, collection)
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(names)
	if err != nil {
		return "", err
	}
	id = accounts.NewID()
	_, err = tx.ExecContext(ctx, `INSERT INTO removals (id, collection_id, job_id, user_id, names, state, documents, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		id, collection, job, user, string(list), work.Queued, len(names), now())
	return id, err
}

// Removals returns the deletions of documents from a collection of the actor's group, the latest
// first.
func (d *Desk) Removals(ctx context.Context, a accounts.Actor, collection string, limit int) ([]Removal, error) {
	if err := d.owns(ctx, a, collection); err != nil {
		return nil, err
	}
	return list(ctx, d.folder.Read, func(row func(...any) error, r *Removal) error {
		var created, finished int64
		err := row(&r.ID, &r.By, &r.State, &r.Reason, storage.Message{To: &r.Message}, &r.Documents, &r.Reports, &created, &finished)
		r.Created, r.Finished = timeOf(created), timeOf(finished)
		return err
	}, `SELECT r.id, coalesce(login, ''), state, reason, message, documents, reports, r.created, finished FROM removals r LEFT JOIN users u ON u.id = user_id
		WHERE collection_id = ? ORDER BY r.created DESC, r.rowid DESC LIMIT ?`, collection, page(limit))
}

// removalNames returns the names of the documents that a job deletes.
func (d *Desk) removalNames(ctx context.Context, j work.Job) (names []string, err error) {
	var text string
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT names FROM removals WHERE job_id = ?`, j.ID).Scan(&text); err != nil {
		return nil, err
	}
	return names, json.Unmarshal([]byte(text), &names)
}

// finishRemoval removes what reports quote of documents that are no longer in their collection, and
// records the deletion. A repeated call does the same.
func (d *Desk) finishRemoval(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	if err := d.awaitChecks(ctx); err != nil {
		return err
	}
	reported, err := list(ctx, d.folder.Read, scanString, `SELECT c.id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.reported > 0
		AND (s.collection_id = ?1 OR EXISTS (SELECT 1 FROM submission_collections WHERE submission_id = s.id AND collection_id = ?1))`, j.Collection)
	if err != nil {
		return err
	}
	changed, err := d.forgetIn(ctx, reported, replacements(j.ID, task.Names), false)
	if err != nil {
		return err
	}
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		a := accounts.Actor{}
		err := tx.QueryRowContext(ctx, `SELECT coalesce(u.id, ''), coalesce(u.login, ''), k.group_id FROM removals r JOIN collections k ON k.id = r.collection_id LEFT JOIN users u ON u.id = r.user_id
			WHERE r.job_id = ?`, j.ID).Scan(&a.User, &a.Login, &a.Group)
		if err != nil {
			return err
		}
		for _, name := range task.Names {
			if err := forgetAddition(ctx, tx, j.Collection, name); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM document_times WHERE collection_id = ? AND document = ?`, j.Collection, rowOf(store.IDOf("", name))); err != nil {
				return err
			}
		}
		for _, change := range []struct {
			query string
			args  []any
		}{
			{setCounts, []any{o.Documents, o.Words, j.Collection}},
			{`UPDATE removals SET state = 'done', reason = '', message = '', names = '[]', reports = ?, finished = ? WHERE job_id = ?`, []any{changed, now(), j.ID}},
			{`UPDATE jobs SET state = 'done', reason = '', message = '' WHERE id = ?`, []any{j.ID}},
		} {
			if _, err := tx.ExecContext(ctx, change.query, change.args...); err != nil {
				return err
			}
		}
		action := "delete documents"
		if a.User == "" {
			action = "delete documents by retention"
		}
		return note(ctx, tx, a, action, j.Collection, strconv.Itoa(len(task.Names)))
	})
	if err != nil {
		return err
	}
	d.scrub(ctx)
	return nil
}

// checksStep is the time between looks at running checks.
const checksStep = 100 * time.Millisecond

// awaitChecks waits for the checks that are running: they may have read documents before their
// deletion, and their reports must be there to remove quotations. Checks that start later read
// the collection without these documents.
func (d *Desk) awaitChecks(ctx context.Context) error {
	const running = `SELECT id FROM jobs WHERE state = 'running' AND kind = 'check'`
	before, err := list(ctx, d.folder.Read, scanString, running)
	for err == nil && len(before) > 0 {
		if err := pause.For(ctx, checksStep); err != nil {
			return err
		}
		var still []string
		still, err = list(ctx, d.folder.Read, scanString, running)
		before = slices.DeleteFunc(before, func(id string) bool { return !slices.Contains(still, id) })
	}
	return err
}

func scanString(row func(...any) error, s *string) error { return row(s) }

// replacements returns ids that replace those of documents in reports. They depend on a random key,
// and not on the names alone, and are the same when a job runs again.
func replacements(key string, names []string) map[string]string {
	ids := map[string]string{}
	for _, name := range names {
		sum := sha256.Sum256([]byte(key + "\n" + name))
		ids[name] = hex.EncodeToString(sum[:8])
	}
	return ids
}

// forgetIn removes what the reports and decisions of checks keep of deleted documents, or with among
// of other texts of a submission. gone maps names to ids that replace theirs. It returns the number
// of reports that quoted them, also those that an interrupted call has changed.
func (d *Desk) forgetIn(ctx context.Context, checks []string, gone map[string]string, among bool) (n int, err error) {
	sought := map[string]bool{}
	for name, id := range gone {
		sought[name], sought[report.ForgottenName+id[:8]] = true, true
	}
	for _, id := range checks {
		err := d.locked(ctx, lockOfReports(id), func() error {
			name, data, err := d.presentReport(ctx, id)
			if errors.Is(err, os.ErrNotExist) { // deleted meanwhile
				return nil
			}
			if err != nil || !mentions(data, sought) {
				return err
			}
			quoted, err := d.forgetInReport(ctx, id, name, data, gone, among)
			if quoted {
				n++
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return n, ctx.Err()
}

// presentReport returns the name and the content of the present report on a text. If it was deleted,
// the error is fs.ErrNotExist.
func (d *Desk) presentReport(ctx context.Context, id string) (name string, data []byte, err error) {
	for range reportTries {
		var number int
		err = d.folder.Read.QueryRowContext(ctx, `SELECT reported FROM checks WHERE id = ?`, id).Scan(&number)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil, os.ErrNotExist
		}
		if err != nil {
			return "", nil, err
		}
		name = reportName(id, number)
		if data, err = d.reports.Read(ctx, name); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return name, data, err
}

// mentions reports whether a report in JSON has a source with one of the names, or lists sources
// that were not searched.
func mentions(data []byte, names map[string]bool) bool {
	const field = `"name": `
	if !bytes.Contains(data, []byte(`"unsearched": []`)) {
		return true
	}
	for {
		at := bytes.Index(data, []byte(field))
		if at < 0 {
			return false
		}
		data = data[at+len(field):]
		line, _, _ := bytes.Cut(data, []byte("\n"))
		var name string
		if json.Unmarshal(bytes.TrimSuffix(line, []byte(",")), &name) == nil && names[name] {
			return true
		}
	}
}

// forgetInReport reports whether a report quoted a document, also if it no longer does. It changes
// the decisions first: the ids that it needs are in the report.
func (d *Desk) forgetInReport(ctx context.Context, id, name string, data []byte, gone map[string]string, among bool) (quoted bool, err error) {
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		return false, err
	}
	ids, changed := report.Forget(r, gone, among)
	replaced := slices.Collect(maps.Values(gone))
	quoted = slices.ContainsFunc(r.Sources, func(s search.Source) bool { return slices.Contains(replaced, s.ID) })
	if changed {
		if err := d.forgetInDecisions(ctx, id, ids); err != nil {
			return false, err
		}
		if err := d.reports.Put(ctx, name, func(w io.Writer) error { return report.Write(w, "json", r, report.Options{}) }); err != nil {
			return false, err
		}
	}
	if !changed && !quoted {
		return false, nil
	}
	return quoted, d.folder.Write(ctx, func(tx *sql.Tx) error { // also after an interrupted call, which has changed the report
		_, err := tx.ExecContext(ctx, `UPDATE checks SET overview = '' WHERE id = ?`, id)
		return err
	})
}

func (d *Desk) forgetInDecisions(ctx context.Context, check string, ids map[string]string) error {
	type saved struct {
		number int64
		data   []byte
	}
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, s *saved) error { return row(&s.number, &s.data) }, `SELECT number, data FROM decisions WHERE check_id = ?`, check)
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		for _, s := range all {
			decisions, err := report.ReadDecisions(bytes.NewReader(s.data))
			if err != nil {
				return err
			}
			if !decisions.Forget(ids) {
				continue
			}
			data, err := json.Marshal(decisions)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE decisions SET data = ? WHERE number = ?`, data, s.number); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetAddition removes the name of a document that was a file of its own from the additions to its
// collection and from the audit log.
func forgetAddition(ctx context.Context, tx *sql.Tx, collection, name string) error {
	for _, query := range []string{
		`DELETE FROM additions WHERE collection_id = ? AND name = ? AND state NOT IN ('queued', 'running')`,
		`UPDATE audit SET detail = '' WHERE object = ? AND detail = ? AND action = 'add to collection'`,
	} {
		if _, err := tx.ExecContext(ctx, query, collection, name); err != nil {
			return err
		}
	}
	return nil
}
