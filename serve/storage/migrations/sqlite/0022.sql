-- Adds assets: files and texts that users have submitted to assignments of learning platforms. The server
-- downloads an asset, whose file is then one or more texts of a course.
--
-- state is queued, done (file is set) or failed (code is the reason for the platform). sent is the state in the
-- last report to the platform, and stamp the time of that report, in Unix milliseconds. Neither file nor course
-- is a reference: after the deletion of either, the platform gets a last report before the row is deleted.
ALTER TABLE platforms ADD COLUMN token_url TEXT NOT NULL DEFAULT '';
CREATE TABLE assets (
	id TEXT PRIMARY KEY, platform_id TEXT NOT NULL REFERENCES platforms ON DELETE CASCADE, course_id TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users,
	activity TEXT NOT NULL, submission TEXT NOT NULL, submitted INTEGER NOT NULL, asset TEXT NOT NULL, url TEXT NOT NULL, report_url TEXT NOT NULL,
	name TEXT NOT NULL, sum BLOB NOT NULL, language TEXT NOT NULL, created INTEGER NOT NULL,
	state TEXT NOT NULL, code TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, file TEXT NOT NULL DEFAULT '',
	sent TEXT NOT NULL DEFAULT '', stamp INTEGER NOT NULL DEFAULT 0, sent_tries INTEGER NOT NULL DEFAULT 0, sent_ready INTEGER NOT NULL DEFAULT 0,
	UNIQUE (platform_id, report_url, asset)
) STRICT;
CREATE INDEX assets_open ON assets (ready) WHERE state = 'queued';
CREATE INDEX assets_course ON assets (course_id, user_id);
