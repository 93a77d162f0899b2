-- Adds the e-mail addresses of users, and the time at which an account was deleted, 0 for one that exists. The row
-- of a deleted account stays as long as a check, a decision or a step of a case refers to it.
ALTER TABLE users ADD COLUMN mail TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
