-- Adds what names are searched by: in lower case, with one form of each accent.
ALTER TABLE checks ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE submissions ADD COLUMN folded TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN folded TEXT NOT NULL DEFAULT '';
