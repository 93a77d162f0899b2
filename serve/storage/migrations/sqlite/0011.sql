-- Adds courses. A course is a submission whose checks wait until a date, and run again when others arrive. Its
-- job is one that never runs: the checks that wait refer to it.
--
-- pending is 1 if texts are to be checked when the date has come, 2 if all are to be checked now. begun is set
-- by the first check after the date.
--
-- A check has who handed the text in, NULL for the user of its submission, and whether it counts. base is the
-- score with which later ones are compared, and rose is the score before a rise that nobody has seen. reported
-- is the number of the report: each check of a text writes a new one.
CREATE TABLE courses (
	id TEXT PRIMARY KEY REFERENCES submissions ON DELETE CASCADE, group_id TEXT NOT NULL REFERENCES groups, job_id TEXT NOT NULL REFERENCES jobs,
	name TEXT NOT NULL, ends INTEGER NOT NULL, rise REAL NOT NULL, begun INTEGER NOT NULL DEFAULT 0, pending INTEGER NOT NULL DEFAULT 0, UNIQUE (group_id, name)
) STRICT;
ALTER TABLE checks ADD COLUMN user_id TEXT REFERENCES users;
ALTER TABLE checks ADD COLUMN counts INTEGER NOT NULL DEFAULT 1;
ALTER TABLE checks ADD COLUMN base REAL;
ALTER TABLE checks ADD COLUMN rose REAL;
CREATE TRIGGER checks_again AFTER UPDATE OF reported ON checks WHEN NEW.reported > OLD.reported AND OLD.state = 'done'
BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_COMPLETE', CAST(unixepoch('subsec') * 1000 AS INTEGER)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		WHERE instr(' ' || w.events || ' ', ' SIMILARITY_COMPLETE ') > 0;
END;
CREATE TRIGGER checks_rose AFTER UPDATE OF rose ON checks WHEN NEW.rose IS NOT NULL AND NEW.base > OLD.base
BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_RISE', CAST(unixepoch('subsec') * 1000 AS INTEGER)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		WHERE instr(' ' || w.events || ' ', ' SIMILARITY_RISE ') > 0;
END;
