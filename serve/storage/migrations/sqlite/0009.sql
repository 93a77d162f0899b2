-- Adds users whom an OpenID Connect provider signs in: external is issuer and subject.
ALTER TABLE users ADD COLUMN external TEXT;
CREATE UNIQUE INDEX users_external ON users (external) WHERE external IS NOT NULL;
ALTER TABLE sessions ADD COLUMN external INTEGER NOT NULL DEFAULT 0;
