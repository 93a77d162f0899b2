-- Adds what a collection is filled from by itself, and the kinds of additions.
CREATE TABLE sources (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	kind TEXT NOT NULL, address TEXT NOT NULL, part TEXT NOT NULL, every INTEGER NOT NULL, last INTEGER NOT NULL DEFAULT 0, next INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL, UNIQUE (collection_id, kind, address, part)
) STRICT;
ALTER TABLE additions ADD COLUMN kind TEXT NOT NULL DEFAULT 'files';
ALTER TABLE additions ADD COLUMN source_id TEXT NOT NULL DEFAULT '';
CREATE INDEX additions_source ON additions (source_id) WHERE source_id != '';
