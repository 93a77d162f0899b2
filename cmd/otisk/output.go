package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// A target is where reports go, and in which formats, as it was typed.
type target struct {
	formats []string // of --format
	out     string   // of -o: a folder, or a file whose ending names the format

	before *search.Result // an earlier result to compare with, nil for none
}

// isFile reports whether the target is a file: its name has the ending of a
// format, and no folder is there.
func (t *target) isFile() bool {
	if t.out == "" || os.IsPathSeparator(t.out[len(t.out)-1]) || formatOf(t.out) == "" {
		return false
	}
	info, err := os.Stat(t.out)
	return err != nil || !info.IsDir()
}

// formatOf returns the format that the ending of a file names, "" for none.
func formatOf(path string) string {
	for _, format := range report.Formats() {
		if strings.EqualFold(filepath.Ext(path), report.Extension(format)) {
			return format
		}
	}
	return ""
}

// resolve checks what was typed and picks the format that was not: otherwise
// is that for a program.
func (t *target) resolve(stdout io.Writer, otherwise string) error {
	for _, format := range t.formats {
		if err := report.Check(format); err != nil {
			return usageError{err}
		}
	}
	file := t.isFile()
	switch {
	case file && len(t.formats) == 0:
		t.formats = []string{formatOf(t.out)}
	case file && !slices.Equal(t.formats, []string{formatOf(t.out)}):
		return usagef("-o %s is a file in %s, --format says %s; a folder of that name ends in /", t.out, formatOf(t.out), strings.Join(t.formats, ","))
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

// An output is where the reports of a command line go: the standard output, a
// file, or a folder.
type output struct {
	stdout io.Writer
	target target
	file   bool
	folder *check.Folder // nil for the others
	review *reviewOptions
	look   report.Options

	mu      sync.Mutex
	written int
	highest float64
	over    []string // texts over the limit
}

// newOutput makes the output for so many files.
func newOutput(cmd *cobra.Command, t target, count int, review *reviewOptions) (*output, error) {
	language, err := languageOf(cmd)
	if err != nil {
		return nil, err
	}
	look := report.Options{Lang: language, Places: review.places, Before: t.before}
	o := &output{stdout: cmd.OutOrStdout(), target: t, file: t.isFile(), review: review, look: look}
	switch {
	case t.out == "" && count > 1:
		return nil, usagef("%d files need a folder for the reports: -o FOLDER", count)
	case t.out == "" && len(t.formats) > 1:
		return nil, usagef("%d formats need a folder for the reports: -o FOLDER", len(t.formats))
	case o.file && count > 1:
		return nil, usagef("%d files need a folder for the reports: -o FOLDER, and %s is a file", count, t.out)
	}
	if o.file || t.out == "" {
		return o, nil
	}
	o.folder, err = check.NewFolder(t.out, t.formats, look)
	return o, err
}

// expect says how many texts there are, those that cannot be used included.
func (o *output) expect(texts int) {
	if o.folder != nil {
		o.folder.Expect(texts)
	}
}

// write writes the reports on one result. name is what its files are called.
func (o *output) write(name string, r *search.Result) error {
	o.review.apply(r)
	if err := o.send(name, r); err != nil {
		return err
	}
	o.note(r)
	return nil
}

func (o *output) send(name string, r *search.Result) error {
	p := o.review.pseudonyms()
	switch {
	case o.folder != nil:
		return o.folder.Write(name, r, p)
	case o.file:
		return check.WriteFile(o.target.out, o.target.formats[0], r, p, o.look)
	case p != nil:
		r = report.Anonymous(r, *p)
	}
	look := o.look
	look.Color = isTerminal(o.stdout) && os.Getenv("NO_COLOR") == ""
	return report.Write(o.stdout, o.target.formats[0], r, look)
}

// note keeps what the exit status and the last line need.
func (o *output) note(r *search.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	score := finalScore(r)
	o.written++
	o.highest = max(o.highest, score)
	if o.review.failOver >= 0 && score > o.review.failOver {
		o.over = append(o.over, r.Suspect.Path)
	}
}

// finish writes the page about all reports, says what was written, opens what is
// to be opened, and returns the error for scores over the limit. unchecked is
// how many texts have no report, because the check ended before its time.
func (o *output) finish(unread []search.Unread, unchecked int, quiet bool) error {
	if p := o.review.pseudonyms(); p != nil {
		unread = p.Unread(unread)
	}
	if o.folder != nil {
		if err := o.folder.Finish(unread, unchecked); err != nil {
			return err
		}
	}
	first := o.first()
	if first == "" {
		return o.review.over(o.over)
	}
	if !quiet {
		fmt.Fprintln(o.stdout, o.wrote(first))
	}
	if o.review.open && unchecked == 0 {
		if err := openBrowser(first); err != nil {
			return err
		}
	}
	return o.review.over(o.over)
}

// first returns the file to look at first, "" for none.
func (o *output) first() string {
	switch {
	case o.written == 0:
		return ""
	case o.folder != nil:
		return o.folder.First()
	case o.file:
		return o.target.out
	}
	return ""
}

// wrote says what was written.
func (o *output) wrote(file string) string {
	p := o.look.Lang
	if o.written == 1 {
		return p.Text("terminal.wrote", "file", printable(file), "percent", p.Percent(o.highest))
	}
	return p.Text("terminal.wrote-many", "file", printable(file), "n", o.written, "percent", p.Percent(o.highest))
}
