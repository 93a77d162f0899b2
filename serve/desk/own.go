package desk

import (
	"context"
	"database/sql"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
)

// An OwnCourse is a course to which a student hands texts in.
type OwnCourse struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Ends  time.Time `json:"ends"`
	Texts []OwnText `json:"texts" doc:"of the student, the latest first"`
}

// An OwnText is a text that a student has handed in.
type OwnText struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   string    `json:"state" enum:"waiting,queued,running,done,failed,cancelled"`
	Created time.Time `json:"created"`
	Notice  bool      `json:"notice" doc:"there is a notice to the student, which may open the score and the report"`
}

// mostOwn is the number of texts that a student may hand in to a course.
const mostOwn = 50

// OwnCourses returns the courses that launches have opened to the actor, with his texts.
func (d *Desk) OwnCourses(ctx context.Context, a accounts.Actor) ([]OwnCourse, error) {
	if err := may(a, accounts.OwnTexts); err != nil {
		return nil, err
	}
	courses, err := list(ctx, d.folder.Read, func(row func(...any) error, c *OwnCourse) error {
		var ends int64
		err := row(&c.ID, &c.Name, &ends)
		c.Ends = timeOf(ends)
		return err
	}, `SELECT x.id, x.name, x.ends FROM course_students m JOIN courses x ON x.id = m.course_id WHERE m.user_id = ? AND x.group_id = ? ORDER BY x.ends DESC, x.rowid DESC`, a.User, a.Group)
	for i := range courses {
		if err != nil {
			break
		}
		courses[i].Texts, err = list(ctx, d.folder.Read, scanOwnText, `SELECT c.id, c.path, c.state, c.created, EXISTS (SELECT 1 FROM shares l WHERE l.check_id = c.id AND l.own AND l.expires > ?)
			FROM checks c WHERE c.submission_id = ? AND c.user_id = ? ORDER BY c.created DESC, c.rowid DESC`, now(), courses[i].ID, a.User)
	}
	return courses, err
}

func scanOwnText(row func(...any) error, t *OwnText) error {
	var created int64
	err := row(&t.ID, &t.Name, &t.State, &created, &t.Notice)
	t.Created = timeOf(created)
	t.Notice = t.Notice && t.State == "done"
	return err
}

// mayHandIn returns ErrNotFound unless a launch has opened the course to the actor, and an error if he
// has handed in too many texts.
func mayHandIn(ctx context.Context, tx *sql.Tx, a accounts.Actor, course string, more int) error {
	var texts int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM checks WHERE submission_id = m.course_id AND user_id = m.user_id) FROM course_students m WHERE user_id = ? AND course_id = ?`, a.User, course).Scan(&texts)
	if err == nil && texts+more > mostOwn {
		return Wrong("file", "lti.most-texts", "you can hand in at most {most} texts to a course", "most", mostOwn)
	}
	return found(err)
}

// Author returns the name of the student who handed a text of the actor's group in by himself, "" if it
// was somebody else.
func (d *Desk) Author(ctx context.Context, a accounts.Actor, check string) (name string, err error) {
	if _, err := d.Check(ctx, inGroup(a), check); err != nil {
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
func (d *Desk) findOwn(ctx context.Context, a accounts.Actor, check string) (*openedShare, error) {
	if err := may(a, accounts.OwnTexts); err != nil {
		return nil, err
	}
	return d.openShare(ctx, `c.id = ? AND c.user_id = ? AND l.own AND l.expires > ? AND s.group_id = ? ORDER BY l.created DESC, l.rowid DESC LIMIT 1`, check, a.User, now(), a.Group)
}

// OwnText returns the notice to the student who handed the text in, with the score if it is opened. The
// audit log notes the opening.
func (d *Desk) OwnText(ctx context.Context, a accounts.Actor, check string) (*Shared, error) {
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return nil, err
	}
	return d.shared(ctx, l, nil) // students see no decisions
}

// OwnReport returns the report on an own text of the actor, if a notice opens it.
func (d *Desk) OwnReport(ctx context.Context, a accounts.Actor, check string) (*report.Report, error) {
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return nil, err
	}
	return d.sharedReport(ctx, l)
}

// OwnStatement adds a statement of the student to the case of an own text.
func (d *Desk) OwnStatement(ctx context.Context, a accounts.Actor, check, text string) error {
	text, err := checkText(text)
	if err != nil {
		return err
	}
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return err
	}
	return d.state(ctx, l, text)
}
