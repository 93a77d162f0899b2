-- Adds the scores of a text that is checked again: one for each check that changed it.
CREATE TABLE check_scores (
	number INTEGER PRIMARY KEY, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, at INTEGER NOT NULL, score REAL NOT NULL
) STRICT;
CREATE INDEX check_scores_check ON check_scores (check_id, number);
INSERT INTO check_scores (check_id, at, score) SELECT id, finished, score FROM checks WHERE state = 'done' ORDER BY finished, rowid;
