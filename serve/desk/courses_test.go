package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// A term is a desk with a course, whose jobs the test executes.
type term struct {
	t      *testing.T
	d      *Desk
	f      *storage.Folder
	a      accounts.Actor
	clock  *testClock
	id     string // of the course
	scores map[string]float64
}

// newTerm returns a term whose course ends in a week.
func newTerm(t *testing.T, among bool) *term {
	t.Helper()
	clock := &testClock{time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	d, f := openAt(t, clock)
	c := &term{t: t, d: d, f: f, a: administrator(t, d), clock: clock, scores: map[string]float64{}}
	collection, err := d.NewCollection(t.Context(), c.a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	c.id, err = d.NewCourse(t.Context(), c.a, NewCourse{CourseChange: CourseChange{Name: " Essays ", Ends: clock.at.Add(7 * 24 * time.Hour)}, Collections: []string{collection}, Among: among})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// uploads returns uploads with the names.
func (c *term) uploads(names ...string) (all []*Upload) {
	c.t.Helper()
	for _, name := range names {
		u, err := c.d.Receive(c.t.Context(), c.a, accounts.CheckTexts, name, strings.NewReader("text"))
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, u)
	}
	return all
}

// handIn adds texts to the course, and lists those of files that wait.
func (c *term) handIn(names ...string) []string {
	c.t.Helper()
	ids, err := c.d.HandIn(c.t.Context(), c.a, c.id, "", c.uploads(names...))
	if err != nil {
		c.t.Fatal(err)
	}
	for range c.queued(work.List) {
		j, task := c.claim()
		if err := c.d.Finish(c.t.Context(), j, task, c.outcome(task)); err != nil {
			c.t.Fatal(err)
		}
	}
	return ids
}

// queued returns the names of the files of each queued job of a kind.
func (c *term) queued(kind string) []string {
	c.t.Helper()
	jobs, err := list(c.t.Context(), c.f.Read, scanString, `SELECT string_agg(name, ' ' ORDER BY c.rowid) FROM checks c JOIN jobs j ON j.id = c.job_id WHERE j.state = 'queued' AND j.kind = ? GROUP BY j.id ORDER BY min(c.rowid)`, kind)
	if err != nil {
		c.t.Fatal(err)
	}
	return jobs
}

// due lets the scheduler run, and returns the names of the files of each queued job.
func (c *term) due() (jobs []string) {
	c.t.Helper()
	if err := c.d.Due(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	return c.queued(work.Check)
}

// claim returns the oldest queued job as running, with its task.
func (c *term) claim() (work.Job, *work.Task) {
	c.t.Helper()
	var j work.Job
	err := c.f.Write(c.t.Context(), func(tx *storage.Tx) {
		tx.RowOr(sql.ErrNoRows, `UPDATE jobs SET state = 'running', server = '' WHERE id = (SELECT id FROM jobs WHERE state = 'queued' ORDER BY created, rowid LIMIT 1) RETURNING id, kind, collection_id`).Scan(&j.ID, &j.Kind, &j.Collection)
		tx.Exec(`UPDATE checks SET state = 'running' WHERE job_id = ? AND state = 'queued'`, j.ID)
	})
	if err != nil {
		c.t.Fatal(err)
	}
	task, err := c.d.Start(c.t.Context(), j)
	if err != nil {
		c.t.Fatal(err)
	}
	return j, task
}

// outcome writes the reports of a task, with the scores of the term.
func (c *term) outcome(task *work.Task) *work.Outcome {
	c.t.Helper()
	o := new(work.Outcome)
	for i, f := range task.Files {
		paths := []string{f.Name}
		if strings.HasSuffix(f.Name, ".zip") {
			paths = []string{f.Name + "!/a.txt", f.Name + "!/b.txt"}
		}
		for _, path := range paths {
			if slices.Contains(task.Skip, path) {
				continue
			}
			name := accounts.NewID() + ".json"
			r := &report.Report{Result: search.Result{Suspect: search.Suspect{Path: path, Text: "six words of text for a check", Bytes: 29, Runes: 29, Words: 7, Paragraphs: 1, NewLine: "true"}}}
			w, err := os.Create(filepath.Join(task.Out, name))
			if err == nil {
				err = errors.Join(report.Write(w, "json", r, report.Options{}), w.Close())
			}
			if err != nil {
				c.t.Fatal(err)
			}
			o.Texts = append(o.Texts, work.Text{File: i, Path: path, Report: name, Row: report.Row{RowCount: &report.RowCount{Percent: c.scores[path], Found: c.scores[path], Words: 7, RowGrades: report.RowGrades{Reworded: 2, CountedRun: 3, RowGroups: report.RowGroups{Quoted: 1, Neither: 1}}}}})
		}
	}
	return o
}

// execute runs the queued jobs, and returns the files of each.
func (c *term) execute() []string {
	c.t.Helper()
	jobs := c.due()
	for range jobs {
		j, task := c.claim()
		if err := c.d.Finish(c.t.Context(), j, task, c.outcome(task)); err != nil {
			c.t.Fatal(err)
		}
	}
	return jobs
}

// state returns the state of the course and its texts by path.
func (c *term) state() (*Course, map[string]Check) {
	c.t.Helper()
	course, all, err := c.d.Course(c.t.Context(), c.a, c.id)
	if err != nil {
		c.t.Fatal(err)
	}
	texts := map[string]Check{}
	for _, x := range all {
		texts[x.Path] = x
	}
	return course, texts
}

// wants fails unless the jobs have these files.
func (c *term) wants(what string, got []string, want ...string) {
	c.t.Helper()
	if !slices.Equal(got, want) {
		c.t.Errorf("%s: jobs %q, want %q", what, got, want)
	}
}

// TestCourse: texts wait until the date and are checked together then. One that arrives later is
// checked with all others again, after the job that runs.
func TestCourse(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	c.handIn("a.txt", "a.txt")
	c.handIn("a.txt", "b.txt")
	c.wants("before the date", c.due())
	course, texts := c.state()
	if course.State != OpenCourse || course.Name != "Essays" || course.Rise != 10 || course.Texts != 4 || texts["a (3).txt"].State != work.Waiting || texts["b.txt"].By != "admin" || texts["b.txt"].Label != "Essays" {
		t.Errorf("before the date the course is %+v with %+v", course, texts)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.wants("after the date", c.due(), "a.txt a (2).txt a (3).txt b.txt")
	c.wants("twice", c.due(), "a.txt a (2).txt a (3).txt b.txt")
	j, task := c.claim()
	if !task.Among || len(task.Files) != 4 {
		t.Errorf("the task is %+v, want 4 texts that are compared with each other", task)
	}
	c.handIn("late.txt")
	c.wants("while a job runs", c.due())
	if err := c.d.Finish(t.Context(), j, task, c.outcome(task)); err != nil {
		t.Fatal(err)
	}
	c.wants("a late text", c.execute(), "a.txt a (2).txt a (3).txt b.txt late.txt")
	c.wants("after it", c.execute())
	course, texts = c.state()
	if course.State != work.Done || len(texts) != 5 || texts["a.txt"].report != 2 || texts["late.txt"].report != 1 {
		t.Errorf("at the end the course is %+v with %+v", course, texts)
	}
	if files := storagetest.Names(t, c.f, storage.Reports); len(files) != 5 {
		t.Errorf("%d reports, want one for each text", len(files))
	}
	c.clock.at = c.clock.at.Add(-900 * 24 * time.Hour) // the clock is turned back
	c.handIn("later.txt")
	if got := c.due(); len(got) != 1 {
		t.Errorf("after the clock was turned back: jobs %q, want one", got)
	}
}

// TestCourseLists: files are read when they arrive before the date. Their texts are listed, and damaged ones are
// reported; the course still waits, and none is read twice.
func TestCourseLists(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	ids, err := c.d.HandIn(ctx, c.a, c.id, "", c.uploads("class.zip", "broken.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	c.wants("when they arrive", c.queued(work.List), "class.zip", "broken.pdf")
	if course, _ := c.state(); course.State != OpenCourse || !course.Busy || !course.Waits {
		t.Errorf("while the files are read, the course is %+v", course)
	}
	if _, err := c.d.DeleteCheck(ctx, c.a, ids[0]); !errors.Is(err, ErrBusy) {
		t.Errorf("DeleteCheck of a file that is being read = %v, want ErrBusy", err)
	}
	for range 2 {
		j, task := c.claim()
		o := &work.Outcome{}
		if task.Files[0].Name == "class.zip" {
			o.Texts = []work.Text{{Path: "class.zip!/a.txt"}, {Path: "class.zip!/b.txt"}}
			o.Unread = []search.Unread{{Path: "class.zip!/c.pdf", Reason: "damaged"}}
		} else {
			o.Unread = []search.Unread{{Path: "broken.pdf", Reason: "damaged"}}
		}
		if err := c.d.Finish(ctx, j, task, o); err != nil {
			t.Fatal(err)
		}
	}
	course, texts := c.state()
	if course.State != OpenCourse || course.Busy || len(texts) != 4 || texts["class.zip!/a.txt"].ID != ids[0] || texts["class.zip!/b.txt"].State != work.Waiting ||
		texts["class.zip!/c.pdf"].State != work.Failed || texts["broken.pdf"].Reason != "damaged" {
		t.Errorf("the course is %+v with %+v", course, texts)
	}
	c.wants("before the date", c.due())
	if err := c.d.Choose(ctx, c.a, c.id, map[string]bool{texts["class.zip!/b.txt"].ID: false}); err != nil {
		t.Fatal(err)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.wants("at the date", c.execute(), "class.zip")
	_, texts = c.state()
	if len(texts) != 4 || texts["class.zip!/a.txt"].State != work.Done || texts["class.zip!/b.txt"].State != work.Waiting {
		t.Errorf("after the check the texts are %+v", texts)
	}
	if _, err := c.d.HandIn(ctx, c.a, c.id, "", c.uploads("late.zip")); err != nil {
		t.Fatal(err)
	}
	c.wants("after the date", c.queued(work.List))
}

// TestCourseListFails: a file whose reading crashes waits for the date, and so does one that was cancelled.
func TestCourseListFails(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	if _, err := c.d.HandIn(ctx, c.a, c.id, "", c.uploads("a.txt", "b.txt")); err != nil {
		t.Fatal(err)
	}
	j, _ := c.claim()
	if err := c.f.Write(ctx, execute(`UPDATE jobs SET state = 'failed' WHERE id = '`+j.ID+`'`)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.d.Cancel(ctx, c.a, c.id); err != nil {
		t.Fatal(err)
	}
	course, texts := c.state()
	if course.State != OpenCourse || course.Busy || texts["a.txt"].State != work.Waiting || texts["b.txt"].State != work.Waiting {
		t.Errorf("the course is %+v with %+v", course, texts)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.wants("at the date", c.execute(), "a.txt b.txt")
}

// TestCourseApart: if texts are not compared with each other, a late one is checked alone, and a
// demand checks each again, in a job of its own.
func TestCourseApart(t *testing.T) {
	t.Parallel()
	c := newTerm(t, false)
	c.handIn("a.txt")
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.wants("after the date", c.execute(), "a.txt")
	c.handIn("b.txt")
	c.wants("a late text", c.execute(), "b.txt")
	if err := c.d.CheckAgain(t.Context(), c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.handIn("d.txt")
	c.wants("on demand", c.execute(), "a.txt", "b.txt", "d.txt")
	c.clock.at = c.clock.at.Add(time.Hour)
	if err := c.d.ChangeCourse(t.Context(), c.a, c.id, CourseChange{Name: "Essays", Ends: c.clock.at.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	c.handIn("c.txt")
	c.wants("before the new date", c.due())
	if err := c.d.CheckAgain(t.Context(), c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.wants("on demand before the date", c.execute(), "a.txt", "b.txt", "d.txt", "c.txt")
}

// TestCourseRise: a score that rises by more than the limit has a notice and an event until somebody
// has seen it. Decisions count again.
func TestCourseRise(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.d.opts.Hooks = hooks.NewSender(ltitest.Network(t))
	if _, _, err := c.d.NewWebhook(ctx, c.a, "https://lms.example.org/", hooks.Events()); err != nil {
		t.Fatal(err)
	}
	ids := c.handIn("a.txt", "b.txt")
	for _, step := range []struct {
		score  float64
		rose   float64 // -1 for no notice
		events int     // in all
		do     func() error
	}{
		{12, -1, 0, nil},
		{22, -1, 0, nil},   // not more than 10
		{22.1, 12, 1, nil}, // by small steps
		{25, 12, 1, nil},   // no second notice
		{40, 12, 2, nil},   // a further rise
		{21, -1, 2, nil},   // it has fallen
		{32, 21, 3, nil},   // and rises again
		{35, 21, 3, nil},
		{35, -1, 3, func() error { return c.d.Seen(ctx, c.a, c.id) }}, // which somebody saw
		{45, -1, 3, nil}, // compared with what was seen
		{60, 35, 4, nil},
		{0, -1, 4, func() error { return c.decide(ids[0]) }}, // a reader leaves out all
		{70, -1, 4, nil}, // also in a new report
	} {
		if step.do != nil {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
		}
		if step.score > 0 {
			c.scores["a.txt"] = step.score
			if err := c.d.CheckAgain(ctx, c.a, c.id); err != nil {
				t.Fatal(err)
			}
			c.execute()
		}
		course, texts := c.state()
		a, want := texts["a.txt"], -1.
		if a.Rose != nil {
			want = *a.Rose
		}
		if a.Rose != nil {
			data, err := c.d.eventBody(ctx, "https://otisk.example.org", due{event: hooks.SimilarityRise, check: a.ID})
			var e Event
			if err := errors.Join(err, json.Unmarshal(data, &e)); err != nil || *e.Data.Previous != step.rose || *e.Data.Percentage != step.score {
				t.Errorf("the event of the rise is %s, %v, want one from %v", data, err, step.rose)
			}
		}
		var events int
		if err := c.f.Read.QueryRow(`SELECT count(*) FROM deliveries WHERE event = 'SIMILARITY_RISE'`).Scan(&events); err != nil {
			t.Fatal(err)
		}
		if want != step.rose || events != step.events || texts["b.txt"].Rose != nil || course.Risen != map[bool]int{true: 1}[a.Rose != nil] {
			t.Errorf("at %v %%: rose from %v with %d events, course %+v; want %v with %d", step.score, want, events, course, step.rose, step.events)
		}
	}
	scores, err := c.d.Scores(ctx, c.a, ids[0])
	var changes []float64
	for i, s := range scores {
		if changes = append(changes, s.Score); s.At.IsZero() || i > 0 && s.At.Before(scores[i-1].At) {
			t.Errorf("the score %v has the time %v", s.Score, s.At)
		}
	}
	if want := []float64{12, 22, 22.1, 25, 40, 21, 32, 35, 45, 60, 0}; err != nil || !slices.Equal(changes, want) {
		t.Errorf("scores %v, %v, want %v: each that a check changed", changes, err, want)
	}
	if _, texts := c.state(); texts["a.txt"].Score != 0 || texts["a.txt"].Found != 70 {
		t.Errorf("after decisions the score is %v of %v, want 0 of 70", texts["a.txt"].Score, texts["a.txt"].Found)
	}
}

// decide stores decisions on a check.
func (c *term) decide(check string) error {
	sent := report.Decisions{Kind: "decisions", Format: report.Version}
	sent.Suspect.Bytes, sent.Suspect.Words = 29, 7
	data, err := json.Marshal(sent)
	if err == nil {
		_, err = c.d.Decide(c.t.Context(), c.a, check, 0, data)
	}
	return err
}

// TestCourseChoice: a text that does not count is neither checked nor compared with, also one of an
// archive.
func TestCourseChoice(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ids := c.handIn("class.zip", "data.txt")
	choose := func(counts map[string]bool) {
		t.Helper()
		if err := c.d.Choose(t.Context(), c.a, c.id, counts); err != nil {
			t.Fatal(err)
		}
	}
	choose(map[string]bool{ids[1]: false})
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.wants("without a file", c.execute(), "class.zip class.zip") // a row for each of its texts
	_, texts := c.state()
	if texts["class.zip!/a.txt"].State != work.Done || texts["class.zip!/b.txt"].State != work.Done || texts["data.txt"].State != work.Waiting || len(texts) != 3 {
		t.Errorf("texts %+v, want two of the archive that are done", texts)
	}
	a, b := texts["class.zip!/a.txt"].ID, texts["class.zip!/b.txt"].ID
	choose(map[string]bool{a: true, b: false})
	c.due()
	j, task := c.claim()
	if !slices.Equal(task.Skip, []string{"class.zip!/b.txt"}) || len(task.Files) != 1 {
		t.Errorf("the task is %+v, want the archive without b.txt", task)
	}
	if err := c.d.Finish(t.Context(), j, task, c.outcome(task)); err != nil {
		t.Fatal(err)
	}
	_, texts = c.state()
	if texts["class.zip!/a.txt"].report != 2 || texts["class.zip!/b.txt"].report != 1 || texts["class.zip!/a.txt"].ID != a || len(texts) != 3 {
		t.Errorf("texts %+v, want a new report on a.txt only", texts)
	}
	choose(map[string]bool{b: true})
	c.wants("with it again", c.execute(), "class.zip class.zip")
	if _, texts := c.state(); texts["class.zip!/b.txt"].ID != b || texts["class.zip!/b.txt"].report != 2 || len(texts) != 3 {
		t.Errorf("texts %+v, want the same three", texts)
	}
	choose(map[string]bool{b: true})
	c.wants("the same choice", c.due())
	if err := c.d.Choose(t.Context(), c.a, c.id, map[string]bool{"unknown": true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("the choice of an unknown text: %v, want ErrNotFound", err)
	}
}

// TestCourseCulprit: if a job fails as a whole, its new texts are checked alone. Then those that can be
// checked are checked together.
func TestCourseCulprit(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.handIn("a.txt")
	c.execute()
	out := c.handIn("b.txt", "crash.txt", "out.txt")[2]
	fail := func() {
		t.Helper()
		j, _ := c.claim()
		err := c.f.Write(t.Context(), func(tx *storage.Tx) {
			tx.Exec(`UPDATE jobs SET state = 'failed', reason = 'set aside' WHERE id = ?1`, j.ID)
			tx.Exec(`UPDATE checks SET state = 'failed', reason = 'set aside' WHERE job_id = ? AND state = 'running'`, j.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.wants("together", c.due(), "a.txt b.txt crash.txt out.txt")
	fail()
	if err := c.d.Choose(t.Context(), c.a, c.id, map[string]bool{out: false}); err != nil {
		t.Fatal(err)
	}
	if course, texts := c.state(); course.State != CheckingCourse && course.State != work.Failed || texts["a.txt"].State != work.Done {
		t.Errorf("after the crash the course is %+v with %+v, want the report on a.txt", course, texts)
	}
	c.wants("alone", c.due(), "b.txt", "crash.txt")
	j, task := c.claim()
	if err := c.d.Finish(t.Context(), j, task, c.outcome(task)); err != nil {
		t.Fatal(err)
	}
	fail()
	c.wants("those that can be checked", c.execute(), "a.txt b.txt")
	c.wants("at the end", c.execute())
	course, texts := c.state()
	if course.State != work.Done || texts["crash.txt"].State != work.Failed || texts["b.txt"].report != 2 {
		t.Errorf("at the end the course is %+v with %+v", course, texts)
	}
	if err := c.d.CheckAgain(t.Context(), c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.wants("on demand", c.due(), "a.txt b.txt crash.txt")
	if n, err := c.d.Cancel(t.Context(), c.a, c.id); err != nil || n != 1 {
		t.Errorf("Cancel = %d, %v, want 1", n, err)
	}
	if course, texts := c.state(); course.State != work.Done || texts["a.txt"].State != work.Done || texts["crash.txt"].State != work.Cancelled {
		t.Errorf("after Cancel the course is %+v with %+v", course, texts)
	}
}

// TestCourseFaults: whatever write of uploading, starting and finishing fails once, a repeated call
// succeeds, and nothing is lost or doubled.
func TestCourseFaults(t *testing.T) {
	t.Parallel()
	third := int(time.Now().Unix() / 86400 % 3) // on PostgreSQL, three days fail at each statement once
	for i, at := range []string{
		"INSERT ON checks", "UPDATE OF pending ON courses", "INSERT ON audit", "INSERT ON idempotency", "INSERT ON jobs", "UPDATE OF job_id ON checks", "UPDATE OF begun ON courses",
		"UPDATE OF score ON checks", "UPDATE OF state ON jobs WHEN NEW.state = 'done'",
	} {
		if os.Getenv(storagetest.Variable) != "" && i%3 != third {
			continue
		}
		c := newTerm(t, true)
		c.handIn("a.txt")
		c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
		c.execute()
		change := func(query string) {
			t.Helper()
			if err := c.f.Write(t.Context(), execute(query)); err != nil {
				t.Fatal(err)
			}
		}
		change(storagetest.Refusal("full_disk", "BEFORE "+at))
		failed := 0
		again := func(do func() error) {
			t.Helper()
			err := do()
			if err == nil {
				return
			}
			failed++
			change(storagetest.Dropped("full_disk"))
			if err := do(); err != nil {
				t.Fatal(at, err)
			}
		}
		again(func() error {
			_, err := c.d.HandIn(t.Context(), c.a, c.id, "key", c.uploads("b.txt"))
			return err
		})
		again(func() error { return c.d.Due(t.Context()) })
		j, task := c.claim()
		again(func() error {
			if err := os.MkdirAll(task.Out, 0o700); err != nil {
				return err
			}
			return c.d.Finish(t.Context(), j, task, c.outcome(task))
		})
		_, texts := c.state()
		if failed != 1 || len(texts) != 2 || texts["a.txt"].report != 2 || texts["b.txt"].State != work.Done {
			t.Errorf("%s: %d failures, then the texts %+v", at, failed, texts)
		}
		if err := c.f.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for folder, want := range map[string]int{storage.Files: 2, storage.Reports: 2} {
			if c.f.Shelf(folder).Waits() { // files without a row stay for a day
				continue
			}
			if files := storagetest.Names(t, c.f, folder); len(files) != want {
				t.Errorf("%s: %d files in %s, want %d", at, len(files), folder, want)
			}
		}
		for id := range texts {
			if _, err := d(c, texts[id].ID); err != nil {
				t.Errorf("%s: the report on %s: %v", at, id, err)
			}
		}
	}
}

func d(c *term, check string) ([]byte, error) { return c.d.ReportFile(c.t.Context(), c.a, check) }

// TestCourseRestart: a server that was killed while the texts of a course were checked checks them
// again.
func TestCourseRestart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	program := work.Program{Path: os.Args[0], Stall: 10 * time.Minute, Memory: 1 << 30}
	server := func() (*Desk, *work.Queue) {
		d, q, err := New(ctx, f, program, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return d, q
	}
	d, _ := server()
	c := &term{t: t, d: d, f: f, a: administrator(t, d)}
	collection, err := d.NewCollection(ctx, c.a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	c.id, err = d.NewCourse(ctx, c.a, NewCourse{CourseChange: CourseChange{Name: "Essays", Ends: time.Now().Add(-time.Hour)}, Collections: []string{collection}, Among: true})
	if err != nil {
		t.Fatal(err)
	}
	c.handIn("good.txt", "other.txt", "crash.txt")
	c.due()
	c.claim() // and the server is killed
	d, q := server()
	c.d = d
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- q.Run(running, 2) }()
	for began := time.Now(); ; {
		_ = d.Due(ctx) // more often than the queue does
		course, texts := c.state()
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("after five minutes the course is %+v with %+v", course, texts)
		}
		if course.State == work.Done && texts["good.txt"].State == work.Done && texts["good.txt"].report >= 2 {
			if texts["other.txt"].State != work.Done || texts["crash.txt"].State != work.Failed || course.Texts != 3 {
				t.Errorf("the texts are %+v, want all but crash.txt done", texts)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCourseDeletion: the deletion of a course leaves no file, and that of a text is refused while it
// is checked again.
func TestCourseDeletion(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	ids := c.handIn("a.txt", "b.txt", "c.txt")
	if _, err := c.d.DeleteCheck(ctx, c.a, ids[2]); err != nil {
		t.Errorf("DeleteCheck of a text that waits = %v", err)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.execute()
	if err := c.d.CheckAgain(ctx, c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.due()
	if _, err := c.d.DeleteCheck(ctx, c.a, ids[0]); !errors.Is(err, ErrBusy) {
		t.Errorf("DeleteCheck of a text that is checked again = %v, want ErrBusy", err)
	}
	if _, err := c.d.DeleteCourse(ctx, c.a, c.id); !errors.Is(err, ErrBusy) {
		t.Errorf("DeleteCourse while texts are checked = %v, want ErrBusy", err)
	}
	if data, err := c.d.ReportFile(ctx, c.a, ids[0]); err != nil || len(data) == 0 {
		t.Errorf("the report while the text is checked again: %d bytes, %v", len(data), err)
	}
	c.execute()
	for _, id := range ids[:1] {
		if _, err := c.d.DeleteCheck(ctx, c.a, id); err != nil {
			t.Error(err)
		}
	}
	other := accounts.Actor{Role: accounts.Administrator, Group: "other"}
	_, deleted := c.d.DeleteCourse(ctx, other, c.id)
	for name, err := range map[string]error{
		"change": c.d.ChangeCourse(ctx, other, c.id, CourseChange{Name: "x", Ends: c.clock.at}), "choose": c.d.Choose(ctx, other, c.id, nil), "check": c.d.CheckAgain(ctx, other, c.id),
		"see": c.d.Seen(ctx, other, c.id), "delete": deleted,
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s a course of another group: %v, want ErrNotFound", name, err)
		}
	}
	if _, err := c.d.DeleteCourse(ctx, c.a, c.id); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{storage.Files, storage.Reports} {
		if files := storagetest.Names(t, c.f, folder); len(files) != 0 {
			t.Errorf("%d files are left in %s", len(files), folder)
		}
	}
	if _, _, err := c.d.Course(ctx, c.a, c.id); !errors.Is(err, ErrNotFound) {
		t.Errorf("the deleted course: %v, want ErrNotFound", err)
	}
	collections, err := c.d.Collections(ctx, c.a)
	if err == nil {
		err = c.d.DeleteCollection(ctx, c.a, collections[0].ID)
	}
	if err != nil {
		t.Errorf("DeleteCollection after its course = %v", err)
	}
}

// TestCourseRefused: a course without a name of its own, a date or a collection is refused.
func TestCourseRefused(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	all, err := c.d.Collections(ctx, c.a)
	if err != nil {
		t.Fatal(err)
	}
	good := NewCourse{CourseChange: CourseChange{Name: "Other", Ends: c.clock.at}, Collections: []string{all[0].ID}}
	much := 101.
	for name, change := range map[string]func(*NewCourse){
		"name": func(n *NewCourse) { n.Name = " " }, "ends": func(n *NewCourse) { n.Ends = time.Time{} }, "rise": func(n *NewCourse) { n.Rise = &much }, "no collection": func(n *NewCourse) { n.Collections = nil },
		"unknown collection": func(n *NewCourse) { n.Collections = []string{"unknown"} }, "preset": func(n *NewCourse) { n.PresetID = "unknown" },
	} {
		n := good
		if change(&n); true {
			if _, err := c.d.NewCourse(ctx, c.a, n); !errors.As(err, new(*Invalid)) {
				t.Errorf("%s: %v, want an Invalid", name, err)
			}
		}
	}
	good.Name = "Essays"
	if _, err := c.d.NewCourse(ctx, c.a, good); !errors.Is(err, ErrInUse) {
		t.Errorf("the same name: %v, want ErrInUse", err)
	}
	text := give(t, c.d, c.a, "assignment.txt", "write an essay")
	good.Name, good.Settings.Given = "Given", []string{text}
	if _, err := c.d.NewCourse(ctx, c.a, good); err != nil {
		t.Fatal(err)
	}
	if err := c.d.DeleteGiven(ctx, c.a, text); !errors.Is(err, ErrGiven) {
		t.Errorf("DeleteGiven of a text of a course: %v, want ErrGiven", err)
	}
	if err := c.d.DeleteCollection(ctx, c.a, all[0].ID); !errors.Is(err, ErrHasChecks) {
		t.Errorf("DeleteCollection of a course: %v, want ErrHasChecks", err)
	}
}

// TestCourseDecisions: decisions that are stored while a text is checked again count in its score, and
// those on a report that was replaced meanwhile are refused.
func TestCourseDecisions(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	ids := c.handIn("a.txt")
	c.scores["a.txt"] = 30
	c.execute()
	_, texts := c.state()
	checked := texts["a.txt"]
	if s := checked.Counted(); checked.Grades != (Grades{Reworded: 2, Run: 3}) || checked.Groups != (Groups{Quoted: 1, Neither: 1}) || !s.Reworded || s.Run != 3 || s.Percent != 30 {
		t.Errorf("grades %+v, groups %+v, score %+v; want 2 reworded words only, with a run of 3, and one of them quoted", checked.Grades, checked.Groups, s)
	}
	if err := c.d.CheckAgain(ctx, c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.due()
	j, task := c.claim()
	if err := c.decide(ids[0]); err != nil {
		t.Fatal(err)
	}
	if err := c.d.Finish(ctx, j, task, c.outcome(task)); err != nil {
		t.Fatal(err)
	}
	if _, texts := c.state(); texts["a.txt"].Score != 0 || texts["a.txt"].Found != 30 || texts["a.txt"].report != 2 || texts["a.txt"].Grades != (Grades{}) || texts["a.txt"].Groups != (Groups{}) {
		t.Errorf("the text is %+v, want the decisions to count", texts["a.txt"])
	}
	err := c.f.Write(ctx, func(tx *storage.Tx) {
		r := &result{id: ids[0], like: ids[0], path: "a.txt", report: "x", before: 2, text: work.Text{Row: report.Row{RowCount: &report.RowCount{}}}}
		r.store(tx)
	})
	if !errors.Is(err, ErrLater) {
		t.Errorf("a score that was counted without the latest decisions: %v, want ErrLater", err)
	}
	if err := c.f.Write(ctx, execute(storagetest.Trigger("again", "BEFORE INSERT ON decisions", "UPDATE checks SET reported = 3"))); err != nil {
		t.Fatal(err)
	}
	sent := report.Decisions{Kind: "decisions", Format: report.Version}
	sent.Suspect.Bytes, sent.Suspect.Words = 29, 7
	data, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.d.Decide(ctx, c.a, ids[0], -1, data); !errors.Is(err, ErrLater) {
		t.Errorf("Decide on a report that is replaced meanwhile = %v, want ErrLater", err)
	}
}
