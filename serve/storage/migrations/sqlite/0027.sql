-- Adds the secret that determines the details in reports on a private collection, and the groups that have
-- checked texts against it: hits counts the texts with reported passages.
ALTER TABLE collections ADD COLUMN secret TEXT NOT NULL DEFAULT '';
UPDATE collections SET secret = lower(hex(randomblob(16)));
CREATE TABLE private_checks (
	collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT NOT NULL REFERENCES users,
	at INTEGER NOT NULL, texts INTEGER NOT NULL, hits INTEGER NOT NULL
) STRICT;
CREATE INDEX private_checks_at ON private_checks (collection_id, at);
