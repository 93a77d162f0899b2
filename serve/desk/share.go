package desk

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// A Share is a link that opens one check, read-only and without an account.
type Share struct {
	ID      string    `json:"id"`
	For     string    `json:"for" doc:"who receives the link"`
	By      string    `json:"by" doc:"login of who created it"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Opened  time.Time `json:"opened,omitzero" doc:"when it was last opened"`
	Times   int       `json:"times" doc:"how often it was opened"`
	Student bool      `json:"student" doc:"it is for the student, who may write a statement"`
	Score   bool      `json:"score" doc:"it shows the score"`
	Report  bool      `json:"report" doc:"it opens the report"`
}

// Expired reports whether the link no longer opens anything.
func (s *Share) Expired() bool { return !s.Expires.After(time.Now()) }

// A NewShare is a link to create.
type NewShare struct {
	For  string `json:"for" doc:"who receives the link, such as a committee"`
	Days int    `json:"days" doc:"until it expires, 1 to 365"`
}

// mostDays is the limit of the lifetime of a link, in days.
const mostDays = 365

func (s *NewShare) check() error {
	s.For = strings.TrimSpace(s.For)
	switch {
	case s.For == "" || longer(s.For, 200):
		return Wrong("for", "serve.name", "a name has 1 to {most} characters", "most", 200)
	case s.Days < 1 || s.Days > mostDays:
		return Wrong("days", "serve.days", "the number of days is 1 to {most}", "most", mostDays)
	}
	return nil
}

// Share creates a link to a finished check of the actor's group and returns its secret, which is
// stored as a hash only.
func (d *cases) Share(ctx context.Context, a accounts.Actor, check string, s NewShare) (id, secret string, err error) {
	err = d.change(ctx, cmp.Or(d.mayOn(ctx, a, accounts.ShareChecks, check), s.check()), func(tx *storage.Tx) {
		id, secret = insertShare(tx, a, check, s, link{score: true, report: true})
		note(tx, a, "share check", check, s.For)
	})
	return id, secret, err
}

// A link is what a link to a check opens, and to whom.
type link struct {
	student, own, score, report bool
	life                        time.Duration // instead of days
}

// insertShare adds a link of the actor to a check, and returns its id and its secret.
func insertShare(tx *storage.Tx, a accounts.Actor, check string, s NewShare, l link) (id, secret string) {
	id = accounts.NewID()
	secret, hash := accounts.NewSecret()
	created := time.Now()
	tx.Exec(`INSERT INTO shares (id, hash, check_id, user_id, recipient, created, expires, student, own, score, report) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, hash, check, a.User, s.For, created.UnixMilli(), created.AddDate(0, 0, s.Days).Add(l.life).UnixMilli(), l.student, l.own, l.score, l.report)
	return id, secret
}

// deleteExpired deletes the links of the actor to a check that have expired.
func deleteExpired(tx *storage.Tx, a accounts.Actor, check string) {
	tx.Exec(`DELETE FROM shares WHERE check_id = ? AND user_id = ? AND expires < ?`, check, a.User, now())
}

// mayOn returns an error unless the actor may do the action, and the check is finished and of his group.
func (d *cases) mayOn(ctx context.Context, a accounts.Actor, action accounts.Action, check string) error {
	if err := may(a, action); err != nil {
		return err
	}
	c, err := d.checks.Check(ctx, inGroup(a), check)
	if err == nil && c.State != work.Done {
		return ErrNotFound
	}
	return err
}

// Shares returns the links to a check of the actor's group, the latest first, also those that have
// expired.
func (d *cases) Shares(ctx context.Context, a accounts.Actor, check string) ([]Share, error) {
	return listFor(ctx, cmp.Or(may(a, accounts.ShareChecks), d.checks.checkOwn(ctx, inGroup(a), check)), d.folder.Read, scanShare,
		selectShares+` WHERE check_id = ? ORDER BY s.created DESC, s.rowid DESC`, check)
}

const selectShares = `SELECT s.id, recipient, login, s.created, expires, opened, times, student, score, report FROM shares s JOIN users u ON u.id = user_id`

func scanShare(row func(...any) error, s *Share) error {
	return row(&s.ID, &s.For, &s.By, millis{&s.Created}, millis{&s.Expires}, millis{&s.Opened}, &s.Times, &s.Student, &s.Score, &s.Report)
}

// Unshare deletes a link to a check of the actor's group, which opens nothing from then on.
func (d *cases) Unshare(ctx context.Context, a accounts.Actor, check, id string) error {
	return d.change(ctx, cmp.Or(may(a, accounts.ShareChecks), d.checks.checkOwn(ctx, inGroup(a), check)), func(tx *storage.Tx) {
		var recipient string
		tx.RowOr(ErrNotFound, `DELETE FROM shares WHERE id = ? AND check_id = ? RETURNING recipient`, id, check).Scan(&recipient)
		note(tx, a, "revoke link", check, recipient)
	})
}

// A Shared is a check that a link opens.
type Shared struct {
	For     string    `json:"for" doc:"who received the link"`
	Expires time.Time `json:"expires"`
	Check   *Check    `json:"check,omitempty" doc:"of a link for others than the student"`
	History []Decided `json:"history,omitempty" doc:"who decided, when, and what"`
	Scores  []Scored  `json:"scores,omitempty" doc:"of each check that changed the score, the first first"`
	Steps   []Step    `json:"steps,omitempty" doc:"the case"`
	Student *Student  `json:"student,omitempty" doc:"of a link for the student, instead of the others"`
	Remarks []Remark  `json:"remarks,omitempty" doc:"comments on places of the text; to the student those for him, if the report is opened"`
}

