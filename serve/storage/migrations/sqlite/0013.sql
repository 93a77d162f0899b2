-- Adds the cases of checks. A step belongs to a user, or to the student whose link added it; that of a notice
-- has the link, too. case_state is the kind of the last step that changes the state. A link for a student shows
-- the score and the report only if they are opened.
CREATE TABLE case_steps (
	number INTEGER PRIMARY KEY, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, kind TEXT NOT NULL, at INTEGER NOT NULL,
	user_id TEXT REFERENCES users, link TEXT, name TEXT NOT NULL, detail TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX case_steps_check ON case_steps (check_id, number);
CREATE INDEX case_steps_link ON case_steps (link) WHERE link IS NOT NULL;
CREATE TRIGGER case_steps_fixed BEFORE UPDATE ON case_steps BEGIN SELECT RAISE(ABORT, 'a step of a case is never changed'); END;
ALTER TABLE checks ADD COLUMN case_state TEXT NOT NULL DEFAULT '';
ALTER TABLE shares ADD COLUMN student INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shares ADD COLUMN score INTEGER NOT NULL DEFAULT 1;
ALTER TABLE shares ADD COLUMN report INTEGER NOT NULL DEFAULT 1;
