CREATE TABLE webhooks (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, url TEXT NOT NULL, secret TEXT NOT NULL, events TEXT NOT NULL, created BIGINT NOT NULL,
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX webhooks_group ON webhooks (group_id);
CREATE TABLE deliveries (
	id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE, check_id TEXT REFERENCES checks ON DELETE CASCADE,
	event TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued', tries BIGINT NOT NULL DEFAULT 0, ready BIGINT NOT NULL DEFAULT 0,
	status BIGINT NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', created BIGINT NOT NULL, finished BIGINT NOT NULL DEFAULT 0,
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX deliveries_open ON deliveries (ready) WHERE state = 'queued';
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, created);
CREATE INDEX deliveries_check ON deliveries (check_id);
CREATE FUNCTION checks_ended() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, e.event, CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		CROSS JOIN (SELECT 'SUBMISSION_COMPLETE' AS event UNION ALL SELECT 'SIMILARITY_COMPLETE') e
		WHERE instr(' ' || w.events || ' ', ' ' || e.event || ' ') > 0 AND (NEW.state = 'done' OR e.event = 'SUBMISSION_COMPLETE');
	RETURN NEW;
END $$;
CREATE TRIGGER checks_ended AFTER UPDATE OF state ON checks FOR EACH ROW WHEN (NEW.state IN ('done', 'failed') AND OLD.state NOT IN ('done', 'failed')) EXECUTE FUNCTION checks_ended();
