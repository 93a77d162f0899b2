package storage

import (
	"context"
	"errors"
)

// removalsSchema adds deletions of documents from collections. user_id is NULL for those of the
// server. names is a list in JSON, empty when the documents are deleted.
const removalsSchema = `
CREATE TABLE removals (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, job_id TEXT NOT NULL REFERENCES jobs,
	user_id TEXT REFERENCES users, names TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
	documents INTEGER NOT NULL DEFAULT 0, reports INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX removals_collection ON removals (collection_id, created);
CREATE INDEX removals_job ON removals (job_id);
`

// remainsSchema adds what deletions still have to remove: rows that the transaction of a deletion writes
// and that are deleted when the removal is done. name is a file, or for a quotation the submission whose
// reports quote a text. member is the path of the text in its archive, or the path that reports quote. key
// is the id of the deleted check. waits is set while other checks need the archive.
const remainsSchema = `
CREATE TABLE remains (
	id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, member TEXT NOT NULL DEFAULT '', key TEXT NOT NULL DEFAULT '',
	waits INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
) STRICT;
CREATE INDEX remains_name ON remains (kind, name);
`

// privateChecksSchema adds the secret that determines the details in reports on a private
// collection, and the groups that have checked texts against it: hits counts the texts with
// reported passages.
const privateChecksSchema = `
ALTER TABLE collections ADD COLUMN secret TEXT NOT NULL DEFAULT '';
UPDATE collections SET secret = lower(hex(randomblob(16)));
CREATE TABLE private_checks (
	collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT NOT NULL REFERENCES users,
	at INTEGER NOT NULL, texts INTEGER NOT NULL, hits INTEGER NOT NULL
) STRICT;
CREATE INDEX private_checks_at ON private_checks (collection_id, at);
`

// ErrInLog is the error for deleted rows that are still in the log of the database, since a query
// that began before the deletion runs.
var ErrInLog = errors.New("deleted rows are still in the log of the database")

// Scrub removes deleted rows from the files of the database. While older queries run, it waits, and
// in the end returns ErrInLog: the next Scrub or Close removes them. PostgreSQL keeps deleted rows in
// its log and archives for as long as its administrator has set.
func (f *Folder) Scrub(ctx context.Context) error {
	if f.readOnly != nil {
		return nil
	}
	return f.dialect.scrub(ctx, f.write)
}

// Lock calls fn while no other server that shares the folder is in a call with the name. Calls of one
// server do not exclude each other.
func (f *Folder) Lock(ctx context.Context, name string, fn func() error) (err error) {
	if f.dialect.lock == "" {
		return fn()
	}
	tx, err := f.write.BeginTx(ctx, nil) // the lock is its own, which also holds with a pooler
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if _, err := tx.ExecContext(ctx, f.dialect.lock, name); err != nil {
		return err
	}
	return fn()
}
