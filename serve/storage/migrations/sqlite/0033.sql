-- Adds when a user opened the page of a course last, and the time before, since which the page marks changes.
CREATE TABLE looks (
	user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE, course_id TEXT NOT NULL REFERENCES courses ON DELETE CASCADE,
	earlier INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (user_id, course_id)
) STRICT;
