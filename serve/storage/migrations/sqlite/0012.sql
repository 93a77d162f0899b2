-- Adds after how many days checks and the documents of collections are deleted; 0 means never. keep_set is when
-- that was chosen. document_times has when documents were added: it is complete for the state of a collection in
-- which changes equals listed. forgotten marks deleted documents, which sources must not add again.
ALTER TABLE checks ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN keep_set INTEGER NOT NULL DEFAULT 0;
CREATE INDEX checks_keep ON checks (keep) WHERE keep > 0;
ALTER TABLE collections ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN keep_set INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN changes INTEGER NOT NULL DEFAULT 1;
ALTER TABLE collections ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN listed_at INTEGER NOT NULL DEFAULT 0;
CREATE TABLE document_times (
	collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, document INTEGER NOT NULL, added INTEGER NOT NULL,
	PRIMARY KEY (collection_id, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_times_added ON document_times (collection_id, added);
CREATE TABLE forgotten (
	collection_id TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, mark TEXT NOT NULL, PRIMARY KEY (collection_id, mark)
) STRICT, WITHOUT ROWID;
