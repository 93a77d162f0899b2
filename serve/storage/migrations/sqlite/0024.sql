-- Adds the ends of tokens. Those that exist end after 90 days.
ALTER TABLE tokens ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
UPDATE tokens SET expires = CAST(unixepoch('subsec') * 1000 AS INTEGER) + 7776000000;
