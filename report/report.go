// Package report writes the result of a search: as XML and JSON for programs, as text for
// a terminal, as one HTML file or a PDF for people, and in two formats of systems that build
// software, JUnit and SARIF.
//
// Call [Write] with a [Report]: the result of a search and the decisions of readers. All
// formats depend on that alone, never on an index, so one report always has the same
// bytes, except in a PDF. [ReadJSON] and [ReadHTML] read a report back, so that any format can be written
// from it. [WriteDocuments], [WriteSizes] and [WriteInfo] write the lists that the
// commands docs, ngrams and info print.
//
// Readers may leave passages and sources out of the score. [ReadDecisions] and [Decide]
// put their decisions into a report as its review, which keeps the original figures beside
// those that remain. [Anonymous] removes names.
//
// Names and texts come from foreign files. Each format escapes them so that they are never
// more than text: see docs/REPORT.md.
package report

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
)

// Version is the version of the XML and JSON layouts, which the schemas describe. It
// rises when a program that reads the old layout would misread the new one.
const Version = 1

// Options control how a report is written. They do not change its content.
type Options struct {
	Color bool // text: colours and bold, by the escape sequences of terminals
	Width int  // text: columns, 80 for 0
	// Overview is the path of the overview page relative to the HTML report, "" for
	// none.
	Overview string
	// Home is the server that shows the HTML report; nil for a file.
	Home *Home
	// Before is an earlier result on the same text, with which an HTML report is
	// compared; nil for none.
	Before *Report
	// Lang is the language of text and HTML; nil for English. XML and JSON are always
	// in English.
	Lang   *lang.Printer
	Places bool // text: the bytes of each passage too
	// Verdict compares the score with the limit of a reader: over is an error if it is over the limit, unsure if it
	// could be, since not everything was searched. It is nil without a limit. JUnit and SARIF reports contain the result.
	Verdict func(r *Report) (over, unsure error)
	// Print prints an HTML page as PDF, as package report/paper does; nil if there is no PDF.
	Print func(w io.Writer, page []byte) error
}

// verdict returns the results of Verdict.
func (o *Options) verdict(r *Report) (over, unsure error) {
	if o.Verdict == nil {
		return nil, nil
	}
	return o.Verdict(r)
}

// A Home is a server that shows an HTML report. The page stores decisions there, not in the browser.
type Home struct {
	Decisions string `json:"decisions"`       // address to read and store decisions
	Number    int64  `json:"number"`          // of the decisions in the report, 0 for none
	By        string `json:"by"`              // name of the reader
	Fixed     bool   `json:"fixed,omitempty"` // the reader cannot store decisions
	Back      string `json:"-"`               // address of the page that links to the report

	// Judge is the address to which the page sends a verdict on the text, "" for none.
	Judge            string `json:"judge,omitempty"`
	Verdict, Comment string `json:"-"` // on the text

	// Remark is the address to which the page sends a comment on a place of the text, "" for none, and from which it
	// reads all again.
	Remark  string   `json:"remark,omitempty"`
	Remarks []Remark `json:"remarks,omitempty"`

	Previous, Next string `json:"-"` // addresses of the reports on the texts beside this one, "" for none
}

// printer returns the language to write in.
func (o *Options) printer() *lang.Printer {
	if o.Lang == nil {
		return english()
	}
	return o.Lang
}

// english returns the language of the formats that programs read.
func english() *lang.Printer { return lang.Of("en") }

// A format writes one result.
type format struct {
	name  string
	ext   string
	write func(w io.Writer, r *Report, o Options) error
}

var formats = []format{
	{"xml", ".xml", writeXML},
	{"json", ".json", writeJSON},
	{"text", ".txt", writeText},
	{"html", ".html", writeHTML},
	{"junit", ".junit.xml", writeJUnit},
	{"sarif", ".sarif", writeSARIF},
	{PDF, ".pdf", writePDF},
}

// PDF is the name of the format that needs [Options.Print].
const PDF = "pdf"

// Formats returns the names that [Write] knows.
func Formats() []string {
	return lists.Map(formats, func(f format) string { return f.name })
}

// FormatOf returns the format of a file by its name, "" if it has none. It is that with the longest extension.
func FormatOf(path string) (name string) {
	longest := 0
	for _, f := range formats {
		if n := len(path) - len(f.ext); n > 0 && len(f.ext) > longest && strings.EqualFold(path[n:], f.ext) {
			name, longest = f.name, len(f.ext)
		}
	}
	return name
}

// Extension returns the file name extension of a format, with its dot, or "" for an
// unknown format.
func Extension(format string) string {
	if f, err := find(format); err == nil {
		return f.ext
	}
	return ""
}

// Check returns an error that names the known formats if format is not one of them.
func Check(format string) error {
	_, err := find(format)
	return err
}

// Write writes r to w in that format.
func Write(w io.Writer, format string, r *Report, o Options) error {
	f, err := find(format)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(b, r, o); err != nil {
		return err
	}
	return b.Flush()
}

func find(name string) (format, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, phrase.Error("read.unknown-format", "unknown format {name}: want {known}", "name", strconv.Quote(name), "known", strings.Join(Formats(), ", "))
	}
	return formats[i], nil
}
