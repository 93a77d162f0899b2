CREATE TABLE courses (
	id TEXT PRIMARY KEY REFERENCES submissions ON DELETE CASCADE, group_id TEXT NOT NULL REFERENCES groups, job_id TEXT NOT NULL REFERENCES jobs,
	name TEXT NOT NULL, ends BIGINT NOT NULL, rise DOUBLE PRECISION NOT NULL, begun BOOLEAN NOT NULL DEFAULT FALSE, pending BIGINT NOT NULL DEFAULT 0, UNIQUE (group_id, name),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE checks ADD COLUMN user_id TEXT REFERENCES users;
ALTER TABLE checks ADD COLUMN counts BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE checks ADD COLUMN base DOUBLE PRECISION;
ALTER TABLE checks ADD COLUMN rose DOUBLE PRECISION;
CREATE FUNCTION checks_again() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_COMPLETE', CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		WHERE instr(' ' || w.events || ' ', ' SIMILARITY_COMPLETE ') > 0;
	RETURN NEW;
END $$;
CREATE TRIGGER checks_again AFTER UPDATE OF reported ON checks FOR EACH ROW WHEN (NEW.reported > OLD.reported AND OLD.state = 'done') EXECUTE FUNCTION checks_again();
CREATE FUNCTION checks_rose() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_RISE', CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		WHERE instr(' ' || w.events || ' ', ' SIMILARITY_RISE ') > 0;
	RETURN NEW;
END $$;
CREATE TRIGGER checks_rose AFTER UPDATE OF rose ON checks FOR EACH ROW WHEN (NEW.rose IS NOT NULL AND NEW.base > OLD.base) EXECUTE FUNCTION checks_rose();