// Shared returns the check that a link opens. Decisions are in words of the language of p. The audit log notes the opening. A link that has
// expired, was revoked or never existed is ErrNotFound.
func (d *cases) Shared(ctx context.Context, secret string, p *lang.Printer) (*Shared, error) {
	l, err := d.findShare(ctx, secret)
	if err != nil {
		return nil, err
	}
	return d.shared(ctx, l, p)
}

// shared returns the check that an opened link shows, and notes the opening.
func (d *cases) shared(ctx context.Context, l *openedShare, p *lang.Printer) (*Shared, error) {
	if err := d.noteOpening(ctx, l, "open link"); err != nil {
		return nil, err
	}
	s := &Shared{For: l.recipient, Expires: timeOf(l.expires)}
	c, err := d.checks.Check(ctx, l.reader, l.check)
	if err != nil {
		return nil, err
	}
	if s.Remarks, err = d.sharedRemarks(ctx, l); err != nil {
		return nil, err
	}
	if l.student {
		s.Student, err = d.student(ctx, l, c)
		return s, err
	}
	s.Check = c
	if s.Steps, err = d.Steps(ctx, l.reader, l.check); err != nil {
		return nil, err
	}
	if s.Scores, err = d.reports.Scores(ctx, l.reader, l.check); err != nil {
		return nil, err
	}
	s.History, err = d.reports.History(ctx, l.reader, l.check, p)
	return s, err
}

// An openedShare is a link that was opened.
type openedShare struct {
	id, check, recipient string
	expires              int64
	student              bool
	score, report        bool           // what a link for the student opens; others open both
	reader               accounts.Actor // may read the checks of the group
}

// findShare finds the link with a secret.
func (d *cases) findShare(ctx context.Context, secret string) (*openedShare, error) {
	return d.openShare(ctx, `l.hash = ? AND l.expires > ?`, accounts.HashSecret(secret), now())
}

// openShare reads the link to a finished check that meets a condition.
func (d *cases) openShare(ctx context.Context, where string, args ...any) (*openedShare, error) {
	l := &openedShare{reader: accounts.Actor{Role: accounts.Reader}}
	err := d.folder.Read.QueryRowContext(ctx, `SELECT l.id, l.check_id, l.recipient, l.expires, l.student, l.score, l.report, s.group_id FROM shares l JOIN checks c ON c.id = l.check_id
		JOIN submissions s ON s.id = c.submission_id WHERE c.state = 'done' AND `+where, args...).
		Scan(&l.id, &l.check, &l.recipient, &l.expires, &l.student, &l.score, &l.report, &l.reader.Group)
	return l, found(err)
}

// noteOpening counts the opening of a link, and notes an action in the audit log.
func (d *cases) noteOpening(ctx context.Context, l *openedShare, action string) error {
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE shares SET opened = ?, times = times + 1 WHERE id = ?`, now(), l.id) // revoked meanwhile
		note(tx, accounts.Actor{Group: l.reader.Group}, action, l.check, l.recipient)
	})
}

// Author returns the name of the student who handed a text of the actor's group in by himself, "" if it
// was somebody else.
func (d *cases) Author(ctx context.Context, a accounts.Actor, check string) (name string, err error) {
	if _, err := d.checks.Check(ctx, inGroup(a), check); err != nil {
		return "", err
	}
	names, err := list(ctx, d.folder.Read, scanString, `SELECT CASE u.name WHEN '' THEN u.login ELSE u.name END FROM checks c JOIN course_students m ON m.user_id = c.user_id AND m.course_id = c.submission_id JOIN users u ON u.id = c.user_id WHERE c.id = ?`, check)
	if err != nil || len(names) == 0 {
		return "", err
	}
	return names[0], nil
}

// findOwn finds the latest notice that the actor sees on the page of one of his own texts, or returns
// ErrNotFound.
func (d *cases) findOwn(ctx context.Context, a accounts.Actor, check string) (*openedShare, error) {
	if err := may(a, accounts.OwnTexts); err != nil {
		return nil, err
	}
	return d.openShare(ctx, `c.id = ? AND c.user_id = ? AND l.own AND l.expires > ? AND s.group_id = ? ORDER BY l.created DESC, l.rowid DESC LIMIT 1`, check, a.User, now(), a.Group)
}

// OwnText returns the notice to the student who handed the text in, with the score if it is opened. The
// audit log notes the opening.
func (d *cases) OwnText(ctx context.Context, a accounts.Actor, check string) (*Shared, error) {
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return nil, err
	}
	return d.shared(ctx, l, nil) // students see no decisions
}

// OwnReport returns the report on an own text of the actor, if a notice opens it.
func (d *cases) OwnReport(ctx context.Context, a accounts.Actor, check string) (*report.Report, error) {
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return nil, err
	}
	return d.sharedReport(ctx, l)
}

// OwnStatement adds a statement of the student to the case of an own text.
func (d *cases) OwnStatement(ctx context.Context, a accounts.Actor, check, text string) error {
	text, err := checkText(text)
	if err != nil {
		return err
	}
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return err
	}
	return d.addStatement(ctx, l, text)
}
