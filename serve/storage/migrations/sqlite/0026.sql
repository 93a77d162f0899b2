-- Adds what deletions still have to remove: rows that the transaction of a deletion writes and that are deleted
-- when the removal is done. name is a file, or for a quotation the submission whose reports quote a text. member
-- is the path of the text in its archive, or the path that reports quote. key is the id of the deleted check.
-- waits is set while other checks need the archive.
CREATE TABLE remains (
	id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, member TEXT NOT NULL DEFAULT '', key TEXT NOT NULL DEFAULT '',
	waits INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
) STRICT;
CREATE INDEX remains_name ON remains (kind, name);
