package storage

// peopleSchema adds the e-mail addresses of users, and the time at which an account was deleted, 0 for one that exists. The row
// of a deleted account stays as long as a check, a decision or a step of a case refers to it.
const peopleSchema = `
ALTER TABLE users ADD COLUMN mail TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
`

// mailSchema adds the languages of users, and messages that are to be sent by e-mail, with the path of what they link. A row
// is deleted when its message is sent or has failed for good, so no address and no secret of a link stays.
const mailSchema = `
ALTER TABLE users ADD COLUMN lang TEXT NOT NULL DEFAULT '';
CREATE TABLE mails (
	id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES groups, user_id TEXT REFERENCES users ON DELETE CASCADE,
	check_id TEXT REFERENCES checks ON DELETE CASCADE, course_id TEXT REFERENCES courses ON DELETE CASCADE,
	address TEXT NOT NULL, lang TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, link TEXT NOT NULL,
	tries INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL
) STRICT;
CREATE INDEX mails_ready ON mails (ready);
CREATE INDEX mails_check ON mails (check_id);
CREATE INDEX mails_user ON mails (user_id);
`
