-- Adds named settings of checks and the texts that everybody was given.
CREATE TABLE presets (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, label TEXT NOT NULL, preset TEXT NOT NULL,
	created INTEGER NOT NULL, UNIQUE (group_id, name)
) STRICT;
CREATE TABLE given_texts (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, name TEXT NOT NULL, file TEXT NOT NULL, sum TEXT NOT NULL,
	size INTEGER NOT NULL, created INTEGER NOT NULL, UNIQUE (group_id, name, sum)
) STRICT;
