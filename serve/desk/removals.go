package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// The removals delete documents from collections and from what reports quote, on demand or when their time has come.
type removals struct {
	room
	queue       *work.Queue
	collections *collections
	reports     *reports
	remains     *remains
}

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
func (d *removals) DeleteDocuments(ctx context.Context, a accounts.Actor, collection string, names []string) (id string, err error) {
	if err := may(a, accounts.DeleteDocuments); err != nil {
		return "", err
	}
	if err := d.collections.checkOwn(ctx, inGroup(a), collection); err != nil {
		return "", err
	}
	if len(names) == 0 || len(names) > mostNames {
		return "", Wrong("name", "serve.names", "name 1 to {most} documents", "most", mostNames)
	}
	marks, err := d.documentMarks(ctx, collection, names)
	if err != nil {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) { id = insertRemoval(tx, collection, &a.User, names, marks) })
	d.queue.Wake()
	return id, err
}

// documentMarks returns the marks of documents, or ErrNotFound unless the collection has all of these
// names.
func (d *removals) documentMarks(ctx context.Context, collection string, names []string) (marks []string, err error) {
	err = d.collections.withIndex(ctx, collection, func(r store.Reader) error {
		for _, name := range names {
			doc, err := store.Entry(ctx, r, store.IDOf("", name))
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
func insertRemoval(tx *storage.Tx, collection string, user *string, names, marks []string) (id string) {
	for _, mark := range marks {
		tx.Exec(`INSERT INTO forgotten (collection_id, mark) VALUES (?, ?) ON CONFLICT DO NOTHING`, collection, mark)
	}
	job := insertJob(tx, work.Queued, work.Remove, collection)
	list, err := json.Marshal(names)
	tx.Fail(err)
	id = accounts.NewID()
	tx.Exec(`INSERT INTO removals (id, collection_id, job_id, user_id, names, state, documents, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		id, collection, job, user, string(list), work.Queued, len(names), now())
	return id
}

// Removals returns the deletions of documents from a collection of the actor's group, the latest
// first.
func (d *removals) Removals(ctx context.Context, a accounts.Actor, collection string, limit int) ([]Removal, error) {
	return listFor(ctx, d.collections.checkOwn(ctx, a, collection), d.folder.Read, func(row func(...any) error, r *Removal) error {
		return row(&r.ID, &r.By, &r.State, &r.Reason, storage.Message{To: &r.Message}, &r.Documents, &r.Reports, millis{&r.Created}, millis{&r.Finished})
	}, `SELECT r.id, coalesce(login, ''), state, reason, message, documents, reports, r.created, finished FROM removals r LEFT JOIN users u ON u.id = user_id
		WHERE collection_id = ? ORDER BY r.created DESC, r.rowid DESC LIMIT ?`, collection, page(limit))
}

// removalNames returns the names of the documents that a job deletes.
func (d *removals) removalNames(ctx context.Context, j work.Job) (names []string, err error) {
	var text string
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT names FROM removals WHERE job_id = ?`, j.ID).Scan(&text); err != nil {
		return nil, err
	}
	return names, json.Unmarshal([]byte(text), &names)
}

// finishRemoval removes what reports quote of documents that are no longer in their collection, and
// records the deletion. A repeated call does the same.
func (d *removals) finishRemoval(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	if err := d.awaitChecks(ctx); err != nil {
		return err
	}
	reported, err := list(ctx, d.folder.Read, scanString, `SELECT c.id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.reported > 0
		AND (s.collection_id = ?1 OR EXISTS (SELECT 1 FROM submission_collections WHERE submission_id = s.id AND collection_id = ?1))`, j.Collection)
	if err != nil {
		return err
	}
	changed, err := d.reports.forgetIn(ctx, reported, replacements(j.ID, task.Names), false)
	if err != nil {
		return err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		a := accounts.Actor{}
		tx.RowOr(sql.ErrNoRows, `SELECT coalesce(u.id, ''), coalesce(u.login, ''), k.group_id FROM removals r JOIN collections k ON k.id = r.collection_id LEFT JOIN users u ON u.id = r.user_id
			WHERE r.job_id = ?`, j.ID).Scan(&a.User, &a.Login, &a.Group)
		for _, name := range task.Names {
			forgetAddition(tx, j.Collection, name)
			tx.Exec(`DELETE FROM document_times WHERE collection_id = ? AND document = ?`, j.Collection, rowOf(store.IDOf("", name)))
		}
		setCounts(tx, j.Collection, o)
		tx.Exec(`UPDATE removals SET state = 'done', reason = '', message = '', names = '[]', reports = ?, finished = ? WHERE job_id = ?`, changed, now(), j.ID)
		endJob(tx, j.ID, work.Done, nil)
		action := "delete documents"
		if a.User == "" {
			action = "delete documents by retention"
		}
		note(tx, a, action, j.Collection, strconv.Itoa(len(task.Names)))
	})
	if err != nil {
		return err
	}
	d.remains.scrub(ctx)
	return nil
}

// checksStep is the time between looks at running checks.
const checksStep = 100 * time.Millisecond

// awaitChecks waits for the checks that are running: they may have read documents before their
// deletion, and their reports must be there to remove quotations. Checks that start later read
// the collection without these documents.
func (d *removals) awaitChecks(ctx context.Context) error {
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

// forgetAddition removes the name of a document that was a file of its own from the additions to its
// collection and from the audit log.
func forgetAddition(tx *storage.Tx, collection, name string) {
	tx.Exec(`DELETE FROM additions WHERE collection_id = ? AND name = ? AND state NOT IN ('queued', 'running')`, collection, name)
	clearDetail(tx, collection, name, "add to collection")
}

// A keeping is a collection with the state of the list of its documents.
type keeping struct {
	id        string
	keep      int
	keepSet   int64
	changes   int64
	unchanged bool  // since the documents were listed
	listed    int64 // when
	working   bool  // a deletion is open, or failed recently
}

// Intervals of listing the documents of a collection, in milliseconds.
const (
	listChanged = int64(10 * time.Minute / time.Millisecond)
	listAll     = day // if documents are deleted: an interrupted addition may have left some that nothing reports
)

// retryRemoval is how long a failed deletion keeps the server from trying again, in milliseconds.
const retryRemoval = int64(time.Hour / time.Millisecond)

// dueDocuments notes when documents were added, and queues the deletion of those whose time has come.
func (d *removals) dueDocuments(ctx context.Context) error {
	at := d.opts.Now().UnixMilli()
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, k *keeping) error {
		return row(&k.id, &k.keep, &k.keepSet, &k.changes, &k.unchanged, &k.listed, &k.working)
	}, `SELECT id, keep, keep_set, changes, changes = listed, listed_at, EXISTS (SELECT 1 FROM removals WHERE collection_id = collections.id AND (state IN ('queued', 'running') OR state = 'failed' AND user_id IS NULL AND created > ?)) FROM collections`, now()-retryRemoval)
	for _, k := range all {
		since := at - k.listed
		var failed error
		if k.listed == 0 || since < 0 || !k.unchanged && since >= listChanged || k.keep > 0 && since >= listAll {
			failed = d.listDocuments(ctx, k, at)
		}
		if failed == nil && k.keep > 0 && !k.working && k.keepSet+day <= at {
			failed = d.removeDue(ctx, k, at-int64(k.keep)*day)
		}
		if failed = unlessAway(failed); failed != nil {
			err = errors.Join(err, fmt.Errorf("collection %s: %w", k.id, failed))
		}
	}
	return err
}

// rowOf returns the id of a document as the database stores it.
func rowOf(id store.DocID) int64 { return int64(id) }

// listDocuments notes the documents of a collection that are not noted yet as added at the time at,
// and forgets when those were added that are gone. If the collection changes meanwhile, it does so
// at the next look.
func (d *removals) listDocuments(ctx context.Context, k keeping, at int64) error {
	known, err := list(ctx, d.folder.Read, func(row func(...any) error, id *int64) error { return row(id) },
		`SELECT document FROM document_times WHERE collection_id = ?`, k.id)
	if err != nil {
		return err
	}
	gone := lists.Set(known)
	var fresh []int64
	err = d.collections.withIndex(ctx, k.id, func(r store.Reader) error {
		return r.Documents(ctx, "", func(doc store.Document) error {
			if id := rowOf(doc.ID); gone[id] {
				delete(gone, id)
			} else {
				fresh = append(fresh, id)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		if tx.Exec(`UPDATE collections SET listed = changes, listed_at = ? WHERE id = ? AND changes = ?`, at, k.id, k.changes) == 0 {
			return // changed or deleted meanwhile
		}
		for _, id := range fresh {
			tx.Exec(`INSERT INTO document_times (collection_id, document, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, k.id, id, at)
		}
		for id := range gone {
			tx.Exec(`DELETE FROM document_times WHERE collection_id = ? AND document = ?`, k.id, id)
		}
	})
}

// removeDue queues the deletion of the documents that were added until a time.
func (d *removals) removeDue(ctx context.Context, k keeping, until int64) error {
	due, err := list(ctx, d.folder.Read, func(row func(...any) error, id *int64) error { return row(id) },
		`SELECT document FROM document_times WHERE collection_id = ? AND added <= ? ORDER BY added LIMIT ?`, k.id, until, mostNames)
	if err != nil || len(due) == 0 {
		return err
	}
	ids := lists.Map(due, func(id int64) store.DocID { return store.DocID(id) })
	var names, marks []string
	err = d.collections.withIndex(ctx, k.id, func(r store.Reader) error {
		for _, id := range ids {
			doc, err := store.Entry(ctx, r, id)
			if errors.Is(err, store.ErrNotFound) { // the next list forgets it
				continue
			}
			if err != nil {
				return err
			}
			names, marks = append(names, doc.Name()), append(marks, work.Marks(k.id, doc.Name(), doc.Content)...)
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		return err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) { insertRemoval(tx, k.id, nil, names, marks) })
	d.queue.Wake()
	return err
}
