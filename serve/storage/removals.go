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

// ErrInLog is the error for deleted rows that are still in the log of the database, since a query
// that began before the deletion runs.
var ErrInLog = errors.New("deleted rows are still in the log of the database")

// Scrub removes deleted rows from the files of the database. While older queries run, it waits, and
// in the end returns ErrInLog: the next Scrub or Close removes them. PostgreSQL keeps deleted rows in
// its log and archives for as long as its administrator has set.
func (f *Folder) Scrub(ctx context.Context) error { return f.dialect.scrub(ctx, f.write) }
