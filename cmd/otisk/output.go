package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// overviewName is the page about all reports of a folder.
const overviewName = "index.html"

// An output is where the reports of a command line go: the standard output, or
// a folder that gets one file a report and format.
type output struct {
	cmd     *cobra.Command
	formats []string
	dir     string // "" for the standard output
	several bool   // there is an overview
	among   bool   // the texts were checked against each other
	review  *reviewOptions

	mu        sync.Mutex
	summaries map[string]report.Summary // by name of the report
	names     map[string]string         // of the reports, by name of the suspect
	example   *search.Result            // for what all of them have in common
	over      []string                  // texts over the limit
}

func newOutput(cmd *cobra.Command, formats []string, dir string, count int, review *reviewOptions) (*output, error) {
	o := &output{cmd: cmd, formats: formats, dir: dir, review: review, summaries: map[string]report.Summary{}, names: map[string]string{}}
	o.several = count > 1 && dir != "" && slices.Contains(formats, "html")
	if dir == "" && (count > 1 || len(formats) > 1) {
		return nil, usagef("%d files and %d formats need a folder for the reports: -o FOLDER", count, len(formats))
	}
	if dir == "" {
		return o, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder for the reports: %w", err)
	}
	return o, nil
}

// write writes the reports on one result. name is what its files are called.
func (o *output) write(name string, r *search.Result) error {
	o.review.apply(r)
	path, score, suspect := r.Suspect.Path, finalScore(r), name
	if o.review.anonymous {
		r = report.Anonymous(r)
		name = r.Suspect.Path
	}
	o.note(suspect, name, path, score, r)
	if o.dir == "" {
		color := isTerminal(o.cmd.OutOrStdout()) && os.Getenv("NO_COLOR") == ""
		return report.Write(o.cmd.OutOrStdout(), o.formats[0], r, report.Options{Color: color})
	}
	opts := report.Options{}
	if o.several {
		opts.Overview = overviewName
	}
	for _, format := range o.formats {
		file := filepath.Join(o.dir, reportName(name, format))
		var b bytes.Buffer
		if err := report.Write(&b, format, r, opts); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
		if err := writeFile(file, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func reportName(name, format string) string { return name + ".out" + report.Extension(format) }

// note keeps what the overview and the exit status need.
func (o *output) note(suspect, name, path string, score float64, r *search.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.review.failOver >= 0 && score > o.review.failOver {
		o.over = append(o.over, path)
	}
	o.names[suspect] = name
	if o.several {
		o.summaries[name] = report.Summarize(r, reportName(name, "html"))
	}
	if o.example == nil {
		o.example = &search.Result{Version: r.Version, Index: r.Index, Settings: r.Settings}
	}
}

// finish writes the overview, opens what is to be opened, and returns the error
// for scores over the limit.
func (o *output) finish(unread []search.Unread, pairs []namedPair) error {
	if o.several && o.example != nil {
		if err := o.overview(unread, pairs); err != nil {
			return err
		}
	}
	if o.review.open && o.example != nil {
		if err := openBrowser(o.firstPage()); err != nil {
			return err
		}
	}
	return o.review.over(o.over)
}

// A namedPair is two suspects, by name, that share text.
type namedPair struct {
	a, b string
	report.Pair
}

func (o *output) overview(unread []search.Unread, pairs []namedPair) error {
	v := &report.Overview{Version: o.example.Version, Index: o.example.Index, Settings: o.example.Settings, Unread: unread, Among: o.among}
	place := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(o.summaries)) {
		place[name] = len(v.Suspects)
		v.Suspects = append(v.Suspects, o.summaries[name])
	}
	for _, p := range pairs {
		var okA, okB bool
		p.A, okA = place[o.names[p.a]]
		p.B, okB = place[o.names[p.b]]
		if okA && okB {
			v.Pairs = append(v.Pairs, p.Pair)
		}
	}
	var b bytes.Buffer
	if err := report.WriteOverview(&b, v); err != nil {
		return fmt.Errorf("write the overview: %w", err)
	}
	return writeFile(filepath.Join(o.dir, overviewName), b.Bytes())
}

// firstPage is the page to open: the overview, or the only report.
func (o *output) firstPage() string {
	if o.several {
		return filepath.Join(o.dir, overviewName)
	}
	files, err := filepath.Glob(filepath.Join(o.dir, "*.out.html"))
	if err != nil || len(files) == 0 {
		return o.dir
	}
	return files[0]
}

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".otisk-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = temp.Write(data)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
