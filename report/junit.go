package report

import (
	"io"
	"strings"
)

// writeJUnit writes a report as a suite of one test, for the pages of GitLab and Jenkins. The test fails only if the
// verdict of o says so, never because something was found. Its output is the report as text.
func writeJUnit(w io.Writer, r *Report, o Options) error {
	o.Color = false
	var text strings.Builder
	if err := writeText(&text, r, o); err != nil {
		return err
	}
	over, unsure := o.verdict(r)
	failed := func(err error) int {
		if err != nil {
			return 1
		}
		return 0
	}
	m := &markup{w: w}
	m.open("testsuites")
	m.open("testsuite", required("name", "otisk"), number("tests", 1), number("failures", failed(over)), number("errors", failed(unsure)), moment("timestamp", r.Checked))
	m.open("testcase", required("name", r.Suspect.Path), required("classname", "otisk"))
	if over != nil {
		m.leaf("failure", "", required("type", "score"), required("message", o.printer().Err(over)))
	}
	if unsure != nil {
		m.leaf("error", "", required("type", "unsearched"), required("message", o.printer().Err(unsure)))
	}
	m.leaf("system-out", text.String())
	m.close()
	m.close()
	m.close()
	return m.err
}
