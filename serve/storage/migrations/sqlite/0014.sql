-- Adds the days after which checks of an upload or a course, or of those with a preset, are deleted. Each check
-- has its own, which a user may change.
ALTER TABLE submissions ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
ALTER TABLE presets ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
