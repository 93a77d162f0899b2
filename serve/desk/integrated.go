package desk

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
)

// Errors of clients of package tca.
var (
	ErrTerms    error = phrase.Error("tca.terms", "the submitter has not accepted the terms of use (EULA)")
	ErrUploaded error = phrase.Error("tca.uploaded", "the submission has another file")
	ErrNoFile   error = phrase.Error("tca.no-file", "the submission has no file yet")
	ErrNoReport error = phrase.Error("tca.no-report", "the report is not ready")
	ErrSameURL  error = phrase.Error("tca.same-url", "a webhook with the same URL already exists")
)

// A Faulty is the error for a text that cannot be checked.
type Faulty struct{ Code tca.Code }

// Error implements error.
func (e *Faulty) Error() string { return string(e.Code) }

// Limits of the texts of an integration.
const (
	createdKept = 7 * 24 * time.Hour // without a file
	mostCreated = 10_000             // without a file
	viewLife    = time.Hour          // of a link to a report
	mostHooks   = 10                 // of an integration
)

// An integrated is a text of an integration.
type integrated struct {
	tca.Submission
	integration, check, sum, person, assignment, context, label, settings, index string
	code                                                                         tca.Code
	requested, added                                                             int64

	state, reason, job, jobReason string // of its check; "" without one
	score                         float64
	partial                       bool
	submission                    string // id
	finished                      int64
}

const selectIntegrated = `SELECT t.id, owner, submitter, title, t.created, t.words, t.characters, code, integration_id, check_id, sum, person, assignment, context, t.label, settings, index_id, requested, added,
	coalesce(c.state, ''), coalesce(c.reason, ''), coalesce(j.state, ''), coalesce(j.reason, ''), coalesce(c.score, 0), coalesce(c.partial, ?1), coalesce(c.submission_id, ''), coalesce(c.finished, 0)
	FROM integration_texts t LEFT JOIN checks c ON c.id = t.check_id LEFT JOIN jobs j ON j.id = c.job_id`

func scanIntegrated(row func(...any) error, t *integrated) error {
	err := row(&t.ID, &t.Owner, &t.Submitter, &t.Title, millis{&t.Created}, &t.Words, &t.Characters, &t.code, &t.integration, &t.check, &t.sum, &t.person, &t.assignment, &t.context, &t.label, &t.settings, &t.index, &t.requested, &t.added,
		&t.state, &t.reason, &t.job, &t.jobReason, &t.score, &t.partial, &t.submission, &t.finished)
	t.Status, t.Fault, t.Message = t.status()
	return err
}

// status returns the state of the text for the client.
func (t *integrated) status() (state string, fault tca.Code, message string) {
	switch {
	case t.check == "":
		return tca.StateCreated, "", ""
	case t.code != "":
		return tca.StateError, t.code, t.code.Explain()
	case t.state == work.Failed || t.state == work.Cancelled:
		return tca.StateError, tca.Processing, cmp.Or(t.reason, tca.Processing.Explain())
	case t.Words == 0:
		return tca.StateProcessing, "", ""
	}
	return tca.StateComplete, "", ""
}

// open reports whether a job of the text waits or runs.
func (t *integrated) open() bool { return t.job == work.Queued || t.job == work.Running }

// similarity returns the state of the report for the client.
func (t *integrated) similarity() *tca.Similarity {
	s := &tca.Similarity{ID: t.ID, Status: tca.StateProcessing, Requested: timeOf(t.requested)}
	switch {
	case t.Status == tca.StateError:
		s.Status, s.Message = tca.StateError, t.Message
	case t.state == work.Done && !t.open() && t.job != work.Done: // an earlier report remains
		s.Status, s.Message = tca.StateError, cmp.Or(t.jobReason, tca.Processing.Explain())
	case t.state == work.Done && !t.open():
		percent, at := int(math.Round(t.score)), timeOf(t.finished)
		s.Status, s.Percent, s.Generated, s.Partial = tca.StateComplete, &percent, &at, t.partial
		if t.partial {
			s.Message = "part of the collections was not searched: the percentage may be too low"
		}
	}
	return s
}

