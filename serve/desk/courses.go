package desk

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The courses collect texts of many students, and compare them.
type courses struct {
	room
	queue     *work.Queue
	uploads   *uploads
	checks    *checks
	reports   *reports
	deletions *deletions
}

// A Course collects texts until a date and checks them then. When others arrive later, it checks
// these and, if its texts are compared with each other, all others again. It is a [Submission] with
// the same id.
type Course struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Label      string         `json:"label"`
	Ends       time.Time      `json:"ends"`
	Rise       float64        `json:"rise" doc:"percentage points by which a score may rise without a notice"`
	Among      bool           `json:"among" doc:"the texts are also checked against each other"`
	Collection string         `json:"collection_name" doc:"names of all collections, separated by commas"`
	By         string         `json:"by" doc:"login"`
	State      string         `json:"state" enum:"open,checking,done,failed" doc:"open until the date; failed if the texts could not be checked again"`
	Reason     string         `json:"reason,omitempty" doc:"why the state is failed"`
	Message    *phrase.Stored `json:"-"` // of the reason
	Texts      int            `json:"texts"`
	Counting   int            `json:"counting" doc:"texts that count"`
	Risen      int            `json:"risen" doc:"texts whose score rose, unless somebody has seen it"`
	Created    time.Time      `json:"created"`

	Waits bool `json:"-"` // texts that arrive wait for the date
	Busy  bool `json:"-"` // texts are being checked or read, or soon will be
}

// States of a course, beside [work.Done] and [work.Failed].
const (
	OpenCourse     = "open"
	CheckingCourse = "checking"
)

// A CourseChange is what can be changed of a course.
type CourseChange struct {
	Name  string    `json:"name" min:"1" max:"200"`
	Label string    `json:"label,omitempty" max:"200" doc:"of its checks; the label of the preset or the name by default"`
	Ends  time.Time `json:"ends" doc:"texts wait until then"`
	Rise  *float64  `json:"rise,omitempty" doc:"percentage points by which a score may rise without a notice, 10 by default"`
}

// A NewCourse is a course to create.
type NewCourse struct {
	CourseChange
	Collections []string    `json:"collections" doc:"ids"`
	Among       bool        `json:"among" doc:"also check the texts against each other"`
	PresetID    string      `json:"preset_id,omitempty" doc:"preset, instead of settings"`
	Settings    work.Preset `json:"settings,omitzero"`
	Assignment  string      `json:"-"` // of a learning platform, "" for none
}

// key is the idempotency key of a course for an assignment.
func (n *NewCourse) key() (string, error) {
	if n.Assignment == "" {
		return "", nil
	}
	return fingerprint([]string{n.Assignment, n.Name}, nil)
}

// defaultRise is the rise of a score, in percentage points, above which there is a notice.
const defaultRise = 10

func (c *CourseChange) check() (err error) {
	if c.Name, err = checkName(c.Name); err != nil {
		return err
	}
	if c.Rise == nil {
		c.Rise = new(float64)
		*c.Rise = defaultRise
	}
	c.Label = strings.TrimSpace(c.Label)
	switch year := c.Ends.Year(); {
	case year < 2000 || year > 9999:
		return Wrong("ends", "course.ends", "a course needs a date")
	case !(*c.Rise >= 0 && *c.Rise <= 100):
		return outside("rise", 0, 100)
	case longer(c.Label, mostLabel):
		return Wrong("label", "serve.label", "a label has at most {most} characters", "most", mostLabel)
	}
	return nil
}

// selectCourses reads courses of a group, its second parameter. The first is the time.
const selectCourses = `SELECT x.id, x.name, s.label, ends, rise, s.among, login, s.created,
	k.name || coalesce((SELECT ', ' || string_agg(m.name, ', ' ORDER BY n.place) FROM submission_collections n JOIN collections m ON m.id = n.collection_id WHERE n.submission_id = s.id), ''),
	CASE WHEN EXISTS (` + openCheck + `) OR ` + dueCourse + ` THEN 'checking' WHEN ` + waits + ` THEN 'open' WHEN EXISTS (` + failedCheck + `) THEN 'failed' ELSE 'done' END,
	coalesce((SELECT reason FROM (` + failedCheck + `) f LIMIT 1), ''), coalesce((SELECT message FROM (` + failedCheck + `) f LIMIT 1), ''),
	(SELECT count(*) FROM checks WHERE submission_id = x.id), (SELECT count(*) FROM checks WHERE submission_id = x.id AND counts), (SELECT count(*) FROM checks WHERE submission_id = x.id AND counts AND rose IS NOT NULL),
	` + waits + `, EXISTS (` + openJob + `)
	FROM courses x JOIN submissions s ON s.id = x.id JOIN collections k ON k.id = s.collection_id JOIN users u ON u.id = s.user_id WHERE x.group_id = ?2`

