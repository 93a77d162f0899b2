// Package report writes what a search found: as XML and JSON for programs, as
// text for a terminal, and as one HTML file for people.
//
// All are written from one [Report], the result of a search with what readers decided,
// and from nothing else; a report never opens an index, so the same result gives the same bytes, today and
// later. Call [Write]; [ReadJSON] reads back what the JSON report holds, so
// that any other format can be made from it. The lists that the commands docs,
// ngrams and info print are written by [WriteDocuments], [WriteSizes] and
// [WriteInfo].
//
// A reader may leave passages and sources out of the score, and say why:
// [ReadDecisions] and [Decide] put that into a result as its review, in which the
// figures that were found stay beside those that remain. [Anonymous] takes the
// names out.
//
// Names and texts come from foreign files. Each format has a rule that keeps
// them from being anything but text: see docs/REPORT.md.
package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/otisk/otisk/lang"
)

// Version is the version of the XML and JSON layouts, which their schemas
// describe. It rises when a reader of the old layout would be misled.
const Version = 1

// Options say how a report is written, not what it says.
type Options struct {
	Color bool // text: colours and bold, by the escape sequences of terminals
	Width int  // text: columns, 80 for 0
	// Overview is the file, seen from where an HTML report will lie, of the
	// page of all reports; "" for none.
	Overview string
	// Before is an earlier result on the same text that an HTML report is compared
	// with; nil for none.
	Before *Report
	// Lang says text and HTML in a language; nil for English. XML and JSON are
	// always in English.
	Lang   *lang.Printer
	Places bool // text: the bytes of each passage too
}

// printer returns the language to write in.
func (o *Options) printer() *lang.Printer {
	if o.Lang == nil {
		return english()
	}
	return o.Lang
}

// english is the language of what programs read.
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
}

// Formats returns the names that [Write] knows.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Extension returns the ending of a file in that format, with its dot, or ""
// for a format that does not exist.
func Extension(format string) string {
	if f, err := find(format); err == nil {
		return f.ext
	}
	return ""
}

// Check returns an error that names the formats there are if format is not one
// of them.
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
		return format{}, fmt.Errorf("unknown format %q: want %s", name, strings.Join(Formats(), ", "))
	}
	return formats[i], nil
}
