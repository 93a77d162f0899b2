package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A Submission is a set of files that are checked with the same settings.
type Submission struct {
	ID         string      `json:"id"`
	Collection string      `json:"collection"`          // id
	Also       []string    `json:"also,omitempty"`      // ids of further collections
	Label      string      `json:"label"`               // course, year or whatever groups checks
	Among      bool        `json:"among"`               // the texts are also checked against each other
	PresetID   string      `json:"preset_id,omitempty"` // of a submission to create: the preset with the settings
	Preset     work.Preset `json:"preset"`
	Keep       int         `json:"keep,omitempty"` // days after which its checks are deleted, unless a check sets its own; 0 for never
	Created    time.Time   `json:"created"`
	Course     bool        `json:"course,omitempty" doc:"it is a course, with the same id"`
}

// mostCollections is the limit of collections of one check.
const mostCollections = 20

// mostLabel is the limit of a label, in characters.
const mostLabel = 200

// errNoCollection is the error for texts that are to be checked against nothing.
var errNoCollection = Wrong("collection", "web.choose-collection", "choose a collection")

func (s *Submission) check(files int) error {
	s.Label = strings.TrimSpace(s.Label)
	switch {
	case files == 0:
		return Wrong("file", "serve.no-file", "no file was uploaded")
	case s.Collection == "":
		return errNoCollection
	case len(s.Also) >= mostCollections || slices.Contains(s.Also, s.Collection) || len(slices.Compact(slices.Sorted(slices.Values(s.Also)))) < len(s.Also):
		return Wrong("collection", "serve.collections", "choose up to {most} different collections", "most", mostCollections)
	case longer(s.Label, mostLabel):
		return Wrong("label", "serve.label", "a label has at most {most} characters", "most", mostLabel)
	case s.PresetID != "" && !reflect.DeepEqual(s.Preset, work.Preset{}):
		return Wrong("preset", "serve.preset-or-settings", "choose a preset or settings, not both")
	}
	return errors.Join(checkPreset(&s.Preset), checkKeep("keep", s.Keep))
}

// usePreset sets the settings of a submission from its preset, if it has one, and checks its given
// texts.
func (s *Submission) usePreset(tx *storage.Tx, a accounts.Actor) {
	if s.PresetID != "" {
		p := first(tx, Wrong("preset", "serve.preset", "unknown preset"), scanPreset, selectPresets+` AND id = ?`, a.Group, s.PresetID)
		s.Preset, s.Label, s.Keep = p.Settings, cmp.Or(s.Label, p.Label), cmp.Or(s.Keep, p.Keep)
	}
	knownGiven(tx, a, &s.Preset)
}

// Submit queues checks of uploaded files: one job for each file or, if the texts are checked against
// each other, one for all. If key is not empty and was used by the user before, Submit returns the
// earlier submission and discards the uploads. On an error, it discards them, too.
func (d *checks) Submit(ctx context.Context, a accounts.Actor, s Submission, key string, uploads []*Upload) (id string, err error) {
	err = errors.Join(may(a, accounts.CheckTexts), s.check(len(uploads)))
	s.ID, s.Created = "", time.Time{}
	id, err = d.uploads.once(ctx, a, request{key, s, uploads, err, nil}, func(tx *storage.Tx) string {
		if s.Among {
			distinct(uploads, nil)
		}
		id := accounts.NewID()
		insertSubmission(tx, a, id, &s)
		insertChecks(tx, id, s, uploads)
		d.uploads.withinQuota(tx, a)
		note(tx, a, "check texts", id, s.Label)
		return id
	})
	d.queue.Wake()
	return id, err
}

