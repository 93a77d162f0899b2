package main

import (
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// An output is where the reports of a command line go: the standard output, or
// a folder.
type output struct {
	stdout  io.Writer
	formats []string
	folder  *check.Folder // nil for the standard output
	review  *reviewOptions
	look    report.Options

	mu   sync.Mutex
	over []string // texts over the limit
}

func newOutput(cmd *cobra.Command, formats []string, dir string, count int, review *reviewOptions) (*output, error) {
	language, err := languageOf(cmd)
	if err != nil {
		return nil, err
	}
	look := report.Options{Lang: language, Places: review.places}
	o := &output{stdout: cmd.OutOrStdout(), formats: formats, review: review, look: look}
	if dir == "" && (count > 1 || len(formats) > 1) {
		return nil, usagef("%d files and %d formats need a folder for the reports: -o FOLDER", count, len(formats))
	}
	if dir == "" {
		return o, nil
	}
	o.folder, err = check.NewFolder(dir, formats, count > 1, look)
	return o, err
}

// write writes the reports on one result. name is what its files are called.
func (o *output) write(name string, r *search.Result) error {
	o.review.apply(r)
	o.note(r)
	if o.folder != nil {
		return o.folder.Write(name, r, o.review.anonymous)
	}
	if o.review.anonymous {
		r = report.Anonymous(r)
	}
	look := o.look
	look.Color = isTerminal(o.stdout) && os.Getenv("NO_COLOR") == ""
	return report.Write(o.stdout, o.formats[0], r, look)
}

// note keeps what the exit status needs.
func (o *output) note(r *search.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.review.failOver >= 0 && finalScore(r) > o.review.failOver {
		o.over = append(o.over, r.Suspect.Path)
	}
}

// finish writes the overview, opens what is to be opened, and returns the error
// for scores over the limit.
func (o *output) finish(unread []search.Unread) error {
	if o.folder == nil {
		return o.review.over(o.over)
	}
	if err := o.folder.Finish(unread); err != nil {
		return err
	}
	if page := o.folder.FirstPage(); o.review.open && page != "" {
		if err := openBrowser(page); err != nil {
			return err
		}
	}
	return o.review.over(o.over)
}
