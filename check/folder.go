package check

import (
	"bufio"
	"bytes"
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
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

const overviewName = "index.html"

// A Folder stores the reports on many texts: a file for each text and format, NAME.out.xml and so
// on, and an overview.
type Folder struct {
	dir     string
	formats []string
	several bool // there is an overview
	look    report.Options

	mu        sync.Mutex
	names     names
	file      string                    // last report written, in HTML if that is a format
	summaries map[string]report.Summary // by name of the report
	sharing   map[string]report.Sharing // what texts share with each other, by the same
	example   *search.Result            // any result, for the properties that all have in common
}

// NewFolder creates the folder if it is missing. look has the options of the reports.
func NewFolder(dir string, formats []string, look report.Options) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, phrase.Error("cause.make-folder", "make the folder for the reports, {name}: {cause}", "name", dir, "cause", oserror.Cause(err))
	}
	return &Folder{
		dir: dir, formats: formats, look: look,
		summaries: map[string]report.Summary{}, sharing: map[string]report.Sharing{},
	}, nil
}

// Expect sets the number of texts, including those that cannot be read. For several texts and HTML
// reports, there is an overview. Expect returns an error if the overview would overwrite another
// file.
func (f *Folder) Expect(texts int) error {
	f.several = texts > 1 && slices.Contains(f.formats, "html")
	if page := filepath.Join(f.dir, overviewName); f.several && !replaceable(page) {
		return phrase.Error("cause.not-overview", "{name} is not an overview of reports, and would be overwritten: name another folder for the reports", "name", page)
	}
	return nil
}

// replaceable reports whether the overview may be written to a file: it is missing or an earlier
// overview.
func replaceable(page string) bool {
	data, err := os.ReadFile(page)
	return err != nil || len(data) == 0 || report.IsOverview(data)
}

// Write writes the reports on a text and returns the one to open first, in HTML if that is a
// format. The files are named name, with a suffix if another text has that name.
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

// WriteFile writes a report to a file.
func WriteFile(path, format string, r *report.Report, look report.Options) error {
	return writeWhole(path, func(w io.Writer) error { return report.Write(w, format, r, look) })
}

// WriteRows writes the list of texts of a run to a file, in the format of its extension.
func WriteRows(path string, rows []report.Row) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	return writeWhole(path, func(w io.Writer) error { return report.WriteRows(w, format, rows) })
}

// ReportName returns the file name of a report.
func ReportName(name, format string) string { return name + ".out" + report.Extension(format) }

// note records a report for the overview and returns the report to open first.
func (f *Folder) note(name string, r *report.Report) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file = filepath.Join(f.dir, ReportName(name, f.formats[0])); slices.Contains(f.formats, "html") {
		f.file = filepath.Join(f.dir, ReportName(name, "html"))
	}
	if f.several {
		f.summaries[name] = report.Summarize(r, ReportName(name, "html"))
		f.sharing[name] = report.SharingOf(r)
	}
	if f.example == nil {
		f.example = &search.Result{Version: r.Version, Checked: r.Checked, Index: r.Index, Settings: r.Settings}
	}
	return f.file
}

// Finish writes the overview if there are several texts. unchecked is the number of texts without a
// report because the check was interrupted.
func (f *Folder) Finish(unread []search.Unread, unchecked int) error {
	if f.example == nil {
		return nil
	}
	if !f.several {
		return f.again()
	}
	return f.overview(unread, unchecked)
}

// ErrOverview means that the overview of a folder is not up to date.
var ErrOverview error = phrase.Error("cause.overview-stale", "the page about all reports could not be brought up to date")

const reviewed = ".reviewed"

// ReviewedName returns the name of a reviewed report, which never overwrites the original.
func ReviewedName(name string) string { return strings.TrimSuffix(name, reviewed) + reviewed }

// again writes the overview of a folder that has one from the reports in it, after a report was
// added or changed. The reviewed report of a text takes precedence over the original.
func (f *Folder) again() error {
	page := filepath.Join(f.dir, overviewName)
	if _, err := os.Stat(page); err != nil || !slices.Contains(f.formats, "html") || !replaceable(page) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(f.dir, "*.out.html"))
	if err != nil {
		return err
	}
	all := map[string]string{} // file by name of the report without the suffix of a reviewed one
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".out.html")
		original := strings.TrimSuffix(name, reviewed)
		if all[original] == "" || name != original {
			all[original] = file
		}
	}
	f.summaries, f.sharing = map[string]report.Summary{}, map[string]report.Sharing{}
	var unread []search.Unread
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r, err := ReadResult(all[name])
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrOverview, all[name], err)
		}
		f.summaries[name] = report.Summarize(r, filepath.Base(all[name]))
		f.sharing[name] = report.SharingOf(r)
		unread = r.Unread
	}
	return f.overview(unread, 0)
}

// ReadResult reads a result from a report in HTML or JSON, which it detects. Errors do not name the
// file.
func ReadResult(path string) (*report.Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, phrase.Error("cause.report-folder", "it is a folder: name the reports in it, in JSON or HTML")
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

func (f *Folder) overview(unread []search.Unread, unchecked int) error {
	v := &report.Overview{Lang: f.look.Lang, Checked: f.example.Checked, Version: f.example.Version, Index: f.example.Index, Settings: f.example.Settings, Unread: unread, Unchecked: unchecked}
	var texts []report.Sharing
	for _, name := range slices.Sorted(maps.Keys(f.summaries)) {
		v.Suspects = append(v.Suspects, f.summaries[name])
		texts = append(texts, f.sharing[name])
		v.Among = v.Among || f.sharing[name].ID != ""
	}
	v.Pairs = report.PairsOf(texts)
	return writeWhole(filepath.Join(f.dir, overviewName), func(w io.Writer) error { return report.WriteOverview(w, v) })
}

// First returns the file to open: the overview, or else the report written last, in HTML if that
// is a format; "" if nothing was written.
func (f *Folder) First() string {
	if f.several && f.example != nil {
		return filepath.Join(f.dir, overviewName)
	}
	return f.file
}

func writeWhole(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", err)
	}
	return writeData(path, b.Bytes())
}

// writeData writes data to a file atomically. It follows links, and writes directly to anything that
// is not a regular file, such as a pipe or the standard output.
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

func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(err))
}