// textIn is [integrations.text] in a transaction.
func (d *integrations) textIn(tx *storage.Tx, a accounts.Actor, id string) *integrated {
	return new(read(tx, func(ctx context.Context, db *sql.Tx) (integrated, error) { return d.text(ctx, db, a, id) }))
}

// text returns a text of the actor's integration.
func (d *integrations) text(ctx context.Context, db storage.Querier, a accounts.Actor, id string) (t integrated, err error) {
	if err := may(a, accounts.Integrate); err != nil {
		return t, err
	}
	err = scanIntegrated(db.QueryRowContext(ctx, selectIntegrated+` WHERE t.id = ?2 AND integration_id = ?3`, false, id, a.Token).Scan, &t)
	if err == nil && t.check != "" && t.state == "" {
		err = ErrNotFound
	}
	return t, found(err)
}

// Integrated returns a text of the actor's integration.
func (d *integrations) Integrated(ctx context.Context, a accounts.Actor, id string) (*tca.Submission, error) {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err != nil {
		return nil, err
	}
	return &t.Submission, nil
}

// CreateIntegrated creates a text of the actor's integration, whose file is uploaded later. Its owner
// becomes a user without a way to sign in, under whose name the check is shown.
func (d *integrations) CreateIntegrated(ctx context.Context, a accounts.Actor, n *tca.NewSubmission) (s *tca.Submission, err error) {
	id := tca.NewID()
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		i := d.integrationIn(tx, a)
		checkTerms(tx, i, n)
		tx.Exec(`DELETE FROM integration_texts WHERE integration_id = ? AND check_id = '' AND created < ?`, i.ID, time.Now().Add(-createdKept).UnixMilli())
		tx.RefuseIf(ErrQuota, `SELECT count(*) >= ? FROM integration_texts WHERE integration_id = ? AND check_id = ''`, mostCreated, i.ID)
		owner := ownerOf(tx, a, i, n)
		assignment, course := n.IDs()
		tx.Exec(`INSERT INTO integration_texts (id, integration_id, owner, submitter, title, person, assignment, context, label, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i.ID, string(n.Owner), string(n.Submitter), n.Title, owner, assignment, course, truncate(n.Label(), mostLabel), now())
		s = &d.textIn(tx, a, id).Submission
	})
	return s, err
}

// truncate returns the start of a text, of at most this many bytes.
func truncate(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// checkTerms makes a transaction fail with ErrTerms unless the submitter has accepted the terms of use, if there are any.
func checkTerms(tx *storage.Tx, i *Integration, n *tca.NewSubmission) {
	version := tca.Version(i.Terms)
	if i.Terms == "" || n.Terms != nil && n.Terms.Version == version {
		return
	}
	tx.RefuseIf(ErrTerms, `SELECT NOT EXISTS (SELECT 1 FROM integration_terms WHERE integration_id = ? AND person = ? AND version = ?)`, i.ID, string(n.Submitter), version)
}

// ownerOf returns the user of the owner of a text, who is created at the first one.
func ownerOf(tx *storage.Tx, a accounts.Actor, i *Integration, n *tca.NewSubmission) (user string) {
	id := &oidc.Identity{Issuer: integrationIssuer(i.ID), Subject: string(n.Owner), Role: accounts.Student}
	if tx.Row(`SELECT id FROM users WHERE external = ?`, externalOf(id.Issuer, id.Subject)).Scan(&user) {
		return user
	}
	name, email := n.OwnerName()
	id.Name = truncate(name, 200)
	id.Login = freeLogin(tx, []string{email, id.Subject + "@" + a.Login, accounts.NewID()[:12] + "@" + a.Login})
	u, refused := createExternal(tx, id, a.Group)
	tx.Fail(refused)
	return u.User
}

// UploadIntegrated stores the file of a text and queues its reading. The same file again changes nothing.
func (d *integrations) UploadIntegrated(ctx context.Context, a accounts.Actor, id, name string, content io.Reader) error {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err != nil {
		return err
	}
	u, err := d.uploads.Receive(ctx, a, accounts.Integrate, cmp.Or(name, t.Title), content)
	if err != nil {
		return err
	}
	again := false
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		t := d.textIn(tx, a, id)
		switch {
		case t.sum == u.sum && t.check != "":
			again = true
		case t.check != "":
			tx.Fail(ErrUploaded)
		default:
			d.insertIntegrated(tx, a, t, u)
		}
	})
	if err != nil || again {
		d.uploads.Discard(ctx, []*Upload{u})
	}
	d.queue.Wake()
	return err
}

// insertIntegrated adds the check of a text, which is read first.
func (d *integrations) insertIntegrated(tx *storage.Tx, a accounts.Actor, t *integrated, u *Upload) {
	i := d.integrationIn(tx, a)
	if tx.Err() != nil {
		return
	}
	submission := accounts.NewID()
	s := &Submission{Collection: i.Collections[0], Also: i.Collections[1:], Label: t.label, PresetID: i.Preset}
	insertSubmission(tx, a, submission, s)
	job := insertJob(tx, work.Queued, work.Read, s.Collection)
	check := insertText(tx, u, newText{submission, job, work.Queued, &t.person, s.Keep})
	d.uploads.withinQuota(tx, accounts.Actor{User: t.person, Group: a.Group})
	tx.Exec(`UPDATE integration_texts SET check_id = ?, sum = ? WHERE id = ?`, check, u.sum, t.ID)
	note(tx, a, "check texts", submission, s.Label)
}

// finishReading records the size of a text, or why it cannot be checked. If the client has asked for the
// report, it queues the check.
func (d *integrations) finishReading(ctx context.Context, j work.Job, o *work.Outcome) error {
	if o.Read == nil {
		return errors.New("the outcome has no size")
	}
	return whileRuns(ctx, d.folder, j, func(tx *storage.Tx) {
		var check, file, submission string
		tx.RowOr(sql.ErrNoRows, `SELECT id, file, submission_id FROM checks WHERE job_id = ?`, j.ID).Scan(&check, &file, &submission)
		var requested int64
		tx.Row(`UPDATE integration_texts SET words = ?, characters = ?, code = ? WHERE check_id = ? RETURNING requested`, o.Read.Words, o.Read.Characters, o.Read.Fault, check).Scan(&requested) // unless the integration was deleted
		state, failure := work.Waiting, error(nil)
		if o.Read.Fault != "" {
			state, failure = work.Failed, errNoText
			if len(o.Unread) > 0 {
				failure = phrase.Kept(o.Unread[0].Reason, o.Unread[0].Message)
			}
		}
		recordSize(tx, check, state, o.Read.Words, failure)
		endJob(tx, j.ID, work.Done, nil)
		if failure == nil && requested != 0 {
			queueTexts(tx, submission, []courseText{{check, file}}, true)
		}
	})
}

// RequestReport queues the report on a text of the actor's integration, as soon as the text is read. It
// returns ErrBusy while a report with other settings is being made.
func (d *integrations) RequestReport(ctx context.Context, a accounts.Actor, id string, r *tca.Request, add bool) error {
	settings, err := json.Marshal(r)
	if err != nil {
		return err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		t := d.textIn(tx, a, id)
		var file string
		reading := t.Status == tca.StateProcessing
		switch {
		case t.check == "":
			tx.Fail(ErrNoFile)
		case t.code != "" || t.Words == 0 && !reading:
			tx.Fail(&Faulty{cmp.Or(t.code, tca.Processing)})
		case t.open() && !reading && t.settings == string(settings):
			return
		case t.open() && !reading:
			tx.Fail(ErrBusy)
		}
		i := d.integrationIn(tx, a)
		tx.Exec(`UPDATE integration_texts SET requested = ?1, settings = ?2, added = CASE WHEN added = 2 THEN 2 WHEN ?3 THEN 1 ELSE 0 END, index_id = CASE WHEN added = 2 THEN index_id ELSE ?4 END WHERE id = ?5`,
			now(), string(settings), add && i.Index != "", i.Index, id)
		if !reading {
			tx.RowOr(sql.ErrNoRows, `SELECT file FROM checks WHERE id = ?`, t.check).Scan(&file)
			queueTexts(tx, t.submission, []courseText{{t.check, file}}, true)
		}
	})
	d.queue.Wake()
	return err
}

// applyRequest adds the settings of the client to the task of a report: further exclusions, and the texts
// that are no sources. The text itself never is.
func (d *integrations) applyRequest(ctx context.Context, j work.Job, task *work.Task) error {
	t := new(integrated)
	err := scanIntegrated(d.folder.Read.QueryRowContext(ctx, selectIntegrated+` WHERE c.job_id = ?2`, false, j.ID).Scan, t)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	r := new(tca.Request)
	if err = errors.Join(err, json.Unmarshal([]byte(t.settings), r)); err != nil {
		return err
	}
	p := &task.Preset
	p.Exclude = append(p.Exclude, r.Exclude...)
	p.MinPassage = max(p.MinPassage, r.MinPassage)
	scope := `AND (owner = ?3 AND (?4 = 'ALL' OR ?4 = 'GROUP' AND assignment = ?5 OR ?4 = 'GROUP_CONTEXT' AND context = ?6) OR id = ?2)`
	task.Without, err = list(ctx, d.folder.Read, scanString, `SELECT document FROM integration_texts WHERE integration_id = ?1 AND document != '' `+scope, t.integration, t.ID, t.Owner, r.Scope, t.assignment, t.context)
	return err
}

// Similarity returns the state of the report on a text of the actor's integration, or ErrNotFound if the
// client has not asked for it.
func (d *integrations) Similarity(ctx context.Context, a accounts.Actor, id string) (*tca.Similarity, error) {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err == nil && t.requested == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return t.similarity(), nil
}

// mostCopies is the number of texts that are added to collections at a time.
const mostCopies = 20

// dueIntegrated queues the addition of checked texts to the collections of their integrations.
func (d *integrations) dueIntegrated(ctx context.Context) error {
	due, err := list(ctx, d.folder.Read, scanIntegrated, selectIntegrated+` WHERE added = 1 AND c.state = 'done' AND j.state = 'done' ORDER BY t.rowid LIMIT ?2`, false, mostCopies)
	for _, t := range due {
		err = errors.Join(err, d.addIntegrated(ctx, &t))
	}
	return err
}

// addIntegrated queues the addition of a text to the collection of its integration, from a copy of its
// file. Its name begins with the id, by which it is left out of reports on itself.
func (d *integrations) addIntegrated(ctx context.Context, t *integrated) error {
	var a accounts.Actor
	var file string
	u := new(Upload)
	err := d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, i.group_id, c.file, c.name, c.size FROM integrations i JOIN users u ON u.id = i.user_id, checks c WHERE i.id = ? AND c.id = ?`, t.integration, t.check).
		Scan(&a.User, &a.Login, &a.Group, &file, &u.Name, &u.Size)
	if err != nil {
		return found(err)
	}
	u.file, u.Name = accounts.NewID()+extensions(file), t.ID+" "+u.Name
	err = d.files.Use(ctx, file, func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = d.files.Put(ctx, u.file, func(w io.Writer) error { _, err := io.Copy(w, &stopped{ctx, f}); return err })
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE integration_texts SET added = 2, document = ? WHERE id = ? AND added = 1`, u.Name, t.ID)
		insertAddition(tx, a, t.index, filesKind, u)
	})
	if err != nil {
		d.uploads.Discard(ctx, []*Upload{u})
	}
	return err
}

// deleteIntegrated deletes the text of a check, and queues its removal from the collection to which it
// was added.
func deleteIntegrated(tx *storage.Tx, check string) {
	var index, document string
	if !tx.Row(`DELETE FROM integration_texts WHERE check_id = ? RETURNING index_id, document`, check).Scan(&index, &document) || document == "" {
		return
	}
	var exists bool
	tx.Row(`SELECT EXISTS (SELECT 1 FROM collections WHERE id = ?)`, index).Scan(&exists)
	if exists {
		insertRemoval(tx, index, nil, []string{document}, nil)
	}
}

// DeleteIntegrated deletes a text of the actor's integration with its check, report and file, and from the
// collection to which it was added. A job that runs is cancelled.
func (d *integrations) DeleteIntegrated(ctx context.Context, a accounts.Actor, id string) error {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err != nil {
		return err
	}
	if t.check == "" {
		return d.folder.Write(ctx, func(tx *storage.Tx) {
			tx.Change(ErrNotFound, `DELETE FROM integration_texts WHERE id = ? AND check_id = ''`, id)
		})
	}
	as := accounts.Actor{User: a.User, Login: a.Login, Role: a.Role, Group: a.Group}
	if t.open() {
		if _, err := d.checks.Cancel(ctx, as, t.submission); err != nil {
			return err
		}
	}
	_, err = d.deletions.deleteCheck(ctx, as, t.check, "delete check")
	d.queue.Wake()
	return err
}

// IntegratedCheck returns the check of a text of the actor's integration, or ErrNoReport if it has no report.
func (d *integrations) IntegratedCheck(ctx context.Context, a accounts.Actor, id string) (check string, err error) {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err == nil && (t.requested == 0 || t.similarity().Status != tca.StateComplete) {
		err = ErrNoReport
	}
	if err != nil {
		return "", err
	}
	return t.check, nil
}

// IntegratedReport returns the report on a text of the actor's integration, with the latest decisions.
func (d *integrations) IntegratedReport(ctx context.Context, a accounts.Actor, id string) (*report.Report, error) {
	check, err := d.IntegratedCheck(ctx, a, id)
	if err != nil {
		return nil, err
	}
	return d.reports.Report(ctx, inGroup(a), check)
}

// ViewIntegrated returns the secret of a link that opens the report on a text to a user of the client.
func (d *integrations) ViewIntegrated(ctx context.Context, a accounts.Actor, id string, v *tca.View) (secret string, err error) {
	t, err := d.text(ctx, d.folder.Read, a, id)
	if err != nil {
		return "", err
	}
	i, err := d.integration(ctx, d.folder.Read, a)
	if err != nil {
		return "", err
	}
	switch {
	case !tca.Instructs(v.Role) && i.Viewers != ViewEverybody:
		return "", ErrForbidden
	case t.requested == 0 || t.similarity().Status != tca.StateComplete:
		return "", ErrNoReport
	}
	s := NewShare{For: truncate(strings.TrimSpace(string(v.User)), 200)}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		deleteExpired(tx, a, t.check)
		_, secret = insertShare(tx, a, t.check, s, link{student: !tca.Instructs(v.Role), score: true, report: true, life: viewLife})
		note(tx, a, "share check", t.check, s.For)
	})
	return secret, err
}

// integrationEvent returns the body of a delivery to the client of an integration, from the present state
// of the text.
func integrationEvent(ctx context.Context, f *storage.Folder, x due) ([]byte, error) {
	t := new(integrated)
	if err := scanIntegrated(f.Read.QueryRowContext(ctx, selectIntegrated+` WHERE t.check_id = ?2 AND t.integration_id = ?3`, false, x.check, x.integration).Scan, t); err != nil {
		return nil, err
	}
	if x.event == tca.SubmissionComplete {
		return json.Marshal(t.Submission)
	}
	return json.Marshal(t.similarity())
}