// Parts of queries about a course x at the time ?1.
const (
	// openCheck selects the texts of a course that are being checked. A join would search all open jobs
	// for each course.
	openCheck = openJob + ` AND (SELECT kind FROM jobs WHERE id = c.job_id) != 'list'`
	// openJob selects these, and the files whose texts are being listed.
	openJob = `SELECT 1 FROM checks c WHERE c.submission_id = x.id AND (SELECT state FROM jobs WHERE id = c.job_id) IN ('queued', 'running')`
	// waits is true for a course whose texts wait for its date.
	waits = `(ends > ?1 AND NOT begun)`
	// failedCheck selects why texts with a report were not checked again.
	failedCheck = `SELECT j.reason, j.message FROM checks c CROSS JOIN jobs j WHERE c.submission_id = x.id AND c.counts AND c.state = 'done' AND j.id = c.job_id AND j.state = 'failed'`
	// dueCourse is true if texts are to be checked now.
	dueCourse = `(pending = 2 OR pending = 1 AND (begun OR ends <= ?1))`
	// suspects selects the texts that were new in a job that failed as a whole. One of them may be the
	// cause.
	suspects = `SELECT c.id, c.file FROM checks c CROSS JOIN jobs j WHERE c.submission_id = x.id AND c.counts AND c.state = 'failed' AND j.id = c.job_id AND j.state = 'failed'
		AND EXISTS (SELECT 1 FROM checks o WHERE o.job_id = c.job_id AND o.file != c.file)`
)

func scanCourse(row func(...any) error, c *Course) error {
	err := row(&c.ID, &c.Name, &c.Label, millis{&c.Ends}, &c.Rise, &c.Among, &c.By, millis{&c.Created}, &c.Collection, &c.State, &c.Reason, storage.Message{To: &c.Message}, &c.Texts, &c.Counting, &c.Risen, &c.Waits, &c.Busy)
	c.Busy = c.Busy || c.State == CheckingCourse
	if c.State != work.Failed {
		c.Reason, c.Message = "", nil
	}
	return err
}

// Courses returns the courses of the actor's group, those that end last first.
func (d *courses) Courses(ctx context.Context, a accounts.Actor) ([]Course, error) {
	return listFor(ctx, may(a, accounts.ReadChecks), d.folder.Read, scanCourse, selectCourses+` ORDER BY ends DESC, x.rowid DESC`, d.opts.Now().UnixMilli(), a.Group)
}

// Course returns a course of the actor's group with its texts, by the time of their upload.
func (d *courses) Course(ctx context.Context, a accounts.Actor, id string) (*Course, []Check, error) {
	c, err := firstFor(ctx, may(a, accounts.ReadChecks), d.folder.Read, scanCourse, selectCourses+` AND x.id = ?3`, d.opts.Now().UnixMilli(), a.Group, id)
	if err != nil {
		return nil, nil, err
	}
	texts, err := list(ctx, d.folder.Read, scanCheck, selectChecks+` AND c.submission_id = ? ORDER BY c.created, c.rowid`, a.Group, id)
	return c, texts, err
}

