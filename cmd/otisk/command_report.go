package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
)

type reportOptions struct {
	target    target
	decisions string
	compare   string
	review    reviewOptions
}

func newReportCommand(g *globalOptions) *cobra.Command {
	o := reportOptions{review: newReviewOptions()}
	cmd := &cobra.Command{
		Use:     "report [flags] RESULT...",
		Example: "  otisk report --format html -o reports/ thesis.txt.out.json\n  otisk report --decisions thesis.decisions.json --format text thesis.txt.out.json\n  otisk report --compare first/thesis.out.json -o revised.html second/thesis.out.json",
		Args:    atLeastOne(placeholder("RESULT")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runReport(cmd, o, args, g.quiet) },
	}
	f := cmd.Flags()
	o.target.flags(f, "html into a folder on a terminal; else text")
	f.StringVar(&o.decisions, "decisions", "", "`file` of decisions saved in the page of a report, or a folder of such files")
	f.StringVar(&o.compare, "compare", "", "`file` with the JSON report of an earlier check of the text, to compare with")
	o.review.flags(f)
	o.review.amongFlag(f)
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
	given, err := readAllDecisions(o.decisions)
	if err == nil {
		err = given.match(paths)
	}
	if err != nil {
		return err
	}
	if err := spareAll(&o.target, &o.review, slices.Concat(paths, lists.Map(given.list, func(file decisionFile) string { return file.path }), []string{o.compare})); err != nil {
		return err
	}
	if err := o.spareResults(paths, given); err != nil {
		return err
	}
	out, err := newOutput(cmd, o.target, len(paths), &o.review)
	if err != nil {
		return err
	}
	out.strict = true
	if err := out.expect(len(paths)); err != nil {
		return err
	}
	for _, path := range paths {
		if err := o.one(cmd, out, path, given.of[path]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if left := len(paths) - len(given.of); len(given.list) > 0 && left > 0 {
		warn(cmd, lang.NewMessage("error.no-decisions", "n", left, "all", len(paths)))
	}
	err = out.finish(nil, nil, quiet)
	if errors.Is(err, check.ErrOverview) {
		warn(cmd, err)
		return nil
	}
	return err
}

// readEarlier reads the result that the report is compared with, if there is one.
func (o *reportOptions) readEarlier(paths []string) error {
	switch {
	case o.compare == "":
		return nil
	case !slices.Contains(o.target.formats, "html"):
		return misuse("usage.compare-html")
	case len(paths) > 1:
		return misuse("usage.compare-one", "n", len(paths))
	}
	before, err := check.ReadResult(o.compare)
	if err != nil {
		return fmt.Errorf("%s: %w", o.compare, err)
	}
	if p := o.review.pseudonyms(); p != nil {
		before = report.Anonymous(before, *p)
	}
	o.target.before = before
	return nil
}

func (o *reportOptions) one(cmd *cobra.Command, out *output, path string, files []decisionFile) error {
	r, err := check.ReadResult(path)
	if err != nil {
		return err
	}
	if (slices.Contains(o.target.formats, "html") || slices.Contains(o.target.formats, report.PDF)) && r.Suspect.Text == "" {
		return lang.NewMessage("error.result-without-texts")
	}
	if len(files) > 0 {
		decisions, differ := merge(files)
		if err := report.Decide(r, decisions); err != nil {
			return err
		}
		for _, d := range differ {
			warnAbout(cmd.ErrOrStderr(), path, lang.NewMessage("error.reviewers-differ", "what", d))
			r.Note(phrase.Error("error.reviewers-differ", "reviewers differ: {what}", "what", d))
		}
	}
	return out.write(resultName(path, len(files) > 0), r)
}

func resultName(path string, reviewed bool) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name = strings.TrimSuffix(name, ".out")
	if reviewed {
		name = check.ReviewedName(name)
	}
	return name
}

// spareResults returns an error if a report would overwrite one of the results that are read,
// since an HTML report may be the only copy of its result. If there are decisions on other
// results, a result without decisions may be overwritten, because its content does not change.
func (o *reportOptions) spareResults(paths []string, given *decisionFiles) error {
	if o.target.out == "" || o.target.isFile() || o.review.pseudonyms() != nil {
		return nil
	}
	for _, path := range paths {
		decided := given.of[path] != nil
		if !decided && len(given.list) > 0 {
			continue
		}
		name := resultName(path, decided)
		for _, format := range o.target.formats {
			file := filepath.Join(o.target.out, check.ReportName(name, format))
			if _, err := os.Stat(file); err != nil {
				continue
			}
			if err := spare("-o "+o.target.out+":", file, paths); err != nil {
				return err
			}
		}
	}
	return nil
}

func merge(files []decisionFile) (*report.Decisions, []*phrase.Phrase) {
	var all []*report.Decisions
	var names []string
	for _, f := range files {
		all, names = append(all, f.Decisions), append(names, filepath.Base(f.path))
	}
	return report.Merge(all, names)
}

type decisionFiles struct {
	list []decisionFile
	of   map[string][]decisionFile // by the path of the result
}

type decisionFile struct {
	path string
	*report.Decisions
}

// readAllDecisions reads a file of decisions, or all such files in a folder. It reads nothing
// if path is empty.
func readAllDecisions(path string) (*decisionFiles, error) {
	all := &decisionFiles{of: map[string][]decisionFile{}}
	if path == "" {
		return all, nil
	}
	files := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.decisions.json")); err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, misuse("usage.no-decisions", "folder", path)
		}
	}
	for _, file := range files {
		d, err := readDecisions(file)
		if err != nil {
			return nil, err
		}
		all.list = append(all.list, decisionFile{file, d})
	}
	return all, nil
}

// match assigns each file of decisions to the result that it was made on, among the results at
// paths. It returns an error if there is no such result.
func (d *decisionFiles) match(paths []string) error {
	if len(d.list) == 0 {
		return nil
	}
	used := map[string]bool{}
	for _, path := range paths {
		r, err := check.ReadResult(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, file := range d.list {
			if !file.Fits(r) {
				continue
			}
			used[file.path] = true
			d.of[path] = append(d.of[path], file)
		}
	}
	for _, file := range d.list {
		if !used[file.path] {
			s := file.Suspect
			return lang.NewMessage("error.other-decisions", "file", file.path, "name", s.Path, "n", s.Words)
		}
	}
	return nil
}
