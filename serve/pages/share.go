package pages

import (
	"net/url"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

func newShare(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	s := desk.NewShare{For: v.PostFormValue("for"), Days: days}
	_, secret, err := v.s.Desk.Share(v.Context(), v.actor, v.PathValue("id"), s)
	if err != nil {
		return err
	}
	return v.showRecord(&createdLink{v.s.BaseURL + sharedPath(secret), s.For, "", false})
}

func deleteShare(v *visit) error {
	return v.after(v.s.Desk.Unshare(v.Context(), v.actor, v.PathValue("id"), v.PathValue("link")), "/checks/{id}#links")
}

// A createdLink is a new link with its secret and its recipient.
type createdLink struct {
	Address, For string
	Mail         string // address to which it is sent, "" for none
	Student      bool
}

// sharedPath returns the path of the page that a link opens.
func sharedPath(secret string) string { return "/shared/" + url.PathEscape(secret) }

// A sharedPage is the data of the record that a link opens.
type sharedPage struct {
	recordPage
	For    string    // who received the link
	Until  time.Time // the link expires
	Report string    // address
}

func showShared(v *visit) error {
	v.hideAddress()
	secret := v.PathValue("secret")
	s, err := v.s.Desk.Shared(v.Context(), secret, v.lang)
	if err != nil {
		return err
	}
	if s.Student != nil {
		return v.show("student", s.Student.Text, studentPage{s, sharedPath(secret)})
	}
	p := &sharedPage{recordPage: recordPage{Check: s.Check, Ended: true, Changed: s.Check.Score != s.Check.Found, History: s.History, Scores: s.Scores, Steps: s.Steps, Remarks: s.Remarks}, For: s.For, Until: s.Expires, Report: sharedPath(secret) + "/report"}
	return v.show("shared", s.Check.Path, p)
}

// showSharedReport writes the page of a report that a link opens. It cannot store decisions.
func showSharedReport(v *visit) error {
	v.hideAddress()
	secret := v.PathValue("secret")
	r, err := v.s.Desk.SharedReport(v.Context(), secret)
	if err != nil {
		return err
	}
	remarks, err := v.s.Desk.SharedRemarks(v.Context(), secret)
	if err != nil {
		return err
	}
	return v.writeReport(r, &report.Home{Fixed: true, Back: sharedPath(secret), Remarks: v.remarks(r, remarks)})
}

// hideAddress keeps the address of the page, which has a secret, from other sites and search engines.
func (v *visit) hideAddress() {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	v.w.Header().Set("X-Robots-Tag", "noindex")
}

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
