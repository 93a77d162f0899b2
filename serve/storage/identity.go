package storage

// secondFactor adds one-time codes to accounts. totp is the confirmed secret, totp_new one that is
// not confirmed yet, totp_step the step of the last code that was used. Recovery codes are hashes.
const secondFactor = `
ALTER TABLE users ADD COLUMN totp TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_new TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;
CREATE TABLE recovery_codes (
	hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE
) STRICT;
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);
`

// externalUsers adds users whom an OpenID Connect provider signs in: external is issuer and subject.
const externalUsers = `
ALTER TABLE users ADD COLUMN external TEXT;
CREATE UNIQUE INDEX users_external ON users (external) WHERE external IS NOT NULL;
ALTER TABLE sessions ADD COLUMN external INTEGER NOT NULL DEFAULT 0;
`

// webhookSchema adds webhooks of groups and their deliveries. A check that ends queues its events in
// the same transaction. A delivery without a check is a trial.
const webhookSchema = `
CREATE TABLE webhooks (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, url TEXT NOT NULL, secret TEXT NOT NULL, events TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_group ON webhooks (group_id);
CREATE TABLE deliveries (
	id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE, check_id TEXT REFERENCES checks ON DELETE CASCADE,
	event TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued', tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0,
	status INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX deliveries_open ON deliveries (ready) WHERE state = 'queued';
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, created);
CREATE INDEX deliveries_check ON deliveries (check_id);
CREATE TRIGGER checks_ended AFTER UPDATE OF state ON checks WHEN NEW.state IN ('done', 'failed') AND OLD.state NOT IN ('done', 'failed')
BEGIN
	INSERT INTO deliveries (id, webhook_id, check_id, event, created)
		SELECT lower(hex(randomblob(16))), w.id, NEW.id, e.event, CAST(unixepoch('subsec') * 1000 AS INTEGER)
		FROM webhooks w JOIN submissions s ON s.id = NEW.submission_id AND s.group_id = w.group_id
		CROSS JOIN (SELECT 'SUBMISSION_COMPLETE' AS event UNION ALL SELECT 'SIMILARITY_COMPLETE') e
		WHERE instr(' ' || w.events || ' ', ' ' || e.event || ' ') > 0 AND (NEW.state = 'done' OR e.event = 'SUBMISSION_COMPLETE');
END;
`
