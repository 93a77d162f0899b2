package pages

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

// Step returns the name of a kind of step of a case.
func (v *view) Step(kind string) string { return v.named(stepNames, kind) }

// Opened returns the name of what was opened to the student.
func (v *view) Opened(access string) string { return v.named(accessNames, access) }

// A stepsView is the data of the template for the steps of a case.
type stepsView struct {
	View  *view
	Steps []desk.Step
}

// StepsOf returns the data of the template for the steps of a case.
func (v *view) StepsOf(steps []desk.Step) stepsView { return stepsView{v, steps} }

// CaseStates returns the states of cases.
func (v *view) CaseStates() []string { return desk.CaseStates() }

var (
	stepNames = map[string]string{
		desk.VerdictStep: "web.verdict", desk.CommentStep: "case.comment", desk.NoticeStep: "case.notice", desk.AccessStep: "case.access",
		desk.StatementStep: "case.statement", desk.ReplyStep: "case.reply", desk.ClosedStep: "case.closed", desk.ReopenedStep: "case.reopened",
	}
	accessNames = map[string]string{"score": "case.score", "report": "case.score-report", "none": "case.nothing-open"}
)

// StaffSteps returns the kinds of steps that a user can add to the case now.
func (p *recordPage) StaffSteps() []string {
	if p.Case == desk.ClosedStep {
		return []string{desk.ReopenedStep}
	}
	kinds := []string{desk.CommentStep}
	for _, s := range p.Steps {
		if s.Kind == desk.StatementStep {
			kinds = append(kinds, desk.ReplyStep)
			break
		}
	}
	return append(kinds, desk.ClosedStep)
}

func addStep(v *visit) error {
	s := desk.NewStep{Kind: v.PostFormValue("kind"), Text: v.PostFormValue("text")}
	_, err := v.s.Desk.AddStep(v.Context(), v.actor, v.PathValue("id"), s)
	return v.after(err, "/checks/{id}#case")
}

func notify(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	n := desk.Notice{For: v.PostFormValue("for"), Days: days, Text: v.PostFormValue("text"), Score: v.PostFormValue("score") != "", Report: v.PostFormValue("report") != "", Own: v.PostFormValue("own") != "", Mail: v.PostFormValue("mail")}
	_, secret, err := v.s.Desk.Notify(v.Context(), v.actor, v.PathValue("id"), n)
	if err != nil {
		return err
	}
	return v.showRecord(&createdLink{v.s.BaseURL + sharedPath(secret), n.For, v.mailed(n.Mail), true})
}

func openToStudent(v *visit) error {
	to := desk.Access{Score: v.PostFormValue("score") != "", Report: v.PostFormValue("report") != ""}
	return v.after(v.s.Desk.OpenToStudent(v.Context(), v.actor, v.PathValue("id"), v.PathValue("link"), to), "/checks/{id}#case")
}

// A studentPage is the data of the page that a link for the student opens.
type studentPage struct {
	*desk.Shared
	Address string // of the page
}

func mayState(v *visit) error { return v.s.Desk.MayState(v.Context(), v.PathValue("secret")) }

func addStatement(v *visit) error {
	v.hideAddress()
	return v.after(v.s.Desk.State(v.Context(), v.PathValue("secret"), v.PostFormValue("text")), sharedPath(v.PathValue("secret")))
}

// remarks returns comments on places for the page of a report.
func (v *visit) remarks(r *report.Report, all []desk.Remark) []report.Remark {
	w := &view{visit: v}
	list := make([]report.Remark, len(all))
	for i, x := range all {
		list[i] = report.Remark{Quote: x.Quote, About: x.Name + ", " + w.When(x.At) + " · " + w.Readers(x), Text: x.Text}
		list[i].Start, list[i].End = x.In(r.Suspect.Text)
	}
	return list
}

// Readers returns who may read a comment.
func (v *view) Readers(x desk.Remark) string {
	if x.Student {
		return v.lang.Text("case.remark-student")
	}
	return v.lang.Text("case.remark-staff")
}

// mostQuoted is the limit of the words of a comment that a record shows, in characters.
const mostQuoted = 300

// Beginning returns the words of a comment, or their beginning.
func (v *view) Beginning(x desk.Remark) string {
	return beginning(x.Quote, mostQuoted)
}

// beginning returns a text, shortened if it has more than most characters.
func beginning(text string, most int) string {
	all := []rune(text)
	if len(all) <= most {
		return text
	}
	return strings.TrimSpace(string(all[:most])) + " …"
}

// getRemarks writes the comments on the places of a text for the page of its report.
func getRemarks(v *visit) error {
	r, err := v.s.Desk.Report(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	all, err := v.s.Desk.Remarks(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	list := v.remarks(r, all)
	report.PlaceRemarks(r.Suspect.Text, list)
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(list)
}

func addRemark(v *visit) error {
	near, _ := strconv.Atoi(v.PostFormValue("near")) // without it, the first place with the words
	n := desk.NewRemark{Quote: v.PostFormValue("quote"), Near: near, Student: v.PostFormValue("student") != "", Text: v.PostFormValue("text")}
	return v.after(v.s.Desk.AddRemark(v.Context(), v.actor, v.PathValue("id"), n), "/checks/{id}#remarks")
}

func deleteRemark(v *visit) error {
	return v.after(v.s.Desk.DeleteRemark(v.Context(), v.actor, v.PathValue("id"), v.PathValue("remark")), "/checks/{id}#remarks")
}