// NewCourse creates a course. It copies the settings of its preset. If the actor has created a course
// with this name and these settings for the same assignment, as a form does that is sent twice, NewCourse
// returns that one.
func (d *courses) NewCourse(ctx context.Context, a accounts.Actor, n NewCourse) (id string, err error) {
	if err := errors.Join(may(a, accounts.CheckTexts), n.check()); err != nil {
		return "", err
	}
	if len(n.Collections) == 0 {
		return "", errNoCollection
	}
	s := Submission{Collection: n.Collections[0], Also: n.Collections[1:], Label: n.Label, Among: n.Among, PresetID: n.PresetID, Preset: n.Settings}
	if err := s.check(1); err != nil {
		return "", err
	}
	key, err := n.key()
	if err != nil {
		return "", err
	}
	print, err := fingerprint(s, nil)
	if err != nil {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		forgetRequest(tx, a, key, `NOT EXISTS (SELECT 1 FROM courses WHERE id = result AND name = ?)`, n.Name)
		if id = earlierResult(tx, a, key, print); id != "" {
			return
		}
		id = accounts.NewID()
		insertSubmission(tx, a, id, &s)
		setLabel(tx, id, cmp.Or(s.Label, n.Name))
		job := insertJob(tx, work.Waiting, work.Check, s.Collection)
		tx.Change(ErrInUse, `INSERT INTO courses (id, group_id, job_id, name, ends, rise) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, id, a.Group, job, n.Name, n.Ends.UnixMilli(), *n.Rise)
		note(tx, a, "create course", id, n.Name)
		storeResult(tx, a, key, print, id)
	})
	if errors.Is(err, ErrKeyReused) {
		err = ErrInUse // the name
	}
	return id, err
}

// UnusedName returns a name for a new course for an assignment: title, with a number if the actor's group
// has a course of that name that the actor has not created for the assignment.
func (d *courses) UnusedName(ctx context.Context, a accounts.Actor, assignment, title string) (string, error) {
	n := NewCourse{Assignment: assignment}
	n.Name = title
	for i := 2; ; i++ {
		key, err := n.key()
		if err != nil {
			return "", err
		}
		var taken bool
		err = d.folder.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM courses x WHERE group_id = ? AND name = ?
			AND NOT EXISTS (SELECT 1 FROM idempotency WHERE user_id = ? AND key = ? AND result = x.id))`, a.Group, n.Name, a.User, key).Scan(&taken)
		if err != nil || !taken {
			return n.Name, err
		}
		n.Name = fmt.Sprintf("%s (%d)", title, i)
	}
}

// ChangeCourse changes a course. If its date is in the future then, texts that arrive wait again.
func (d *courses) ChangeCourse(ctx context.Context, a accounts.Actor, id string, c CourseChange) error {
	return d.change(ctx, errors.Join(may(a, accounts.CheckTexts), c.check()), func(tx *storage.Tx) {
		ownCourse(tx, a, id)
		tx.Change(ErrInUse, `UPDATE courses SET name = ?1, ends = ?2, rise = ?3, begun = begun AND ?2 <= ?4 WHERE id = ?5
			AND NOT EXISTS (SELECT 1 FROM courses o WHERE o.group_id = courses.group_id AND o.name = ?1 AND o.id != ?5)`, c.Name, c.Ends.UnixMilli(), *c.Rise, d.opts.Now().UnixMilli(), id)
		setLabel(tx, id, cmp.Or(c.Label, c.Name))
		note(tx, a, "change course", id, c.Name)
	})
}

// ownCourse makes a transaction fail with ErrNotFound unless the course is of the actor's group.
func ownCourse(tx *storage.Tx, a accounts.Actor, id string) {
	var job string
	tx.RowOr(ErrNotFound, `SELECT job_id FROM courses WHERE id = ? AND group_id = ?`, id, a.Group).Scan(&job)
}

// HandIn adds uploaded files to a course. They wait for its date or, after it, for the scheduler. key
// is used as in [Desk.Submit]. HandIn returns the ids of the checks. On an error, it discards the
// uploads.
func (d *courses) HandIn(ctx context.Context, a accounts.Actor, course, key string, uploads []*Upload) (ids []string, err error) {
	return d.handIn(ctx, a, handing{accounts.CheckTexts, course, key}, uploads)
}

// HandInOwn is [Desk.HandIn] for a student, to a course that a launch has opened to him.
func (d *courses) HandInOwn(ctx context.Context, a accounts.Actor, course, key string, uploads []*Upload) (ids []string, err error) {
	return d.handIn(ctx, a, handing{accounts.OwnTexts, course, key}, uploads)
}

