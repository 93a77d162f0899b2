package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/otisk/otisk/search"
)

// maxJSON bounds what ReadJSON reads. The report of a suspect of 200 MB whose
// every word is copied, texts included, is about half as long.
const maxJSON = 1 << 30

// A jsonReport is the layout that schema/otisk-report.schema.json describes.
type jsonReport struct {
	Format int `json:"format"`
	*Report
}

func writeJSON(w io.Writer, r *Report, _ Options) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonReport{Version, listed(r)}); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// listed returns r with empty lists in the place of missing ones, which would
// be written as null. The copy shares everything else with r.
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

// ReadJSON reads what [Write] wrote as JSON. It checks all that the other
// formats rely on, so that a report can be made of any result that it returns.
// Fields that it does not know are passed over: a later Otisk may add some.
func ReadJSON(r io.Reader) (*Report, error) { return readJSON(r, maxJSON) }

func readJSON(r io.Reader, limit int64) (*Report, error) {
	result, err := readUnchecked(r, limit)
	if err != nil {
		return nil, err
	}
	if err := check(result); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	return listed(result), nil
}

// jsonFault says in a user's words what a decoder of JSON found in a file that
// is to be what, such as "file of decisions".
func jsonFault(err error, what string) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends early, as a copy does that was cut off")
	case errors.As(err, &syntax) && syntax.Offset <= 1, errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("it is no %s", what)
	case syntax != nil:
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case kind != nil:
		return fmt.Errorf("byte %d: %s cannot be a %s", kind.Offset, kind.Field, kind.Value)
	}
	return err
}

// readUnchecked reads a result that writers cannot rely on yet.
func readUnchecked(r io.Reader, limit int64) (*Report, error) {
	in := &io.LimitedReader{R: r, N: limit + 1}
	report := jsonReport{Report: new(Report)}
	report.Index.Searched = -1
	d := json.NewDecoder(in)
	err := d.Decode(&report)
	if in.N <= 0 {
		return nil, fmt.Errorf("read report: longer than %d bytes", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read report: %w", jsonFault(err, "report in JSON or HTML"))
	}
	if report.Format == 0 {
		return nil, errors.New("read report: it is no report in JSON or HTML")
	}
	if report.Format != Version {
		return nil, fmt.Errorf("read report: format %d, this program reads %d", report.Format, Version)
	}
	if x := &report.Index; x.Searched == -1 { // written before this was stated
		x.Searched = x.Documents
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("read report: more text after its end")
	}
	for i := range report.Sources {
		if s := &report.Sources[i]; s.Name == "" { // of a program that had whole paths for names
			s.Name = s.Prefix + s.Path
		}
	}
	return report.Report, nil
}
