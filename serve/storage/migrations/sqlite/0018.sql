-- Adds learning platforms that sign users in by LTI 1.3, the key by which this server signs its answers to them,
-- and the nonces of launches, so that none counts twice. Deployments and frames are separated by spaces. A
-- student may hand texts in to the courses that launches have opened to him. own is set for the link of a notice
-- that he sees on his page.
CREATE TABLE platforms (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, issuer TEXT NOT NULL, client TEXT NOT NULL,
	auth_url TEXT NOT NULL, keys_url TEXT NOT NULL, frames TEXT NOT NULL, deployments TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE (issuer, client)
) STRICT;
CREATE TABLE platform_keys (
	id TEXT PRIMARY KEY, key BLOB NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE TABLE launches (
	nonce TEXT PRIMARY KEY, expires INTEGER NOT NULL
) STRICT;
CREATE TABLE course_students (
	user_id TEXT NOT NULL REFERENCES users, course_id TEXT NOT NULL REFERENCES courses ON DELETE CASCADE, PRIMARY KEY (user_id, course_id)
) STRICT;
CREATE INDEX course_students_course ON course_students (course_id);
ALTER TABLE shares ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
