package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// maxJSON bounds what ReadJSON reads. The report of a suspect of 200 MB whose
// every word is copied, texts included, is about half as long.
const maxJSON = 1 << 30

// A jsonReport is the layout that schema/otisk-report.schema.json describes.
type jsonReport struct {
	Format int `json:"format"`
	*Report
	Groups []Group `json:"groups,omitempty"`
}

func writeJSON(w io.Writer, r *Report, _ Options) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonReport{Version, listed(r), GroupsOf(r)}); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// listed returns a shallow copy of r with empty lists for nil ones, which JSON would
// write as null.
func listed(r *Report) *Report {
	c := *r
	c.Sources, c.Passages, c.Unread, c.Notes = list(r.Sources), list(r.Passages), list(r.Unread), list(r.Notes)
	c.Exclusions, c.Unsearched = list(r.Exclusions), list(r.Unsearched)
	c.Paragraphs = make([]search.Paragraph, len(r.Paragraphs))
	for i, p := range r.Paragraphs {
		p.Sources = list(p.Sources)
		c.Paragraphs[i] = p
	}
	c.Passages = make([]search.Passage, len(r.Passages))
	for i, p := range r.Passages {
		p.Equal = list(p.Equal)
		c.Passages[i] = p
	}
	if c.Score.Grades == nil {
		c.Score.Grades = map[string]int{}
	}
	if c.Settings.Normalization == nil {
		c.Settings.Normalization = map[string]string{}
	}
	if r.Review != nil {
		c.Review = listedReview(r.Review)
	}
	return &c
}

func listedReview(v *Review) *Review {
	c := *v
	c.Filter.Kinds, c.Filter.Grades = list(v.Filter.Kinds), list(v.Filter.Grades)
	c.Sources, c.Passages, c.Remains = list(v.Sources), list(v.Passages), list(v.Remains)
	if c.Score.Grades == nil {
		c.Score.Grades = map[string]int{}
	}
	return &c
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ReadJSON reads a report from JSON that [Write] wrote. It validates everything that writers rely
// on, so any format can be written from the result. It ignores unknown fields, which a later
// version of Otisk may add.
func ReadJSON(r io.Reader) (*Report, error) { return readJSON(r, maxJSON) }

func readJSON(r io.Reader, limit int64) (*Report, error) {
	result, err := readUnchecked(r, limit)
	if err != nil {
		return nil, err
	}
	if err := check(result); err != nil {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", phrase.Error("cause.inconsistent", "its parts contradict each other ({details})", "details", err))
	}
	upgrade(result)
	return listed(result), nil
}

// errNoReport is the error for a file that is not a report.
var errNoReport = phrase.Error("read.no-report", "not a report in JSON or HTML")

// jsonFault describes an error of the JSON decoder for users. what is the error for a file of
// another kind.
func jsonFault(err, what error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return phrase.Error("read.empty", "the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return phrase.Error("read.cut-off", "unexpected end of file: the copy may be incomplete")
	case errors.As(err, &syntax) && syntax.Offset <= 1, errors.As(err, &kind) && kind.Field == "":
		return what
	case syntax != nil:
		return phrase.Error("read.syntax", "not valid JSON at byte {byte}", "byte", syntax.Offset)
	case kind != nil:
		return phrase.Error("read.kind", "the value of {field} at byte {byte} has a wrong type", "field", kind.Field, "byte", kind.Offset)
	}
	return err
}

// readUnchecked reads a report without checking it.
func readUnchecked(r io.Reader, limit int64) (*Report, error) {
	in := &io.LimitedReader{R: r, N: limit + 1}
	report := jsonReport{Report: new(Report)}
	report.Index.Searched = -1
	d := json.NewDecoder(in)
	err := d.Decode(&report)
	if in.N <= 0 {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", phrase.Error("read.longer", "longer than {most} bytes", "most", limit))
	}
	if err != nil {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", jsonFault(err, errNoReport))
	}
	if report.Format == 0 {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", errNoReport)
	}
	if report.Format != Version {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", phrase.Error("read.format", "format {found}, this program reads {known}", "found", report.Format, "known", Version))
	}
	if x := &report.Index; x.Searched == -1 { // by a version without this field
		x.Searched = x.Documents
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, phrase.Error("read.report", "read report: {cause}", "cause", phrase.Error("read.after-end", "unexpected text after the end"))
	}
	for i := range report.Sources {
		if s := &report.Sources[i]; s.Name == "" { // by a version that used whole paths as names
			s.Name = s.Prefix + s.Path
		}
	}
	return report.Report, nil
}
