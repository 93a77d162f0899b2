package storage

// overviewSchema adds what the page of the pairs of a course needs of a report, in JSON: empty until it was
// read from the report, and after each change of it.
const overviewSchema = `
ALTER TABLE checks ADD COLUMN overview TEXT NOT NULL DEFAULT '';
`
