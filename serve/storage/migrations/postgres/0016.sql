DROP INDEX jobs_open;
CREATE INDEX jobs_state ON jobs (state, created);
DROP INDEX checks_submission;
CREATE INDEX checks_submission ON checks (submission_id, state);
CREATE INDEX checks_state ON checks (state, created);
CREATE INDEX submissions_label ON submissions (group_id, label, created);
CREATE INDEX additions_open ON additions (collection_id) WHERE state IN ('queued', 'running');
