CREATE TABLE sources (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	kind TEXT NOT NULL, address TEXT NOT NULL, part TEXT NOT NULL, every BIGINT NOT NULL, last BIGINT NOT NULL DEFAULT 0, next BIGINT NOT NULL DEFAULT 0,
	created BIGINT NOT NULL, UNIQUE (collection_id, kind, address, part),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE additions ADD COLUMN kind TEXT NOT NULL DEFAULT 'files';
ALTER TABLE additions ADD COLUMN source_id TEXT NOT NULL DEFAULT '';
CREATE INDEX additions_source ON additions (source_id) WHERE source_id != '';
