package desk

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// The cases are what follows a report: verdicts, comments, and what users and students write to each other.
type cases struct {
	room
	mails   *mails
	checks  *checks
	reports *reports
	remains *remains
}

// Kinds of steps of a case.
const (
	VerdictStep   = "verdict"
	CommentStep   = "comment"
	NoticeStep    = "notice"    // to the student, with a link
	AccessStep    = "access"    // the score or the report is opened to the student, or closed
	StatementStep = "statement" // of the student
	ReplyStep     = "reply"
	ClosedStep    = "closed"
	ReopenedStep  = "reopened"
)

// CaseStates returns the states of a case that has more than verdicts and comments: the kinds of the
// steps that set them.
func CaseStates() []string {
	return []string{NoticeStep, StatementStep, ReplyStep, ClosedStep, ReopenedStep}
}

// A Step is a step of the case of a check. It is never changed, and deleted with the check only.
type Step struct {
	Number int64     `json:"number"`
	Kind   string    `json:"kind" enum:"verdict,comment,notice,access,statement,reply,closed,reopened"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`     // login; empty for the student
	Name   string    `json:"name"`             // of the user or the student
	Detail string    `json:"detail,omitempty"` // the verdict, the recipient of a notice, or what is opened: score, report, none
	Text   string    `json:"text,omitempty"`
}

// A NewStep is a step to add.
type NewStep struct {
	Kind string `json:"kind" enum:"comment,reply,closed,reopened"`
	Text string `json:"text" max:"50000"`
}

// A Notice is a message to the student with a link.
type Notice struct {
	For    string `json:"for" doc:"name of the student"`
	Days   int    `json:"days" doc:"until the link expires, 1 to 365"`
	Text   string `json:"text" max:"50000"`
	Score  bool   `json:"score" doc:"the link shows the score"`
	Report bool   `json:"report" doc:"the link opens the report, which has the score, too"`
	Mail   string `json:"mail,omitempty" doc:"e-mail address to which the link is sent; it is not kept"`
	Own    bool   `json:"own,omitempty" doc:"a student who handed the text in from a learning platform also sees the notice on his page"`
}

// Access is what a link shows to the student.
type Access struct {
	Score  bool `json:"score"`
	Report bool `json:"report" doc:"the report has the score, too"`
}

// ErrClosed is the error for a step of a case that is closed.
var ErrClosed error = phrase.Error("case.is-closed", "the case is closed: reopen it first")

// Limits of the texts of steps, in characters, and of the statements of one link.
const (
	mostText       = 50_000
	mostStatements = 50
)

func checkText(text string) (string, error) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" || utf8.RuneCountInString(text) > mostText {
		return "", Wrong("text", "case.text-limit", "type a text of at most {most} characters", "most", mostText)
	}
	return text, nil
}

// Steps returns the steps of the case of a check of the actor's group, the first first.
func (d *cases) Steps(ctx context.Context, a accounts.Actor, check string) ([]Step, error) {
	return listFor(ctx, d.checks.checkOwn(ctx, a, check), d.folder.Read, func(row func(...any) error, s *Step) error {
		return row(&s.Number, &s.Kind, millis{&s.At}, &s.By, &s.Name, &s.Detail, &s.Text)
	}, `SELECT number, kind, at, coalesce(login, ''), t.name, detail, text FROM case_steps t LEFT JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY number`, check)
}

// A step is a row of case_steps to add.
type step struct {
	check, kind, name, detail, text string
	user, link                      *string // who adds it: a user, or the student by a link; a step of a user about a link has both
}

// with returns the step as one about a link.
func (s step) with(link string) step {
	s.link = &link
	return s
}

// byUser returns a step of a user.
func byUser(a accounts.Actor, check, kind, detail, text string) step {
	return step{check: check, kind: kind, name: a.Person(), detail: detail, text: text, user: &a.User}
}

