-- Adds collections of which other groups see only that a passage is in them.
ALTER TABLE collections ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN contact TEXT NOT NULL DEFAULT '';
