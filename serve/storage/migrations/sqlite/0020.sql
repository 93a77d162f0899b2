-- Adds collections in a cluster. index_name is the name of the index there, empty for a collection in a folder.
-- deleted_indexes has the indexes of deleted collections that the cluster still has.
ALTER TABLE collections ADD COLUMN index_name TEXT NOT NULL DEFAULT '';
CREATE TABLE deleted_indexes (
	name TEXT PRIMARY KEY
) STRICT;
