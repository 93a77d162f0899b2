package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

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
func (d *Desk) KeepCheck(ctx context.Context, a accounts.Actor, id string, days int) error {
	if err := errors.Join(may(a, accounts.DeleteChecks), checkKeep("days", days)); err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE checks SET keep = ?, keep_set = ? WHERE id = ? AND submission_id IN (SELECT id FROM submissions WHERE group_id = ?)`,
			days, d.opts.Now().UnixMilli(), id, a.Group))
		if err != nil {
			return err
		}
		return note(ctx, tx, a, "keep check", id, fmt.Sprint(days))
	})
}

// KeepDocuments sets after how many days from its addition the server deletes a document of a
// collection of the actor's group; 0 means never.
func (d *Desk) KeepDocuments(ctx context.Context, a accounts.Actor, collection string, days int) error {
	if err := errors.Join(may(a, accounts.DeleteDocuments), checkKeep("days", days)); err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		// The documents are listed at the next look, so that the page shows when they are deleted.
		err := changed(tx.ExecContext(ctx, `UPDATE collections SET keep = ?, keep_set = ?, listed_at = 0 WHERE id = ? AND group_id = ?`, days, d.opts.Now().UnixMilli(), collection, a.Group))
		if err != nil {
			return err
		}
		return note(ctx, tx, a, "keep documents", collection, fmt.Sprint(days))
	})
}

// mostDue is the number of checks that are deleted between two looks at other due jobs.
const mostDue = 100

// dueChecks deletes the checks whose time has come, unless their case is open. One that cannot be deleted does not keep the
// others.
func (d *Desk) dueChecks(ctx context.Context) error {
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
func (d *Desk) dueDocuments(ctx context.Context) error {
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
func (d *Desk) listDocuments(ctx context.Context, k keeping, at int64) error {
	known, err := list(ctx, d.folder.Read, func(row func(...any) error, id *int64) error { return row(id) }, `SELECT document FROM document_times WHERE collection_id = ?`, k.id)
	if err != nil {
		return err
	}
	gone := make(map[int64]bool, len(known))
	for _, id := range known {
		gone[id] = true
	}
	var fresh []int64
	err = d.withIndex(ctx, k.id, func(r store.Reader) error {
		return r.Documents(ctx, func(doc store.Document) error {
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
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE collections SET listed = changes, listed_at = ? WHERE id = ? AND changes = ?`, at, k.id, k.changes))
		if errors.Is(err, ErrNotFound) { // changed or deleted meanwhile
			return nil
		}
		for _, id := range fresh {
			if err == nil {
				_, err = tx.ExecContext(ctx, `INSERT INTO document_times (collection_id, document, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, k.id, id, at)
			}
		}
		for id := range gone {
			if err == nil {
				_, err = tx.ExecContext(ctx, `DELETE FROM document_times WHERE collection_id = ? AND document = ?`, k.id, id)
			}
		}
		return err
	})
}

// removeDue queues the deletion of the documents that were added until a time.
func (d *Desk) removeDue(ctx context.Context, k keeping, until int64) error {
	due, err := list(ctx, d.folder.Read, func(row func(...any) error, id *int64) error { return row(id) },
		`SELECT document FROM document_times WHERE collection_id = ? AND added <= ? ORDER BY added LIMIT ?`, k.id, until, mostNames)
	if err != nil || len(due) == 0 {
		return err
	}
	var ids []store.DocID
	for _, id := range due {
		ids = append(ids, store.DocID(id))
	}
	var names, marks []string
	err = d.withIndex(ctx, k.id, func(r store.Reader) error {
		for _, id := range ids {
			doc, err := r.Document(ctx, id)
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
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		_, err := insertRemoval(ctx, tx, k.id, nil, names, marks)
		return err
	})
	d.queue.Wake()
	return err
}

// setCounts sets the numbers of documents and words of a collection that has changed.
const setCounts = `UPDATE collections SET documents = ?, words = ?, changes = changes + 1 WHERE id = ?`

// setExpiry sets when documents of a collection will be deleted.
func (d *Desk) setExpiry(ctx context.Context, collection string, all []Document) error {
	var keep int
	var set int64
	err := d.folder.Read.QueryRowContext(ctx, `SELECT keep, keep_set FROM collections WHERE id = ?`, collection).Scan(&keep, &set)
	if err != nil || keep == 0 {
		return err
	}
	for i := range all {
		var added int64
		err := d.folder.Read.QueryRowContext(ctx, `SELECT added FROM document_times WHERE collection_id = ? AND document = ?`, collection, rowOf(store.IDOf("", all[i].Name))).Scan(&added)
		switch {
		case err == nil:
			all[i].Expires = expiry(keep, added, set)
		case !errors.Is(err, sql.ErrNoRows): // not listed yet
			return err
		}
	}
	return nil
}
