ALTER TABLE platforms ADD COLUMN token_url TEXT NOT NULL DEFAULT '';
CREATE TABLE assets (
	id TEXT PRIMARY KEY, platform_id TEXT NOT NULL REFERENCES platforms ON DELETE CASCADE, course_id TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users,
	activity TEXT NOT NULL, submission TEXT NOT NULL, submitted BIGINT NOT NULL, asset TEXT NOT NULL, url TEXT NOT NULL, report_url TEXT NOT NULL,
	name TEXT NOT NULL, sum BYTEA NOT NULL, language TEXT NOT NULL, created BIGINT NOT NULL,
	state TEXT NOT NULL, code TEXT NOT NULL DEFAULT '', tries BIGINT NOT NULL DEFAULT 0, ready BIGINT NOT NULL DEFAULT 0, file TEXT NOT NULL DEFAULT '',
	sent TEXT NOT NULL DEFAULT '', stamp BIGINT NOT NULL DEFAULT 0, sent_tries BIGINT NOT NULL DEFAULT 0, sent_ready BIGINT NOT NULL DEFAULT 0,
	UNIQUE (platform_id, report_url, asset),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX assets_open ON assets (ready) WHERE state = 'queued';
CREATE INDEX assets_course ON assets (course_id, user_id);
