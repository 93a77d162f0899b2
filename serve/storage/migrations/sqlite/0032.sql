-- Adds comments on places of a text. start_at is where the quoted words start, in bytes of the text that was
-- commented on.
CREATE TABLE remarks (
	id TEXT PRIMARY KEY, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	name TEXT NOT NULL, at INTEGER NOT NULL, start_at INTEGER NOT NULL, quote TEXT NOT NULL, student INTEGER NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX remarks_check ON remarks (check_id, start_at);
CREATE INDEX remarks_user ON remarks (user_id);
