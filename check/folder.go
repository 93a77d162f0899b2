package check

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

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
	summaries map[string]report.Summary // by name of the report
	ids       map[string]string         // names of the reports, by id of the text
	shares    []share                   // that one text has in another
	example   *search.Result            // for what all of them have in common
}

// NewFolder makes the folder where it is not there. The page about all reports
// is written where there are several, in HTML. look says how the reports look.
func NewFolder(dir string, formats []string, several bool, look report.Options) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder for the reports: %w", err)
	}
	return &Folder{
		dir: dir, formats: formats, several: several && slices.Contains(formats, "html"), look: look,
		summaries: map[string]report.Summary{}, ids: map[string]string{},
	}, nil
}

// Write writes the reports on one text, by the name that its files get. A
// report that is anonymous is called by the id that stands for the text.
func (f *Folder) Write(name string, r *search.Result, anonymous bool) error {
	file := name
	if anonymous {
		r = report.Anonymous(r)
		file = r.Suspect.Path
	}
	f.note(file, r)
	opts := f.look
	if f.several {
		opts.Overview = overviewName
	}
	for _, format := range f.formats {
		path := filepath.Join(f.dir, reportName(file, format))
		var b bytes.Buffer
		if err := report.Write(&b, format, r, opts); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		if err := writeFile(path, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func reportName(name, format string) string { return name + ".out" + report.Extension(format) }

// note keeps what the page about all needs.
func (f *Folder) note(file string, r *search.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.several {
		f.summaries[file] = report.Summarize(r, reportName(file, "html"))
		f.noteShares(file, r)
	}
	if f.example == nil {
		f.example = &search.Result{Version: r.Version, Index: r.Index, Settings: r.Settings}
	}
}

// Finish writes the page about all reports, if there are several.
func (f *Folder) Finish(unread []search.Unread) error {
	if !f.several || f.example == nil {
		return nil
	}
	v := &report.Overview{Version: f.example.Version, Index: f.example.Index, Settings: f.example.Settings, Unread: unread}
	place := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(f.summaries)) {
		place[name] = len(v.Suspects)
		v.Suspects = append(v.Suspects, f.summaries[name])
	}
	v.Among, v.Pairs = len(f.ids) > 0, f.pairs(place)
	var b bytes.Buffer
	if err := report.WriteOverview(&b, v); err != nil {
		return fmt.Errorf("write the overview: %w", err)
	}
	return writeFile(filepath.Join(f.dir, overviewName), b.Bytes())
}

// FirstPage returns the page to open: the one about all reports, or the only
// report; "" where nothing was written.
func (f *Folder) FirstPage() string {
	if f.example == nil {
		return ""
	}
	if f.several {
		return filepath.Join(f.dir, overviewName)
	}
	files, err := filepath.Glob(filepath.Join(f.dir, "*.out.html"))
	if err != nil || len(files) == 0 {
		return f.dir
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
