package storage

// clusterSchema adds collections in a cluster. index_name is the name of the index there, ” for a
// collection in a folder. deleted_indexes has the indexes of deleted collections that the cluster
// still has.
const clusterSchema = `
ALTER TABLE collections ADD COLUMN index_name TEXT NOT NULL DEFAULT '';
CREATE TABLE deleted_indexes (
	name TEXT PRIMARY KEY
) STRICT;
`
