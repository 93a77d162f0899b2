-- Adds further collections that a submission is checked against.
CREATE TABLE submission_collections (
	submission_id TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, collection_id TEXT NOT NULL REFERENCES collections, place INTEGER NOT NULL,
	PRIMARY KEY (submission_id, place)
) STRICT;
CREATE INDEX submission_collections_collection ON submission_collections (collection_id);
