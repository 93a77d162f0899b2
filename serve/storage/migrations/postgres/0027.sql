ALTER TABLE collections ADD COLUMN secret TEXT NOT NULL DEFAULT '';
UPDATE collections SET secret = lower(hex(randomblob(16)));
CREATE TABLE private_checks (
	collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT NOT NULL REFERENCES users,
	at BIGINT NOT NULL, texts BIGINT NOT NULL, hits BIGINT NOT NULL,
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX private_checks_at ON private_checks (collection_id, at);
