-- Adds links that open one check without an account.
CREATE TABLE shares (
	id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	recipient TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, opened INTEGER NOT NULL DEFAULT 0, times INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX shares_check ON shares (check_id, created);