// insertSubmission creates a submission without texts, and sets its settings from its preset.
func insertSubmission(tx *storage.Tx, a accounts.Actor, id string, s *Submission) {
	for _, collection := range append([]string{s.Collection}, s.Also...) {
		checkUsable(tx, a, collection)
	}
	s.usePreset(tx, a)
	preset, err := json.Marshal(s.Preset)
	tx.Fail(err)
	tx.Exec(`INSERT INTO submissions (id, group_id, user_id, collection_id, label, folded, among, preset, keep, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, a.Group, a.User, s.Collection, s.Label, storage.Fold(s.Label), s.Among, string(preset), s.Keep, now())
	for place, collection := range s.Also {
		tx.Exec(`INSERT INTO submission_collections (submission_id, collection_id, place) VALUES (?, ?, ?)`, id, collection, place)
	}
}

// insertChecks queues the checks of a submission.
func insertChecks(tx *storage.Tx, id string, s Submission, uploads []*Upload) {
	job := ""
	for _, u := range uploads {
		if job == "" || !s.Among {
			job = insertJob(tx, work.Queued, work.Check, s.Collection)
		}
		insertText(tx, u, newText{id, job, work.Queued, nil, s.Keep})
	}
}

// Submission returns a submission of the actor's group.
func (d *checks) Submission(ctx context.Context, a accounts.Actor, id string) (*Submission, error) {
	if err := may(a, accounts.ReadChecks); err != nil {
		return nil, err
	}
	s := Submission{ID: id}
	var preset string
	err := d.folder.Read.QueryRowContext(ctx, `SELECT collection_id, label, among, preset, keep, created, EXISTS (SELECT 1 FROM courses WHERE id = submissions.id) FROM submissions WHERE id = ? AND group_id = ?`, id, a.Group).
		Scan(&s.Collection, &s.Label, &s.Among, &preset, &s.Keep, millis{&s.Created}, &s.Course)
	if err != nil {
		return nil, found(err)
	}
	if s.Also, err = d.furtherCollections(ctx, id); err != nil {
		return nil, err
	}
	return &s, json.Unmarshal([]byte(preset), &s.Preset)
}

// LastSubmission returns the latest upload of the actor, or with courses the latest course, nil if there is none.
func (d *checks) LastSubmission(ctx context.Context, a accounts.Actor, courses bool) (*Submission, error) {
	ids, err := list(ctx, d.folder.Read, scanString, `SELECT id FROM submissions s WHERE user_id = ? AND group_id = ? AND EXISTS (SELECT 1 FROM courses WHERE id = s.id) = ? ORDER BY created DESC, rowid DESC LIMIT 1`, a.User, a.Group, courses)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return d.Submission(ctx, a, ids[0])
}

// furtherCollections returns the ids of the further collections of a submission.
func (d *checks) furtherCollections(ctx context.Context, submission string) ([]string, error) {
	return list(ctx, d.folder.Read, scanString, `SELECT collection_id FROM submission_collections WHERE submission_id = ? ORDER BY place`, submission)
}

func scanFile(row func(...any) error, f *work.File) error { return row(&f.Path, &f.Name) }

// setFiles sets the files whose texts a job checks or reads.
func (d *checks) setFiles(ctx context.Context, j work.Job, task *work.Task) (err error) {
	task.Files, err = list(ctx, d.folder.Read, scanFile, `SELECT file, name FROM checks WHERE job_id = ? GROUP BY file, name ORDER BY min(rowid)`, j.ID)
	return err
}

// setSettings sets how a job checks the texts of a submission, and returns it with its further collections.
func (d *checks) setSettings(ctx context.Context, j work.Job, task *work.Task) (submission string, further []string, err error) {
	var preset string
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, among, preset FROM submissions WHERE id = (SELECT submission_id FROM checks WHERE job_id = ? LIMIT 1)`, j.ID).Scan(&submission, &task.Among, &preset)
	if err != nil {
		return "", nil, err
	}
	if further, err = d.furtherCollections(ctx, submission); err != nil {
		return "", nil, err
	}
	task.Skip, err = list(ctx, d.folder.Read, scanString, `SELECT path FROM checks WHERE submission_id = ?1 AND NOT counts AND file IN (SELECT file FROM checks WHERE job_id = ?2)`, submission, j.ID)
	if err != nil {
		return "", nil, err
	}
	return submission, further, json.Unmarshal([]byte(preset), &task.Preset)
}

// Cancel ends the checks of a submission that are queued or running. It returns their number.
func (d *checks) Cancel(ctx context.Context, a accounts.Actor, id string) (n int, err error) {
	if err := may(a, accounts.CheckTexts); err != nil {
		return 0, err
	}
	if _, err := d.Submission(ctx, inGroup(a), id); err != nil {
		return 0, err
	}
	jobs, err := list(ctx, d.folder.Read, scanString, `SELECT DISTINCT j.id FROM checks c CROSS JOIN jobs j WHERE c.submission_id = ? AND j.id = c.job_id AND j.state IN ('queued', 'running')`, id)
	if err != nil {
		return 0, err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		for _, job := range jobs {
			// Texts of a course that are checked again stay as they are.
			n += int(tx.Exec(`UPDATE checks SET state = 'cancelled', reason = '', message = '', finished = ? WHERE job_id = ? AND state IN ('queued', 'running')`, now(), job))
			cancelJob(tx, job)
		}
		note(tx, a, "cancel checks", id, "")
	})
	if err != nil {
		return 0, err
	}
	for _, job := range jobs {
		d.queue.Cancel(job)
	}
	return n, nil
}
