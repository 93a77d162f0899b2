ALTER TABLE tokens ADD COLUMN expires BIGINT NOT NULL DEFAULT 0;
UPDATE tokens SET expires = CAST(unixepoch('subsec') * 1000 AS BIGINT) + 7776000000;
