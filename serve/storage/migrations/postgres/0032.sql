CREATE TABLE remarks (
	id TEXT PRIMARY KEY, check_id TEXT NOT NULL REFERENCES checks ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES users,
	name TEXT NOT NULL, at BIGINT NOT NULL, start_at BIGINT NOT NULL, quote TEXT NOT NULL, student BOOLEAN NOT NULL, text TEXT NOT NULL,
	rowid BIGINT GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX remarks_check ON remarks (check_id, start_at);
CREATE INDEX remarks_user ON remarks (user_id);
