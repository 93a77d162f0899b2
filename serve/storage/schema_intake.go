package storage

// presetSchema adds named settings of checks and the texts that everybody was given.
const presetSchema = `
CREATE TABLE presets (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, label TEXT NOT NULL, preset TEXT NOT NULL,
	created INTEGER NOT NULL, UNIQUE (group_id, name)
) STRICT;
CREATE TABLE given_texts (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, file TEXT NOT NULL, sum TEXT NOT NULL,
	size INTEGER NOT NULL, created INTEGER NOT NULL, UNIQUE (group_id, name, sum)
) STRICT;
`

// furtherSchema adds further collections that a submission is checked against.
const furtherSchema = `
CREATE TABLE submission_collections (
	submission_id TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, collection_id TEXT NOT NULL REFERENCES collections, place INTEGER NOT NULL,
	PRIMARY KEY (submission_id, place)
) STRICT;
CREATE INDEX submission_collections_collection ON submission_collections (collection_id);
`

// sourceSchema adds what a collection is filled from by itself, and the kinds of additions.
const sourceSchema = `
CREATE TABLE sources (
	id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	kind TEXT NOT NULL, address TEXT NOT NULL, part TEXT NOT NULL, every INTEGER NOT NULL, last INTEGER NOT NULL DEFAULT 0, next INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL, UNIQUE (collection_id, kind, address, part)
) STRICT;
ALTER TABLE additions ADD COLUMN kind TEXT NOT NULL DEFAULT 'files';
ALTER TABLE additions ADD COLUMN source_id TEXT NOT NULL DEFAULT '';
CREATE INDEX additions_source ON additions (source_id) WHERE source_id != '';
`

// privateSchema adds collections of which other groups see only that a passage is in them.
const privateSchema = `
ALTER TABLE collections ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN contact TEXT NOT NULL DEFAULT '';
`
