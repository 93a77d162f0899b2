package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// reportOptions hold the flags of the report command.
type reportOptions struct {
	target    target
	decisions string
	compare   string
	review    reviewOptions
}

func newReportCommand(g *globalOptions) *cobra.Command {
	o := reportOptions{review: newReviewOptions()}
	cmd := &cobra.Command{
		Use:   "report [flags] RESULT.json...",
		Short: "Write reports from the JSON report of a search",
		Long: `Write reports in any format from JSON reports that otisk search wrote before;
nothing is searched again. --decisions applies what a reader left out in the
page of the HTML report and saved; other flags leave out more. --compare shows in
the HTML report what changed since an earlier check of the same text: which
passages are gone, and which are new.

EXIT STATUS
  0  all reports were written
  1  one could not be written
  2  wrong flag or file
  3  a score is over the limit of --fail-over
  6  none is, but one could be: something was not looked at`,
		Example: "  otisk report --format html -o reports/ thesis.txt.out.json\n  otisk report --decisions thesis.decisions.json --format text thesis.txt.out.json\n  otisk report --compare first/thesis.out.json -o revised.html second/thesis.out.json",
		Args:    atLeast(1, "RESULT.json"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runReport(cmd, o, args, g.quiet) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.target.formats, "format", nil, "`formats` of the report: "+strings.Join(report.Formats(), ", ")+" (default: the ending of -o; html into a folder on a terminal; else text)")
	f.StringVarP(&o.target.out, "output", "o", "", "`folder` for the reports, or for one report a file such as report.html")
	f.StringVar(&o.decisions, "decisions", "", "`file` of decisions that the page of the report saved")
	f.StringVar(&o.compare, "compare", "", "JSON report of an earlier check of the text, a `file`, to compare with")
	o.review.flags(f)
	return cmd
}

func runReport(cmd *cobra.Command, o reportOptions, paths []string, quiet bool) error {
	if err := o.target.resolve(cmd.OutOrStdout(), "text"); err != nil {
		return err
	}
	if err := o.review.check(cmd, o.target); err != nil {
		return err
	}
	if err := o.readEarlier(paths); err != nil {
		return err
	}
	var decisions *report.Decisions
	if o.decisions != "" {
		var err error
		if decisions, err = readDecisions(o.decisions); err != nil {
			return err
		}
	}
	out, err := newOutput(cmd, o.target, len(paths), &o.review)
	if err != nil {
		return err
	}
	out.expect(len(paths))
	for _, path := range paths {
		if err := o.one(out, path, decisions); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return out.finish(nil, nil, quiet)
}

// readEarlier reads the result that the report is compared with, if there is one.
func (o *reportOptions) readEarlier(paths []string) error {
	switch {
	case o.compare == "":
		return nil
	case !slices.Contains(o.target.formats, "html"):
		return usagef("--compare is shown in HTML: --format html")
	case len(paths) > 1:
		return usagef("--compare is for one report, not for %d", len(paths))
	}
	before, err := readResult(o.compare)
	if err != nil {
		return fmt.Errorf("%s: %w", o.compare, err)
	}
	if p := o.review.pseudonyms(); p != nil {
		before = report.Anonymous(before, *p)
	}
	o.target.before = before
	return nil
}

// one writes the reports of one result.
func (o *reportOptions) one(out *output, path string, decisions *report.Decisions) error {
	r, err := readResult(path)
	if err != nil {
		return err
	}
	if slices.Contains(o.target.formats, "html") && r.Suspect.Text == "" {
		return errors.New("the result has no texts, which an HTML report needs")
	}
	if decisions != nil {
		if err := report.Decide(r, decisions); err != nil {
			return err
		}
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".json"), ".out")
	return out.write(name, r)
}

func readResult(path string) (*search.Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, oserror.Cause(err) // the caller names the file
	}
	defer f.Close()
	return report.ReadJSON(f)
}