// A handing is an upload to a course, with the right that it needs.
type handing struct {
	action      accounts.Action
	course, key string
}

func (d *courses) handIn(ctx context.Context, a accounts.Actor, h handing, uploads []*Upload) (ids []string, err error) {
	r := request{h.key, h.course, uploads, cmp.Or(may(a, h.action), anyFile(uploads)), func(tx *storage.Tx) { ownCourse(tx, a, h.course) }}
	result, err := d.uploads.once(ctx, a, r, func(tx *storage.Tx) string {
		if h.action == accounts.OwnTexts {
			mayHandIn(tx, a, h.course, len(uploads))
		}
		ids := insertWaiting(tx, a, h.course, uploads)
		d.listTexts(tx, h.course, ids)
		d.uploads.withinQuota(tx, a)
		setPending(tx, h.course, 1)
		note(tx, a, "hand in texts", h.course, "")
		return strings.Join(ids, " ")
	})
	d.queue.Wake()
	return strings.Fields(result), err
}

// listTexts queues the reading of files that wait for the date of a course, each alone: one may be damaged.
func (d *courses) listTexts(tx *storage.Tx, course string, ids []string) {
	var collection string
	if !tx.Row(`SELECT collection_id FROM submissions WHERE id = ?2 AND EXISTS (SELECT 1 FROM courses WHERE id = ?2 AND `+waits+`)`, d.opts.Now().UnixMilli(), course).Scan(&collection) {
		return // the course does not wait: its texts are checked at once
	}
	for _, id := range ids {
		setJob(tx, id, insertJob(tx, work.Queued, work.List, collection))
	}
}

// insertWaiting adds texts to a course. Each has a name of its own.
func insertWaiting(tx *storage.Tx, a accounts.Actor, course string, uploads []*Upload) (ids []string) {
	names := rows(tx, scanString, `SELECT DISTINCT name FROM checks WHERE submission_id = ?`, course)
	distinct(uploads, names)
	t := newText{submission: course, state: work.Waiting, user: &a.User}
	tx.RowOr(sql.ErrNoRows, `SELECT x.job_id, s.keep FROM courses x JOIN submissions s ON s.id = x.id WHERE x.id = ?`, course).Scan(&t.job, &t.keep)
	return lists.Map(uploads, func(u *Upload) string { return insertText(tx, u, t) })
}

// setPending makes the scheduler check the texts of a course: with 1 when its date has come, with 2
// now.
func setPending(tx *storage.Tx, course string, pending int) {
	tx.Change(ErrNotFound, `UPDATE courses SET pending = max(pending, ?) WHERE id = ?`, pending, course)
}

// Choose sets which texts of a course count. Others keep their reports, and are no longer checked nor
// compared with.
func (d *courses) Choose(ctx context.Context, a accounts.Actor, course string, counts map[string]bool) error {
	return d.change(ctx, may(a, accounts.CheckTexts), func(tx *storage.Tx) {
		ownCourse(tx, a, course)
		different := false
		for id, count := range counts {
			var before bool
			tx.RowOr(ErrNotFound, `SELECT counts FROM checks WHERE id = ? AND submission_id = ?`, id, course).Scan(&before)
			if before == count {
				continue
			}
			different = true
			setCounting(tx, id, count)
			note(tx, a, map[bool]string{true: "count text", false: "leave out text"}[count], id, "")
		}
		if different {
			setPending(tx, course, 1)
		}
	})
}

// CheckAgain makes the scheduler check all texts of a course that count, also before its date and
// those that failed.
func (d *courses) CheckAgain(ctx context.Context, a accounts.Actor, course string) error {
	return d.change(ctx, may(a, accounts.CheckTexts), func(tx *storage.Tx) {
		ownCourse(tx, a, course)
		repeatFailed(tx, course)
		setPending(tx, course, 2)
		note(tx, a, "check course again", course, "")
	})
}

// Seen ends the notices of scores that rose: later ones are compared with the present scores.
func (d *courses) Seen(ctx context.Context, a accounts.Actor, course string) error {
	return d.change(ctx, may(a, accounts.CheckTexts), func(tx *storage.Tx) {
		ownCourse(tx, a, course)
		acceptScores(tx, course)
		note(tx, a, "see risen scores", course, "")
	})
}

