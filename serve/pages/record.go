package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/paper"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// A recordPage is the data of the record of a check.
type recordPage struct {
	*desk.Check
	Ended   bool // its state no longer changes
	Changed bool // decisions changed the score
	History []desk.Decided
	Scores  []desk.Scored // of each check that changed the score
	Steps   []desk.Step   // of the case
	Links   []desk.Share
	NewLink *createdLink // created by the submitted form; nil if none was
	Remarks []desk.Remark
	Author  string // student who handed the text in from a learning platform, "" for none
}

// A rise is a score and an earlier one that was lower, each with the time of its check.
type rise struct{ From, To desk.Scored }

// Rise returns the rise of the score by the last check that changed it, nil if there is none.
func (p *recordPage) Rise() *rise {
	n := len(p.Scores)
	if n < 2 || p.Scores[n-1].Score <= p.Scores[n-2].Score {
		return nil
	}
	return &rise{p.Scores[n-2], p.Scores[n-1]}
}

func showRecord(v *visit) error { return v.showRecord(nil) }

// showRecord shows the record of a check, with a link that was created.
func (v *visit) showRecord(created *createdLink) error {
	c, err := v.s.Desk.Check(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	p := &recordPage{Check: c, Ended: finished(c), Changed: c.Score != c.Found, NewLink: created}
	if p.History, err = v.s.Desk.History(v.Context(), v.actor, c.ID, v.lang); err != nil {
		return err
	}
	if p.Scores, err = v.s.Desk.Scores(v.Context(), v.actor, c.ID); err != nil {
		return err
	}
	if p.Steps, err = v.s.Desk.Steps(v.Context(), v.actor, c.ID); err != nil {
		return err
	}
	if p.Remarks, err = v.s.Desk.Remarks(v.Context(), v.actor, c.ID); err != nil {
		return err
	}
	if v.actor.May(accounts.ShareChecks) {
		if p.Links, err = v.s.Desk.Shares(v.Context(), v.actor, c.ID); err != nil {
			return err
		}
		if p.Author, err = v.s.Desk.Author(v.Context(), v.actor, c.ID); err != nil {
			return err
		}
	}
	return v.show("record", c.Path, p)
}

func setVerdict(v *visit) error {
	err := v.s.Desk.Verdict(v.Context(), v.actor, v.PathValue("id"), v.PostFormValue("verdict"), strings.TrimSpace(v.PostFormValue("comment")))
	return v.after(err, "/checks/{id}")
}

// sendOriginal sends the uploaded file of a check, which no browser shows as a page of this server.
func sendOriginal(v *visit) error {
	o, err := v.s.Desk.Original(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/octet-stream")
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": o.Name}))
	if err := o.Write(v.w); err != nil {
		v.s.Log.Error("send an uploaded file", "cause", err)
		panic(http.ErrAbortHandler) // the answer has begun: a cut file must not look whole
	}
	return nil
}

func showReport(v *visit) error {
	id := v.PathValue("id")
	r, err := v.s.Desk.Report(v.Context(), v.actor, id)
	if err != nil {
		return err
	}
	_, number, err := v.s.Desk.Decisions(v.Context(), v.actor, id)
	if err != nil {
		return err
	}
	c, err := v.s.Desk.Check(v.Context(), v.actor, id)
	if err != nil {
		return err
	}
	path := "/checks/" + id
	h := &report.Home{Decisions: path + "/decisions", Number: number, By: v.actor.Person(), Fixed: !v.actor.May(accounts.DecideOnChecks), Back: path, Verdict: c.Verdict, Comment: c.Comment}
	remarks, err := v.s.Desk.Remarks(v.Context(), v.actor, id)
	if err != nil {
		return err
	}
	if h.Remarks = v.remarks(r, remarks); !h.Fixed {
		h.Remark = path + "/remarks"
	}
	if !h.Fixed && c.Case != desk.ClosedStep {
		h.Judge = path + "/verdict"
	}
	if h.Previous, h.Next, err = v.beside(c); err != nil {
		return err
	}
	return v.writeReport(r, h)
}

// sendPDF sends the report on a check, printed by the Chromium of the server.
func sendPDF(v *visit) error {
	r, err := v.s.Desk.Report(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = report.Write(&b, report.PDF, r, report.Options{Lang: v.lang, Print: paper.Printer(v.Context())})
	if errors.Is(err, report.ErrNoPrinter) {
		v.status = http.StatusNotImplemented
		return v.show("error", v.lang.Text("web.open-report"), v.lang.Err(report.ErrNoPrinter))
	}
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/pdf")
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": pdfName(r.Suspect.Path)}))
	_, _ = v.w.Write(b.Bytes()) // the client has gone
	return nil
}

// pdfName returns the name of the PDF of the report on a text.
func pdfName(text string) string {
	name := path.Base(text)
	return strings.TrimSuffix(name, path.Ext(name)) + ".report.pdf"
}

// beside returns the addresses of the reports on the texts before and after one, in the order of the page of its course or
// upload; "" for none.
func (v *visit) beside(c *desk.Check) (previous, next string, err error) {
	s, err := v.s.Desk.Submission(v.Context(), v.actor, c.Submission)
	if err != nil {
		return "", "", err
	}
	texts, err := v.texts(s)
	if err != nil {
		return "", "", err
	}
	here := false
	for _, x := range texts {
		switch {
		case x.ID == c.ID:
			here = true
		case x.State != work.Done:
		case !here:
			previous = "/checks/" + x.ID + "/report"
		case next == "":
			next = "/checks/" + x.ID + "/report"
		}
	}
	return previous, next, nil
}

// texts returns the texts of a course or upload in the order of its page.
func (v *visit) texts(s *desk.Submission) ([]desk.Check, error) {
	if s.Course {
		_, list, err := v.s.Desk.Course(v.Context(), v.actor, s.ID)
		slices.SortStableFunc(list, byScore)
		return list, err
	}
	list, _, err := v.s.Desk.Checks(v.Context(), v.actor, desk.Filter{Submission: s.ID, Sort: "created", Limit: 500})
	return list, err
}

// writeReport writes the page of a report, with a policy of its own: it runs its own script only, by
// its checksum, and connects to this server only.
func (v *visit) writeReport(r *report.Report, home *report.Home) error {
	return v.writeFile(func(w io.Writer) error {
		return report.Write(w, "html", r, report.Options{Lang: v.lang, Home: home})
	})
}

// writeFile writes a page that is a file of its own elsewhere, with the policy for it.
func (v *visit) writeFile(write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	v.w.Header().Set("Content-Security-Policy", report.HomePolicy)
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = v.w.Write(b.Bytes()) // the client has gone
	return nil
}

func getDecisions(v *visit) error {
	data, number, err := v.s.Desk.Decisions(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	if number == 0 {
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	v.w.Header().Set("ETag", `"`+strconv.FormatInt(number, 10)+`"`)
	v.w.Header().Set("Content-Type", "application/json")
	_, _ = v.w.Write(data) // the client has gone
	return nil
}

func putDecisions(v *visit) error {
	base, err := strconv.ParseInt(strings.Trim(v.Header.Get("If-Match"), `"`), 10, 64)
	if err != nil || base < 0 {
		return errBadRequest
	}
	data, err := io.ReadAll(v.Body)
	if err != nil {
		return err
	}
	number, err := v.s.Desk.Decide(v.Context(), v.actor, v.PathValue("id"), base, data)
	if errors.Is(err, desk.ErrLater) {
		v.w.WriteHeader(http.StatusConflict)
		return nil
	}
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(map[string]int64{"number": number})
}

func (v *visit) export(e *desk.Export, err error) error {
	if err != nil {
		return err
	}
	api.SendExport(v.w, e, func(err error) { v.s.Log.Error("export", "cause", err) })
	return nil
}

func exportCheck(v *visit) error {
	return v.export(v.s.Desk.ExportCheck(v.Context(), v.actor, v.PathValue("id"), report.Options{Lang: v.lang}))
}

func exportDocument(v *visit) error {
	return v.export(v.s.Desk.ExportDocument(v.Context(), v.actor, v.PathValue("id"), v.FormValue("name")))
}

func exportPerson(v *visit) error {
	return v.export(v.s.Desk.ExportPerson(v.Context(), v.actor, v.FormValue("name"), report.Options{Lang: v.lang}))
}

func exportUser(v *visit) error {
	return v.export(v.s.Desk.ExportUser(v.Context(), v.actor, v.PathValue("id")))
}

// days returns the number of days in a form, 0 for none.
func (v *visit) days() (int, error) { return api.FormOf(v.PostForm).Int("days") }

func retainCheck(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	return v.after(v.s.Desk.KeepCheck(v.Context(), v.actor, v.PathValue("id"), days), "/checks/{id}")
}

func retainDocuments(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	return v.after(v.s.Desk.KeepDocuments(v.Context(), v.actor, v.PathValue("id"), days), "/collections/{id}")
}
