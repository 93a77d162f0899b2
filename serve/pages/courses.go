package pages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// A coursesPage is the data of the page of courses.
type coursesPage struct {
	settingChoices
	Courses []desk.Course
	Ends    time.Time // of a new course
	Working bool      // texts are being checked
}

// courseTime is the time until the end of a new course that the form suggests.
const courseTime = 14 * 24 * time.Hour

func showCourses(v *visit) (err error) {
	year, month, day := time.Now().Add(courseTime).Date()
	p := coursesPage{Ends: time.Date(year, month, day, 23, 59, 0, 0, time.Local)}
	if p.Courses, err = v.s.Desk.Courses(v.Context(), v.actor); err != nil {
		return err
	}
	p.Working = slices.ContainsFunc(p.Courses, func(c desk.Course) bool { return c.State == desk.CheckingCourse })
	if v.actor.May(accounts.CheckTexts) {
		if p.settingChoices, err = v.lastChoices(true); err != nil {
			return err
		}
	}
	return v.show("courses", v.lang.Text("course.courses"), p)
}

// Clock formats a time as the value of a field for date and time, in the time zone of the server.
func (v *view) Clock(t time.Time) string { return t.Local().Format(clockForm) }

// clockForm is the form of the value of a field for date and time.
const clockForm = "2006-01-02T15:04"

// courseChange reads the fields of the form of a course.
func (v *visit) courseChange() (c desk.CourseChange, err error) {
	c.Name, c.Label = v.PostFormValue("name"), v.PostFormValue("label")
	if text := v.PostFormValue("ends"); text != "" {
		text = text[:min(len(text), len(clockForm))] // some browsers send seconds
		if c.Ends, err = time.ParseInLocation(clockForm, text, time.Local); err != nil {
			return c, desk.Wrong("ends", "course.ends", "a course needs a date")
		}
	}
	if text := v.PostFormValue("rise"); text != "" {
		rise, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil {
			return c, desk.NotNumber("rise")
		}
		c.Rise = &rise
	}
	return c, nil
}

func newCourse(v *visit) error {
	change, err := v.courseChange()
	if err != nil {
		return err
	}
	s, err := api.SubmissionOf(api.FormOf(v.PostForm))
	if err != nil {
		return err
	}
	id, err := v.s.Desk.NewCourse(v.Context(), v.actor, desk.NewCourse{CourseChange: change, Collections: v.PostForm["collection"], Among: s.Among, PresetID: s.PresetID, Settings: s.Preset})
	return v.after(err, "/courses/"+id)
}

// A coursePage is the data of the page of a course.
type coursePage struct {
	*desk.Course
	paging
	Checks  []desk.Check
	Waiting int  // texts that wait and count
	Working bool // texts are being checked
	Reading bool // files are being read, whose texts wait

	Progress *desk.Progress // of texts that are being checked, nil for none

	news desk.News
}

// News returns the mark of a text that is new or changed since the user opened the page before, "" for none.
func (p coursePage) News(check string) string {
	isNew, changed := p.news[check]
	switch {
	case isNew:
		return "guide.new"
	case changed:
		return "guide.changed"
	}
	return ""
}

func showCourse(v *visit) error {
	c, checks, err := v.s.Desk.Course(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	p := coursePage{Course: c, Working: c.State == desk.CheckingCourse, Reading: c.Busy && c.State != desk.CheckingCourse}
	for _, x := range checks {
		if x.State == "waiting" && x.Counts {
			p.Waiting++
		}
	}
	slices.SortStableFunc(checks, byScore)
	p.Checks, p.paging = pageOf(v, checks, classRows)
	again := v.Method != http.MethodGet || v.Header.Get("Sec-Fetch-Dest") == "empty" // the script of the page refreshes it
	if p.news, err = v.s.Desk.Look(v.Context(), v.actor, c.ID, again); err != nil {
		return err
	}
	if p.Working {
		if p.Progress, err = v.s.Desk.Progress(v.Context(), v.actor, c.ID); err != nil {
			return err
		}
	}
	return v.show("course", c.Name, p)
}

// byScore orders the texts of a course: those whose score rose first, then those with the highest one.
func byScore(a, b desk.Check) int {
	return cmp.Or(order(a.Counts, b.Counts), order(a.Rose != nil, b.Rose != nil), cmp.Compare(b.Score, a.Score))
}

// order sorts true before false.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// CourseState returns the name of the state of a course.
func (v *view) CourseState(state string) string {
	return v.named(map[string]string{"open": "course.open", "checking": "course.checking", "done": "course.done", "failed": "course.failed"}, state)
}

// Points formats a number of percentage points.
func (v *view) Points(n float64) string { return v.lang.Decimal(n) }

func changeCourse(v *visit) error {
	c, err := v.courseChange()
	if err != nil {
		return err
	}
	return v.after(v.s.Desk.ChangeCourse(v.Context(), v.actor, v.PathValue("id"), c), "/courses/{id}")
}

// choose sets which of the texts that the page has shown count.
func choose(v *visit) error {
	counts := map[string]bool{}
	for _, id := range v.PostForm["text"] {
		counts[id] = false
	}
	for _, id := range v.PostForm["counts"] {
		counts[id] = true
	}
	return v.after(v.s.Desk.Choose(v.Context(), v.actor, v.PathValue("id"), counts), "/courses/{id}")
}