// dueCourses queues the checks of courses that are due, one after the other for each course.
func (d *courses) dueCourses(ctx context.Context) error {
	at := d.opts.Now().UnixMilli()
	due, err := list(ctx, d.folder.Read, scanString, `SELECT id FROM courses x WHERE (`+dueCourse+` OR EXISTS (`+suspects+`)) AND NOT EXISTS (`+openJob+`)`, at)
	if err != nil {
		return err
	}
	for _, id := range due {
		err := d.folder.Write(ctx, func(tx *storage.Tx) {
			if !isolate(tx, id) {
				startCourse(tx, id, at)
			}
		})
		if err != nil {
			return err
		}
		d.queue.Wake()
	}
	return nil
}

// isolate queues the texts alone that were new in a job that failed as a whole, such as by a crash:
// only the file that is the cause is then left out of the next job. It reports whether there are any.
func isolate(tx *storage.Tx, course string) bool {
	all := rows(tx, scanCourseText, `SELECT t.id, t.file FROM courses x, checks t WHERE x.id = ? AND (t.id, t.file) IN (`+suspects+`) ORDER BY t.rowid`, course)
	if len(all) == 0 {
		return false
	}
	setPending(tx, course, 2)
	queueTexts(tx, course, all, false)
	return true
}

// startCourse queues the check of the texts of a course that count: of all, if they are compared with
// each other or a user demands it, else of those that wait. Texts that failed before stay so.
func startCourse(tx *storage.Tx, course string, at int64) {
	var among bool
	var pending int
	if !tx.Row(`SELECT among, pending FROM courses x JOIN submissions s ON s.id = x.id WHERE x.id = ?2 AND `+dueCourse, at, course).Scan(&among, &pending) {
		return // changed or deleted meanwhile
	}
	tx.Exec(`UPDATE courses SET pending = 0, begun = begun OR ends <= ? WHERE id = ?`, at, course)
	all := rows(tx, scanCourseText, `SELECT id, file FROM checks WHERE submission_id = ? AND counts AND (state = 'waiting' OR state = 'done' AND ?) ORDER BY rowid`, course, among || pending == 2)
	queueTexts(tx, course, all, among)
}

// DeleteCourse deletes a course with all its texts, their reports, decisions, links and files. It
// returns ErrBusy if they are being checked.
func (d *courses) DeleteCourse(ctx context.Context, a accounts.Actor, id string) (*Deleted, error) {
	if err := may(a, accounts.DeleteChecks); err != nil {
		return nil, err
	}
	return d.deletions.deleteChecks(ctx, ofSubmission, id, func(tx *storage.Tx, _ []doomed) {
		ownCourse(tx, a, id)
		tx.RefuseIf(ErrBusy, `SELECT EXISTS (`+openJob+`) FROM courses x WHERE id = ?`, id)
		tx.Exec(`DELETE FROM courses WHERE id = ?`, id)
		deleteUnused(tx, id)
		note(tx, a, "delete course", id, "")
	})
}

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

// mayHandIn makes a transaction fail unless a launch has opened the course to the actor, or if he
// has handed in too many texts.
func mayHandIn(tx *storage.Tx, a accounts.Actor, course string, more int) {
	var texts int
	tx.RowOr(ErrNotFound, `SELECT (SELECT count(*) FROM checks WHERE submission_id = m.course_id AND user_id = m.user_id) FROM course_students m WHERE user_id = ? AND course_id = ?`, a.User, course).Scan(&texts)
	if texts+more > mostOwn {
		tx.Fail(Wrong("file", "lti.most-texts", "you can hand in at most {most} texts to a course", "most", mostOwn))
	}
}

// addStudent lets a student hand texts in to a course.
func addStudent(tx *storage.Tx, user, course string) {
	tx.Exec(`INSERT INTO course_students (user_id, course_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, user, course)
}

// leaveCourses ends what a user may hand in to courses, and what courses store about his visits.
func leaveCourses(tx *storage.Tx, user string) {
	tx.Exec(`DELETE FROM course_students WHERE user_id = ?`, user)
	tx.Exec(`DELETE FROM looks WHERE user_id = ?`, user)
}
