-- Adds the words that the score of a check counts by the groups of their passages. All are 0 for checks of earlier
-- versions. What the pages of pairs need is read again from the reports, with the documents of the collections.
ALTER TABLE checks ADD COLUMN quoted_cited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN quoted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN cited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN neither INTEGER NOT NULL DEFAULT 0;
UPDATE checks SET overview = '';
