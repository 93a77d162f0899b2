CREATE TABLE removals (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, job_id TEXT NOT NULL REFERENCES jobs,
	user_id TEXT REFERENCES users, names TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
	documents BIGINT NOT NULL DEFAULT 0, reports BIGINT NOT NULL DEFAULT 0, created BIGINT NOT NULL, finished BIGINT NOT NULL DEFAULT 0,
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX removals_collection ON removals (collection_id, created);
CREATE INDEX removals_job ON removals (job_id);
