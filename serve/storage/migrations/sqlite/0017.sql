-- Adds the servers that run, and which of them runs a job. seen is the last sign of life, by the clock of the
-- database.
CREATE TABLE servers (
	id TEXT PRIMARY KEY, seen INTEGER NOT NULL
) STRICT;
ALTER TABLE jobs ADD COLUMN server TEXT NOT NULL DEFAULT '';
