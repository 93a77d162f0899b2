-- Adds the messages of reasons, by which pages translate them: JSON, or empty if the reason is only text.
ALTER TABLE jobs ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE checks ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE additions ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE removals ADD COLUMN message TEXT NOT NULL DEFAULT '';
