package storage

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations are the changes of the schema. The version of a database is the number of those that
// were applied to it, kept as its user_version. Migrations are only appended.
var migrations = []string{
	firstSchema,
	presetSchema,
	sharesSchema,
	furtherSchema,
	secondFactor,
	removalsSchema,
	sourceSchema,
	privateSchema,
	externalUsers,
	webhookSchema,
	courseSchema,
	retentionSchema,
	caseSchema,
	keepSchema,
	reasonSchema,
	indexSchema,
	serverSchema,
	platformSchema,
	scoreSchema,
	clusterSchema,
	bucketSchema,
	assetSchema,
	gradeSchema,
	tokenSchema,
	foldedSchema,
	remainsSchema,
	privateChecksSchema,
	integrationSchema,
	overviewSchema,
	peopleSchema,
	mailSchema,
	remarkSchema,
	lookSchema,
	groupSchema,
}

// migrate applies the migrations that the database lacks, in one transaction.
func (f *Folder) migrate(ctx context.Context) error {
	return f.Write(ctx, func(tx *sql.Tx) error {
		if err := f.dialect.prepare(ctx, tx); err != nil {
			return err
		}
		version, err := f.dialect.known(ctx, tx)
		if err != nil {
			return err
		}
		for i := version; i < len(migrations); i++ {
			if _, err := tx.ExecContext(ctx, migrations[i]); err != nil {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
		}
		if version < foldedVersion() {
			if err := foldNames(ctx, tx); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(f.dialect.setVersion, len(migrations)))
		return err
	})
}

// firstSchema is version 1. Times are Unix milliseconds; ids are random.
const firstSchema = `
CREATE TABLE groups (
	id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE users (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, login TEXT NOT NULL UNIQUE COLLATE NOCASE,
	name TEXT NOT NULL, role TEXT NOT NULL, password TEXT NOT NULL, disabled INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
) STRICT;
CREATE TABLE links (
	hash TEXT PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT REFERENCES users ON DELETE CASCADE, expires INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
	hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE, created INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT;
CREATE TABLE tokens (
	id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
	name TEXT NOT NULL, scopes TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE collections (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, shared INTEGER NOT NULL DEFAULT 0,
	documents INTEGER NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, UNIQUE (group_id, name)
) STRICT;
CREATE TABLE jobs (
	id TEXT PRIMARY KEY, kind TEXT NOT NULL, collection_id TEXT NOT NULL REFERENCES collections, state TEXT NOT NULL,
	tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_open ON jobs (state, ready, created) WHERE state IN ('queued', 'running');
CREATE TABLE submissions (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT NOT NULL REFERENCES users,
	collection_id TEXT NOT NULL REFERENCES collections, label TEXT NOT NULL, among INTEGER NOT NULL, preset TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE TABLE checks (
	id TEXT PRIMARY KEY, submission_id TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, job_id TEXT NOT NULL REFERENCES jobs,
	file TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
	score REAL NOT NULL DEFAULT 0, found REAL NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0, sources INTEGER NOT NULL DEFAULT 0,
	flags INTEGER NOT NULL DEFAULT 0, partial INTEGER NOT NULL DEFAULT 0, reported INTEGER NOT NULL DEFAULT 0,
	verdict TEXT NOT NULL DEFAULT '', comment TEXT NOT NULL DEFAULT '', verdict_by TEXT NOT NULL DEFAULT '', verdict_at INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX checks_submission ON checks (submission_id);
CREATE INDEX checks_job ON checks (job_id);
CREATE INDEX checks_created ON checks (created);
CREATE INDEX checks_file ON checks (file);
CREATE TABLE decisions (
	number INTEGER PRIMARY KEY, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	at INTEGER NOT NULL, score REAL NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE INDEX decisions_check ON decisions (check_id, number);
CREATE TABLE additions (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, job_id TEXT NOT NULL REFERENCES jobs,
	user_id TEXT NOT NULL REFERENCES users, file TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, state TEXT NOT NULL,
	added INTEGER NOT NULL DEFAULT 0, unchanged INTEGER NOT NULL DEFAULT 0, skipped TEXT NOT NULL DEFAULT '[]', reason TEXT NOT NULL DEFAULT '',
	created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX additions_collection ON additions (collection_id, created);
CREATE INDEX additions_job ON additions (job_id);
CREATE TABLE idempotency (
	user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE, key TEXT NOT NULL, fingerprint TEXT NOT NULL, result TEXT NOT NULL, created INTEGER NOT NULL,
	PRIMARY KEY (user_id, key)
) STRICT;
CREATE TABLE audit (
	number INTEGER PRIMARY KEY, at INTEGER NOT NULL, group_id TEXT NOT NULL, user_id TEXT NOT NULL, login TEXT NOT NULL,
	action TEXT NOT NULL, object TEXT NOT NULL, detail TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX audit_group ON audit (group_id, number);
`
