-- Adds what the page of the pairs of a course needs of a report, in JSON: empty until it was read from the
-- report, and after each change of it.
ALTER TABLE checks ADD COLUMN overview TEXT NOT NULL DEFAULT '';
