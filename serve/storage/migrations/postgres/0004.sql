CREATE TABLE submission_collections (
	submission_id TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, collection_id TEXT NOT NULL REFERENCES collections, place BIGINT NOT NULL,
	PRIMARY KEY (submission_id, place),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX submission_collections_collection ON submission_collections (collection_id);