// addStep adds a step, unless it repeats the one before, as a form that is sent twice does. It fails with
// ErrClosed if the case is closed, and sets the state of the case.
func addStep(tx *storage.Tx, s step) (number int64) {
	var state string
	tx.RowOr(ErrNotFound, `SELECT case_state FROM checks WHERE id = ? AND state = 'done'`, s.check).Scan(&state)
	repeated := tx.Row(`SELECT number FROM case_steps WHERE number = (SELECT max(number) FROM case_steps WHERE check_id = ?) AND kind = ? AND user_id IS NOT DISTINCT FROM ? AND link IS NOT DISTINCT FROM ? AND detail = ? AND text = ?`,
		s.check, s.kind, s.user, s.link, s.detail, s.text).Scan(&number)
	if repeated {
		return number
	}
	switch {
	case state == ClosedStep && s.kind != ReopenedStep:
		tx.Fail(ErrClosed)
	case state != ClosedStep && s.kind == ReopenedStep:
		tx.Fail(Wrong("kind", "case.not-closed", "the case is not closed"))
	}
	if s.kind == ReplyStep {
		none := Wrong("kind", "case.no-statement", "there is no statement to reply to")
		tx.RefuseIf(none, `SELECT NOT EXISTS (SELECT 1 FROM case_steps WHERE check_id = ? AND kind = ?)`, s.check, StatementStep)
	}
	tx.Row(`INSERT INTO case_steps (check_id, kind, at, user_id, link, name, detail, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
		s.check, s.kind, now(), s.user, s.link, s.name, s.detail, s.text).Scan(&number)
	if slices.Contains(CaseStates(), s.kind) {
		setCase(tx, s.check, s.kind)
	}
	return number
}

// AddStep adds a comment, a reply to the student or the end of the case to a finished check of the
// actor's group, or reopens the case. It returns the number of the step.
func (d *cases) AddStep(ctx context.Context, a accounts.Actor, check string, s NewStep) (number int64, err error) {
	if err := d.mayOn(ctx, a, accounts.DecideOnChecks, check); err != nil {
		return 0, err
	}
	if !slices.Contains([]string{CommentStep, ReplyStep, ClosedStep, ReopenedStep}, s.Kind) {
		return 0, Wrong("kind", "case.kind", "unknown kind of step")
	}
	if s.Text, err = checkText(s.Text); err != nil {
		return 0, err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		number = addStep(tx, byUser(a, check, s.Kind, "", s.Text))
		note(tx, a, "case: "+s.Kind, check, "")
	})
	return number, err
}

// Notify adds a notice to the student to the case of a finished check of the actor's group. It returns
// the secret of a link, by which the student reads it and writes his statement.
func (d *cases) Notify(ctx context.Context, a accounts.Actor, check string, n Notice) (id, secret string, err error) {
	if err := d.mayOn(ctx, a, accounts.ShareChecks, check); err != nil {
		return "", "", err
	}
	s := NewShare{For: n.For, Days: n.Days}
	if err := s.check(); err != nil {
		return "", "", err
	}
	if n.Text, err = checkText(n.Text); err != nil {
		return "", "", err
	}
	if err := d.mails.checkRecipient(n.Mail); err != nil {
		return "", "", err
	}
	if n.Own {
		author, err := d.Author(ctx, a, check)
		if err == nil && author == "" {
			err = Wrong("own", "lti.no-author", "no student handed the text in from a learning platform")
		}
		if err != nil {
			return "", "", err
		}
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		id, secret = insertShare(tx, a, check, s, link{student: true, own: n.Own, score: n.Score || n.Report, report: n.Report})
		addStep(tx, byUser(a, check, NoticeStep, s.For, n.Text).with(id))
		if n.Score || n.Report {
			addStep(tx, byUser(a, check, AccessStep, accessOf(n.Score, n.Report), "").with(id))
		}
		if n.Mail != "" {
			d.mails.post(tx, message{kind: mailNotice, group: a.Group, check: &check, to: n.Mail, lang: a.Lang, name: s.For, link: "/shared/" + secret})
		}
		note(tx, a, "case: "+NoticeStep, check, s.For)
	})
	return id, secret, err
}

// accessOf returns what is opened to the student, as the detail of a step.
func accessOf(score, report bool) string {
	switch {
	case report:
		return "report"
	case score:
		return "score"
	}
	return "none"
}

// OpenToStudent sets what a link to a check of the actor's group shows to the student.
func (d *cases) OpenToStudent(ctx context.Context, a accounts.Actor, check, link string, to Access) error {
	if err := d.mayOn(ctx, a, accounts.ShareChecks, check); err != nil {
		return err
	}
	to.Score = to.Score || to.Report
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		var same bool
		tx.RowOr(ErrNotFound, `SELECT score = ? AND report = ? FROM shares WHERE id = ? AND check_id = ? AND student`, to.Score, to.Report, link, check).Scan(&same)
		if same {
			return
		}
		tx.Exec(`UPDATE shares SET score = ?, report = ? WHERE id = ?`, to.Score, to.Report, link)
		addStep(tx, byUser(a, check, AccessStep, accessOf(to.Score, to.Report), "").with(link))
		note(tx, a, "case: "+AccessStep, check, "")
	})
}

// A Student is what a link shows to the student.
type Student struct {
	Text   string   `json:"text" doc:"name of the text"`
	Score  *float64 `json:"score,omitempty" doc:"percent, if it is opened"`
	Only   bool     `json:"reworded_only,omitempty" doc:"the score, if it is opened, consists of reworded words only"`
	Least  bool     `json:"at_least,omitempty" doc:"part of the collection was not searched: the score may be higher"`
	Report bool     `json:"report" doc:"the report is opened"`
	Steps  []Step   `json:"steps" doc:"notices, statements, replies and the end of the case"`
	Closed bool     `json:"closed" doc:"no statement can be added"`

	Counted search.Score `json:"-"` // if it is opened
}

// student returns what a link shows to the student. It has no logins, no verdicts, no comments, and no
// notices to or statements of another student.
func (d *cases) student(ctx context.Context, l *openedShare, c *Check) (*Student, error) {
	s := &Student{Text: c.Path, Report: l.report, Closed: c.Case == ClosedStep, Steps: []Step{}}
	if l.score {
		s.Score, s.Least, s.Counted = &c.Score, c.Partial, c.Counted()
		s.Only = s.Counted.Reworded
	}
	steps, err := d.Steps(ctx, l.reader, l.check)
	for _, one := range steps {
		others := one.Kind == NoticeStep && one.Detail != l.recipient || one.Kind == StatementStep && one.Name != l.recipient
		if slices.Contains(CaseStates(), one.Kind) && !others {
			one.By = ""
			s.Steps = append(s.Steps, one)
		}
	}
	return s, err
}

// State adds a statement of the student, by the secret of his link, to the case of the check.
func (d *cases) State(ctx context.Context, secret, text string) error {
	text, err := checkText(text)
	if err != nil {
		return err
	}
	l, err := d.studentShare(ctx, secret)
	if err != nil {
		return err
	}
	return d.addStatement(ctx, l, text)
}

// studentShare returns the link of a student, or ErrNotFound.
func (d *cases) studentShare(ctx context.Context, secret string) (*openedShare, error) {
	l, err := d.findShare(ctx, secret)
	if err == nil && !l.student {
		err = ErrNotFound
	}
	return l, err
}

// MayState returns ErrNotFound unless a secret is that of a link by which a student can add a statement.
func (d *cases) MayState(ctx context.Context, secret string) error {
	_, err := d.studentShare(ctx, secret)
	return err
}

// addStatement adds a statement by a link for the student.
func (d *cases) addStatement(ctx context.Context, l *openedShare, text string) error {
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		many := Wrong("text", "case.statements", "this link has {most} statements: ask for another one", "most", mostStatements)
		tx.RefuseIf(many, `SELECT (SELECT count(*) FROM case_steps WHERE link = s.id AND kind = ?) >= ? FROM shares s WHERE id = ?`, StatementStep, mostStatements, l.id) // revoked meanwhile
		addStep(tx, step{check: l.check, kind: StatementStep, name: l.recipient, text: text, link: &l.id})
		note(tx, accounts.Actor{Group: l.reader.Group}, "case: "+StatementStep, l.check, l.recipient)
		d.informOfStatement(tx, l)
	})
}

// SharedReport returns the report on the check that a link opens, with the latest decisions. The
// audit log notes the opening.
func (d *cases) SharedReport(ctx context.Context, secret string) (*report.Report, error) {
	l, err := d.findShare(ctx, secret)
	if err != nil {
		return nil, err
	}
	return d.sharedReport(ctx, l)
}

// sharedReport returns the report that an opened link opens, and notes the opening.
func (d *cases) sharedReport(ctx context.Context, l *openedShare) (*report.Report, error) {
	if !l.report {
		return nil, ErrNotFound
	}
	if err := d.noteOpening(ctx, l, "open report by link"); err != nil {
		return nil, err
	}
	return d.reports.Report(ctx, l.reader, l.check)
}

// Verdict sets the verdict on a text and a comment; "" removes the verdict. It is also a step of the
// case, which keeps earlier ones.
func (d *cases) Verdict(ctx context.Context, a accounts.Actor, id, verdict, comment string) error {
	if err := may(a, accounts.DecideOnChecks); err != nil {
		return err
	}
	if verdict != "" && !slices.Contains(report.Verdicts, verdict) {
		return Wrong("verdict", "serve.verdict", "unknown verdict")
	}
	if longer(comment, 10_000) {
		return Wrong("comment", "serve.comment", "a comment has at most {most} characters", "most", 10_000)
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		setVerdict(tx, a, id, verdict, comment)
		addStep(tx, byUser(a, id, VerdictStep, verdict, comment))
		note(tx, a, "verdict", id, verdict)
	})
}

// informOfStatement queues a message to the user who made the link of a student.
func (d *cases) informOfStatement(tx *storage.Tx, l *openedShare) {
	var user string
	tx.RowOr(sql.ErrNoRows, `SELECT user_id FROM shares WHERE id = ?`, l.id).Scan(&user)
	d.mails.inform(tx, user, message{kind: mailStatement, group: l.reader.Group, check: &l.check, name: l.recipient, link: "/checks/" + l.check + "#case"})
}
