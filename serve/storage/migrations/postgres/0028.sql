CREATE TABLE integrations (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT NOT NULL REFERENCES users, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
	collections TEXT NOT NULL, preset_id TEXT NOT NULL, index_id TEXT NOT NULL, viewers TEXT NOT NULL, terms TEXT NOT NULL, terms_at BIGINT NOT NULL,
	created BIGINT NOT NULL, used BIGINT NOT NULL DEFAULT 0, UNIQUE (group_id, name),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE TABLE integration_texts (
	id TEXT PRIMARY KEY, integration_id TEXT NOT NULL REFERENCES integrations ON DELETE CASCADE, check_id TEXT NOT NULL DEFAULT '', sum TEXT NOT NULL DEFAULT '',
	owner TEXT NOT NULL, submitter TEXT NOT NULL, title TEXT NOT NULL, person TEXT NOT NULL, assignment TEXT NOT NULL, context TEXT NOT NULL, label TEXT NOT NULL,
	code TEXT NOT NULL DEFAULT '', words BIGINT NOT NULL DEFAULT 0, characters BIGINT NOT NULL DEFAULT 0,
	created BIGINT NOT NULL, requested BIGINT NOT NULL DEFAULT 0, settings TEXT NOT NULL DEFAULT '{}', added BIGINT NOT NULL DEFAULT 0, index_id TEXT NOT NULL DEFAULT '', document TEXT NOT NULL DEFAULT '',
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX integration_texts_check ON integration_texts (check_id);
CREATE INDEX integration_texts_owner ON integration_texts (integration_id, owner);
CREATE INDEX integration_texts_open ON integration_texts (added) WHERE added = 1;
CREATE TABLE integration_terms (
	integration_id TEXT NOT NULL REFERENCES integrations ON DELETE CASCADE, person TEXT NOT NULL, version TEXT NOT NULL, language TEXT NOT NULL, at BIGINT NOT NULL,
	PRIMARY KEY (integration_id, person, version),
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE webhooks ADD COLUMN integration_id TEXT REFERENCES integrations ON DELETE CASCADE;
ALTER TABLE webhooks ADD COLUMN description TEXT NOT NULL DEFAULT '';
CREATE INDEX webhooks_integration ON webhooks (integration_id) WHERE integration_id IS NOT NULL;
CREATE FUNCTION integration_ended() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, e.event, CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM integration_texts t JOIN webhooks w ON w.integration_id = t.integration_id
		JOIN (SELECT 'waiting' AS state, 'SUBMISSION_COMPLETE' AS event UNION ALL SELECT 'failed', 'SUBMISSION_COMPLETE' UNION ALL SELECT 'done', 'SIMILARITY_COMPLETE') e ON e.state = NEW.state
		WHERE t.check_id = NEW.id AND instr(' ' || w.events || ' ', ' tca:' || e.event || ' ') > 0;
	RETURN NEW;
END $$;
CREATE TRIGGER integration_ended AFTER UPDATE OF state ON checks FOR EACH ROW WHEN (NEW.state IN ('waiting', 'done', 'failed') AND OLD.state != NEW.state) EXECUTE FUNCTION integration_ended();
CREATE FUNCTION integration_again() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_COMPLETE', CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM integration_texts t JOIN webhooks w ON w.integration_id = t.integration_id
		WHERE t.check_id = NEW.id AND instr(' ' || w.events || ' ', ' tca:SIMILARITY_COMPLETE ') > 0;
	RETURN NEW;
END $$;
CREATE TRIGGER integration_again AFTER UPDATE OF reported ON checks FOR EACH ROW WHEN (NEW.reported > OLD.reported AND OLD.state = 'done') EXECUTE FUNCTION integration_again();
CREATE FUNCTION integration_updated() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, 'SIMILARITY_UPDATED', CAST(unixepoch('subsec') * 1000 AS BIGINT)
		FROM integration_texts t JOIN webhooks w ON w.integration_id = t.integration_id
		WHERE t.check_id = NEW.id AND instr(' ' || w.events || ' ', ' tca:SIMILARITY_UPDATED ') > 0;
	RETURN NEW;
END $$;
CREATE TRIGGER integration_updated AFTER UPDATE OF score ON checks FOR EACH ROW WHEN (NEW.score != OLD.score AND NEW.reported = OLD.reported AND OLD.state = 'done' AND NEW.state = 'done') EXECUTE FUNCTION integration_updated();
