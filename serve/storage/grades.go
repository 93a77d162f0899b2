package storage

// gradeSchema adds the words that the score of a check counts by the grades of their passages, and the longest
// run of equal words in these. All are 0 for checks of earlier versions.
const gradeSchema = `
ALTER TABLE checks ADD COLUMN verbatim INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN reworded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN longest_run INTEGER NOT NULL DEFAULT 0;
`

// groupSchema adds the same words by the groups of their passages. All are 0 for checks of earlier versions. The pages
// of pairs read the reports again, for the documents of the collections.
const groupSchema = `
ALTER TABLE checks ADD COLUMN quoted_cited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN quoted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN cited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN neither INTEGER NOT NULL DEFAULT 0;
UPDATE checks SET overview = '';
`
