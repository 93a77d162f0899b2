-- Adds one-time codes to accounts. totp is the confirmed secret, totp_new one that is not confirmed yet,
-- totp_step the step of the last code that was used. Recovery codes are hashes.
ALTER TABLE users ADD COLUMN totp TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_new TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;
CREATE TABLE recovery_codes (
	hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE
) STRICT;
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);
