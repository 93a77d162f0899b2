-- Adds indexes for a server with many checks. A partial index on two states serves no query for one of them, so
-- jobs_state replaces jobs_open. checks_submission has the state so that SQLite prefers it to checks_state for
-- the texts of a submission.
DROP INDEX jobs_open;
CREATE INDEX jobs_state ON jobs (state, created);
DROP INDEX checks_submission;
CREATE INDEX checks_submission ON checks (submission_id, state);
CREATE INDEX checks_state ON checks (state, created);
CREATE INDEX submissions_label ON submissions (group_id, label, created);
CREATE INDEX additions_open ON additions (collection_id) WHERE state IN ('queued', 'running');
