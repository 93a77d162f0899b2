package pages

import (
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

// An ownPage is the data of the page of a student.
type ownPage struct {
	Courses []desk.OwnCourse
	Working bool // texts are being checked
}

func showOwn(v *visit) (err error) {
	var p ownPage
	if p.Courses, err = v.s.Desk.OwnCourses(v.Context(), v.actor); err != nil {
		return err
	}
	for _, c := range p.Courses {
		for _, t := range c.Texts {
			p.Working = p.Working || t.State == "queued" || t.State == "running"
		}
	}
	return v.show("own", v.lang.Text("lti.own"), p)
}

// ownPath returns the path of the page of an own text.
func (v *visit) ownPath() string { return "/own/texts/" + v.PathValue("id") }

func showOwnText(v *visit) error {
	s, err := v.s.Desk.OwnText(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	return v.show("student", s.Student.Text, studentPage{s, v.ownPath()})
}

// showOwnReport writes the page of the report on an own text. It cannot store decisions.
func showOwnReport(v *visit) error {
	r, err := v.s.Desk.OwnReport(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	remarks, err := v.s.Desk.OwnRemarks(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	return v.writeReport(r, &report.Home{Fixed: true, Back: v.ownPath(), Remarks: v.remarks(r, remarks)})
}

func addOwnStatement(v *visit) error {
	return v.after(v.s.Desk.OwnStatement(v.Context(), v.actor, v.PathValue("id"), v.PostFormValue("text")), v.ownPath())
}
