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
