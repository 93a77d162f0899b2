package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/paper"
	"github.com/otisk/otisk/search"
)

// A target is the destination of reports and their formats, as given by flags.
type target struct {
	formats []string // values of --format
	out     string   // value of -o: a folder, or a file whose extension names the format

	before *report.Report // an earlier result to compare with, nil for none
}

// isFile reports whether the target is a file: its name has the extension of a format, and it is
// not an existing folder.
func (t *target) isFile() bool {
	if t.out == "" || os.IsPathSeparator(t.out[len(t.out)-1]) || report.FormatOf(t.out) == "" {
		return false
	}
	info, err := os.Stat(t.out)
	return err != nil || !info.IsDir()
}

// otherFormats are extensions that reports do not have and folders are unlikely to have.
var otherFormats = []string{".doc", ".docx", ".odt", ".rtf", ".md", ".csv", ".tsv", ".jsonl", ".xls", ".xlsx"}

// isOtherFile reports whether the target has an extension in otherFormats and is not an existing
// folder.
func (t *target) isOtherFile() bool {
	info, err := os.Stat(t.out)
	return (err != nil || !info.IsDir()) && slices.Contains(otherFormats, strings.ToLower(filepath.Ext(t.out)))
}

func (t *target) flags(f *pflag.FlagSet, defaults string) {
	f.StringSliceVar(&t.formats, "format", nil, "`formats` of the report: "+strings.Join(report.Formats(), ", ")+" (default: by the extension of -o; "+defaults+")")
	f.StringVarP(&t.out, "output", "o", "", "`folder` for the reports, or a file such as report.html for one report")
}

func (t *target) accepts(count int) error {
	switch {
	case t.out == "" && count > 1:
		return misuse("usage.files-folder", "n", count)
	case t.out == "" && len(t.formats) > 1:
		return misuse("usage.formats-folder", "n", len(t.formats))
	case t.isFile() && count > 1:
		return misuse("usage.files-file", "n", count, "file", t.out)
	}
	return nil
}

// resolve validates the target and chooses the format if none was given: that of the file, else
// html or text on a terminal, else otherwise.
func (t *target) resolve(stdout io.Writer, otherwise string) error {
	for _, format := range t.formats {
		if err := report.Check(format); err != nil {
			return session.UsageError{Err: err}
		}
	}
	if err := spareIndex("-o", t.out); err != nil {
		return err
	}
	file := t.isFile()
	switch {
	case t.isOtherFile():
		return misuse("usage.output-ending", "file", t.out, "formats", strings.Join(report.Formats(), ", "))
	case file && len(t.formats) == 0:
		t.formats = []string{report.FormatOf(t.out)}
	case file && !slices.Equal(t.formats, []string{report.FormatOf(t.out)}):
		return misuse("usage.output-format", "file", t.out, "format", report.FormatOf(t.out), "formats", strings.Join(t.formats, ","))
	case len(t.formats) > 0:
	case t.out != "" && isTerminal(stdout):
		t.formats = []string{"html"}
	case isTerminal(stdout):
		t.formats = []string{"text"}
	default:
		t.formats = []string{otherwise}
	}
	return nil
}

type output struct {
	stdout io.Writer
	stderr io.Writer
	target target
	file   bool
	folder *check.Folder // nil for the standard output and a file
	review *reviewOptions
	look   report.Options
	ctx    context.Context
	memory int64 // memory limit of the PDF engine in bytes, 0 for its default
	strict bool  // if pictures of --pages are missing, return an error instead of a warning

	mu      sync.Mutex
	done    map[string]bool // paths of texts with finished reports
	starts  map[string]bool // values of --exclude-source that matched a source
	rows    []report.Row    // rows of the summary, one per report
	highest search.Score
	verdict verdict
	partly  []partial
}

