-- Functions of SQLite that queries and triggers call, and the version of the database. NOCASE compares without
-- regard to case. hex, randomblob, unixepoch and instr are those of SQLite, max and min its forms with two
-- arguments.
CREATE COLLATION NOCASE (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FUNCTION hex(BYTEA) RETURNS TEXT LANGUAGE SQL IMMUTABLE AS $$ SELECT encode($1, 'hex') $$;
CREATE FUNCTION randomblob(INT) RETURNS BYTEA LANGUAGE SQL VOLATILE AS $$ SELECT decode(left(replace(gen_random_uuid()::TEXT, '-', ''), 2 * $1), 'hex') $$;
CREATE FUNCTION unixepoch(TEXT) RETURNS DOUBLE PRECISION LANGUAGE SQL VOLATILE AS $$ SELECT extract(epoch FROM clock_timestamp())::DOUBLE PRECISION $$;
CREATE FUNCTION instr(TEXT, TEXT) RETURNS INT LANGUAGE SQL IMMUTABLE AS $$ SELECT strpos($1, $2) $$;
CREATE FUNCTION max(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE SQL IMMUTABLE AS $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION min(DOUBLE PRECISION, DOUBLE PRECISION) RETURNS DOUBLE PRECISION LANGUAGE SQL IMMUTABLE AS $$ SELECT least($1, $2) $$;
CREATE TABLE version (number BIGINT NOT NULL, folder TEXT NOT NULL);
INSERT INTO version VALUES (0, '');
