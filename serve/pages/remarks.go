package pages

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

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