func newOutput(cmd *cobra.Command, t target, count int, review *reviewOptions) (*output, error) {
	language, err := languageOf(cmd)
	if err != nil {
		return nil, err
	}
	if err := t.accepts(count); err != nil {
		return nil, err
	}
	look := report.Options{Lang: language, Places: review.places, Before: t.before, Verdict: review.verdictOn, Print: paper.Printer(cmd.Context())}
	if slices.Contains(t.formats, report.PDF) && look.Print == nil {
		return nil, report.ErrNoPrinter
	}
	o := &output{stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), target: t, file: t.isFile(), review: review, look: look, ctx: cmd.Context(), done: map[string]bool{}, starts: map[string]bool{}}
	if o.file || t.out == "" {
		return o, nil
	}
	o.folder, err = check.NewFolder(t.out, t.formats, look)
	return o, err
}

// expect sets the number of texts, including those that could not be read.
func (o *output) expect(texts int) error {
	if o.folder == nil {
		return nil
	}
	if err := o.folder.Expect(texts); err != nil {
		return session.UsageError{Err: err}
	}
	return nil
}

func (o *output) write(name string, r *report.Report) error {
	o.review.apply(r)
	o.noteStarts(r)
	path := r.Suspect.Path
	if err := o.drawPages(o.ctx, r); err != nil && (o.strict || o.ctx.Err() != nil) {
		return err
	} else if err != nil {
		warnAbout(o.stderr, path, err)
	}
	if p := o.review.pseudonyms(); p != nil {
		r = report.Anonymous(r, *p)
		name = r.Suspect.Path
	}
	file, err := o.send(name, r)
	if err == nil {
		o.note(path, file, r)
	}
	return err
}

// send writes a result and returns the path of its main report, "" for the standard output.
func (o *output) send(name string, r *report.Report) (file string, err error) {
	switch {
	case o.folder != nil:
		return o.folder.Write(name, r)
	case o.file:
		return o.target.out, check.WriteFile(o.target.out, o.target.formats[0], r, o.look)
	}
	look := o.look
	look.Color = isColored(o.stdout)
	return "", report.Write(o.stdout, o.target.formats[0], r, look)
}

// noteStarts records the values of --exclude-source that match a source of r.
func (o *output) noteStarts(r *report.Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, start := range o.review.starts {
		if !o.starts[start.typed] && slices.ContainsFunc(r.Sources, func(src search.Source) bool { return start.begins(&src) }) {
			o.starts[start.typed] = true
		}
	}
}

// warnStarts warns about values of --exclude-source that match no source, which are probably
// misspelt.
func (o *output) warnStarts() {
	for _, start := range o.review.sources {
		if len(o.rows) > 0 && !o.starts[start] {
			warnTo(o.stderr, lang.NewMessage("error.no-such-start", "typed", start))
		}
	}
}

// note records the result for the exit status, the last line and the summary. path is the path
// of the suspect, which an anonymous r does not have.
func (o *output) note(path, file string, r *report.Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done[path] = true
	o.rows = append(o.rows, report.RowOf(r, file))
	if s := r.Final(); len(o.rows) == 1 || s.Percent > o.highest.Percent {
		o.highest = s
	}
	o.verdict.add(o.review, path, r)
	p := printerOf(o.stderr)
	for _, u := range r.Unsearched {
		o.partly = append(o.partly, partial{u.Kind, path, report.OmissionOf(p, r.Index, &u), max(int64(u.Words), u.Count)})
	}
	if out, reason := o.review.leftOutMuch(r); reason != nil {
		o.partly = append(o.partly, partial{"exclusions", path, p.Err(reason), int64(out)})
	}
}

