package desk

import (
	"context"
	"database/sql"
	"errors"
	"time"

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
func (d *courses) OwnCourses(ctx context.Context, a accounts.Actor) ([]OwnCourse, error) {
	if err := may(a, accounts.OwnTexts); err != nil {
		return nil, err
	}
	courses, err := list(ctx, d.folder.Read, func(row func(...any) error, c *OwnCourse) error { return row(&c.ID, &c.Name, millis{&c.Ends}) },
		`SELECT x.id, x.name, x.ends FROM course_students m JOIN courses x ON x.id = m.course_id WHERE m.user_id = ? AND x.group_id = ? ORDER BY x.ends DESC, x.rowid DESC`, a.User, a.Group)
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
	err := row(&t.ID, &t.Name, &t.State, millis{&t.Created}, &t.Notice)
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

// addStudent lets a student hand texts in to a course.
func addStudent(ctx context.Context, tx *sql.Tx, user, course string) error {
	return exec(ctx, tx, `INSERT INTO course_students (user_id, course_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, user, course)
}

// leaveCourses ends what a user may hand in to courses, and what courses store about his visits.
func leaveCourses(ctx context.Context, tx *sql.Tx, user string) error {
	return errors.Join(exec(ctx, tx, `DELETE FROM course_students WHERE user_id = ?`, user), exec(ctx, tx, `DELETE FROM looks WHERE user_id = ?`, user))
}
