-- Adds the mark of the bucket with uploads and reports. There is no row if they are in the folder.
CREATE TABLE bucket (
	mark TEXT NOT NULL
) STRICT;