// finish writes the overview and the summary, prints the paths of the written files, opens the
// report if --open is set, and returns the error for scores over the limit. unchecked are the texts
// without a report, if the check ended early.
func (o *output) finish(unread []search.Unread, unchecked []string, quiet bool) error {
	if p := o.review.pseudonyms(); p != nil {
		unread, unchecked = p.Unread(unread), make([]string, len(unchecked))
	}
	if o.folder != nil {
		if err := o.folder.Finish(unread, len(unchecked)); err != nil {
			return err
		}
	}
	if err := o.writeSummary(unread, unchecked); err != nil {
		return err
	}
	o.warnPartly()
	o.warnStarts()
	first := o.first()
	if first == "" {
		return o.verdict.err(o.review)
	}
	if !quiet {
		fmt.Fprintln(o.stdout, o.wrote(first))
	}
	if o.review.open && len(unchecked) == 0 {
		if err := openBrowser(first); err != nil {
			return err
		}
	}
	return o.verdict.err(o.review)
}

func (o *output) writeSummary(unread []search.Unread, unchecked []string) error {
	if o.review.summaryFile == "" {
		return nil
	}
	rows := slices.Clone(o.rows)
	for _, u := range unread {
		rows = append(rows, report.Row{Path: u.Path, Status: report.RowUnread, Reason: u.Reason})
	}
	for _, path := range unchecked {
		rows = append(rows, report.Row{Path: path, Status: report.RowUnchecked})
	}
	slices.SortFunc(rows, func(a, b report.Row) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Report, b.Report)) })
	return check.WriteRows(o.review.summaryFile, rows)
}

// A partial is a text that was not searched completely, or of which much is excluded.
type partial struct {
	kind   string // of the omission
	path   string
	reason string // in the language of the messages
	size   int64  // of the omission, by which those of a kind are compared
}

// mostNames is the most texts that a warning names.
const mostNames = 5

// warnPartly warns about texts that were not searched completely, unless the report was printed
// on the terminal. Each kind of omission has one line, with the reason of the text that it concerns
// most, and the first of the other texts.
func (o *output) warnPartly() {
	if o.folder == nil && !o.file && isTerminal(o.stdout) {
		return
	}
	kinds := map[string][]partial{}
	for _, x := range o.partly {
		kinds[x.kind] = append(kinds[x.kind], x)
	}
	p := printerOf(o.stderr)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		list := kinds[kind]
		slices.SortFunc(list, func(a, b partial) int {
			return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.path, b.path))
		})
		names := lists.Map(list[:min(len(list), mostNames)], func(x partial) string { return x.path })
		if len(list) > mostNames {
			names = append(names, "…")
		}
		one, text := list[0], ""
		same := !slices.ContainsFunc(list, func(x partial) bool { return x.reason != one.reason })
		switch {
		case len(list) == 1:
			text = one.path + ": " + one.reason
		case !same:
			text = one.path + ": " + one.reason + "; " + p.Text("terminal.likewise", "n", len(list)-1, "names", strings.Join(names[1:], ", "))
		case len(list) == len(o.rows):
			text = p.Text("terminal.all-texts") + ": " + one.reason
		default:
			text = p.Text("terminal.texts", "n", len(list)) + ": " + one.reason + ": " + strings.Join(names, ", ")
		}
		printLine(o.stderr, p.Text("terminal.warning"), text)
	}
}

func (o *output) missing(texts []check.Text) (paths []string) {
	for _, t := range texts {
		if !o.done[t.Path] {
			paths = append(paths, t.Path)
		}
	}
	return paths
}

// first returns the path of the report or overview to open first, "" if there is none.
func (o *output) first() string {
	switch {
	case len(o.rows) == 0:
		return ""
	case o.folder != nil:
		return o.folder.First()
	case o.file:
		return o.target.out
	}
	return ""
}

// wrote returns the last line of the command: the file and the highest score.
func (o *output) wrote(file string) string {
	p := o.look.Lang
	if len(o.rows) == 1 {
		return p.Text("terminal.wrote", "file", printable(file), "percent", report.PercentOf(p, o.highest))
	}
	if !slices.Contains(o.target.formats, "html") {
		file = o.target.out // there is no overview
	}
	return p.Text("terminal.wrote-many", "file", printable(file), "n", len(o.rows), "percent", report.PercentOf(p, o.highest))
}
