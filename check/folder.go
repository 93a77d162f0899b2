package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// overviewName is the page about all reports of a folder.
const overviewName = "index.html"

// A Folder takes the reports on many texts: a file for each text and format,
// NAME.out.xml and so on, and a page about all of them.
type Folder struct {
	dir     string
	formats []string
	several bool // there is a page about all
	look    report.Options

	mu        sync.Mutex
	names     names
	file      string                    // the last report written, in HTML where there is that
	summaries map[string]report.Summary // by name of the report
	ids       map[string]string         // names of the reports, by id of the text
	shares    []share                   // that one text has in another
	example   *search.Result            // for what all of them have in common
}

// NewFolder makes the folder where it is not there. look says how the reports
// look.
func NewFolder(dir string, formats []string, look report.Options) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder for the reports, %s: %w", dir, oserror.Cause(err))
	}
	return &Folder{
		dir: dir, formats: formats, look: look,
		summaries: map[string]report.Summary{}, ids: map[string]string{},
	}, nil
}

// Expect says how many texts there are, those that cannot be read included.
// With several, and reports in HTML, there is a page about all of them; it takes
// the place of no other page.
func (f *Folder) Expect(texts int) error {
	f.several = texts > 1 && slices.Contains(f.formats, "html")
	if page := filepath.Join(f.dir, overviewName); f.several && !replaceable(page) {
		return fmt.Errorf("%s is no page about reports, and would be lost: the reports need another folder", page)
	}
	return nil
}

// replaceable reports whether the page about all reports may be written to a file: it
// is not there, or was written so before.
func replaceable(page string) bool {
	data, err := os.ReadFile(page)
	return err != nil || len(data) == 0 || report.IsOverview(data)
}

// Write writes the reports on one text, and returns the one to look at first: in
// HTML where there is that. Its files are called name, or nearly so: never like
// those of another text that was written before.
func (f *Folder) Write(name string, r *report.Report) (first string, err error) {
	f.mu.Lock()
	name = f.names.distinct(name)
	f.mu.Unlock()
	opts := f.look
	if f.several {
		opts.Overview = overviewName
	}
	for _, format := range f.formats {
		if err := WriteFile(filepath.Join(f.dir, ReportName(name, format)), format, r, opts); err != nil {
			return "", err
		}
	}
	return f.note(name, r), nil
}

// WriteFile writes the report on one text into a file of its own.
func WriteFile(path, format string, r *report.Report, look report.Options) error {
	return writeWhole(path, func(w io.Writer) error { return report.Write(w, format, r, look) })
}

// WriteRows writes a list of the texts of a run into a file whose ending names
// the format.
func WriteRows(path string, rows []report.Row) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	return writeWhole(path, func(w io.Writer) error { return report.WriteRows(w, format, rows) })
}

// ReportName returns what the report on the text of that name is called in a folder.
func ReportName(name, format string) string { return name + ".out" + report.Extension(format) }

// note keeps what the page about all needs, and returns the report to look at
// first.
func (f *Folder) note(name string, r *report.Report) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file = filepath.Join(f.dir, ReportName(name, f.formats[0])); slices.Contains(f.formats, "html") {
		f.file = filepath.Join(f.dir, ReportName(name, "html"))
	}
	if f.several {
		f.summaries[name] = report.Summarize(r, ReportName(name, "html"))
		f.noteShares(name, r)
	}
	if f.example == nil {
		f.example = &search.Result{Version: r.Version, Checked: r.Checked, Index: r.Index, Settings: r.Settings}
	}
	return f.file
}

// Finish writes the page about all reports, if there are several. unchecked is
// how many texts have none, because the check ended before its time.
func (f *Folder) Finish(unread []search.Unread, unchecked int) error {
	if f.example == nil {
		return nil
	}
	if !f.several {
		return f.again()
	}
	return f.overview(unread, unchecked)
}

// ErrOverview says that the page about all reports of the folder is not what the
// reports are now.
var ErrOverview = errors.New("the page about all reports could not be brought up to date")

// reviewed is what the name of a reviewed report ends in.
const reviewed = ".reviewed"

// ReviewedName returns what a reviewed report is called: it is beside the
// original, never in its place.
func ReviewedName(name string) string { return strings.TrimSuffix(name, reviewed) + reviewed }

// again writes the page about all reports anew, where the folder has one and one
// of its reports has come or changed. It is made of the reports in the folder,
// the reviewed one of a text before the original.
func (f *Folder) again() error {
	page := filepath.Join(f.dir, overviewName)
	if _, err := os.Stat(page); err != nil || !slices.Contains(f.formats, "html") || !replaceable(page) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(f.dir, "*.out.html"))
	if err != nil {
		return err
	}
	all := map[string]string{} // file by name of the report, without what says that it is reviewed
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".out.html")
		original := strings.TrimSuffix(name, reviewed)
		if all[original] == "" || name != original {
			all[original] = file
		}
	}
	f.summaries, f.ids, f.shares = map[string]report.Summary{}, map[string]string{}, nil
	var unread []search.Unread
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r, err := ReadResult(all[name])
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrOverview, all[name], err)
		}
		f.summaries[name] = report.Summarize(r, filepath.Base(all[name]))
		f.noteShares(name, r)
		unread = r.Unread
	}
	return f.overview(unread, 0)
}

// ReadResult reads a result from a report in HTML, if it starts as a page does,
// or else in JSON. Errors do not name the file.
func ReadResult(path string) (*report.Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder: name the reports in it, in JSON or HTML")
	}
	in := bufio.NewReader(file)
	start, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return nil, oserror.Cause(err)
	}
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("<")) {
		return report.ReadHTML(in)
	}
	return report.ReadJSON(in)
}

// overview writes the page about all reports.
func (f *Folder) overview(unread []search.Unread, unchecked int) error {
	v := &report.Overview{Lang: f.look.Lang, Checked: f.example.Checked, Version: f.example.Version, Index: f.example.Index, Settings: f.example.Settings, Unread: unread, Unchecked: unchecked}
	place := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(f.summaries)) {
		place[name] = len(v.Suspects)
		v.Suspects = append(v.Suspects, f.summaries[name])
	}
	v.Among, v.Pairs = len(f.ids) > 0, f.pairs(place)
	return writeWhole(filepath.Join(f.dir, overviewName), func(w io.Writer) error { return report.WriteOverview(w, v) })
}

// First returns the file to open: the page about all reports, or else the
// report that was written last, in HTML where there is that; "" where nothing
// was written.
func (f *Folder) First() string {
	if f.several && f.example != nil {
		return filepath.Join(f.dir, overviewName)
	}
	return f.file
}

// writeWhole writes a file whole or not at all.
func writeWhole(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeData(path, b.Bytes())
}

// writeData gives a file this content. A link stays, and what is there and is no
// file, such as a pipe or the standard output, is written to.
func writeData(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return named(path, os.WriteFile(path, data, 0o644))
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return named(path, replace.File(path, 0o644, false, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

// named says in an error which file could not be written.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", path, oserror.Cause(err))
}
