-- Adds deletions of documents from collections. user_id is NULL for those of the server. names is a list in
-- JSON, empty when the documents are deleted.
CREATE TABLE removals (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, job_id TEXT NOT NULL REFERENCES jobs,
	user_id TEXT REFERENCES users, names TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
	documents INTEGER NOT NULL DEFAULT 0, reports INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX removals_collection ON removals (collection_id, created);
CREATE INDEX removals_job ON removals (job_id);
