// Package document reads files of any format into the original text that is compared and
// shown.
//
// The original text is what every offset of a report refers to. For plain text in UTF-8 it is
// the file, byte for byte, except for disguised words ([Flag]); for other formats it is the
// text without its markup, with the format's paragraphs separated by blank lines.
//
// Call [Open] for a file with one document, or [Each] for all documents of a file. The content
// of a file determines its format first, its name second. A file that cannot be read correctly
// is an error, which wraps one of the variables here; nothing after this package would notice
// a wrong guess.
package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/lang/phrase"
)

// A Document is what was read out of one file.
type Document struct {
	Path       string            // as given
	Format     string            // one of Formats
	Ext        string            // file type by name, lower case without the dot; selects the rules of normalisation
	Text       string            // original text: valid UTF-8
	Parted     bool              // the format states paragraphs; blank lines of Text separate them
	Title      string            // where the format states one
	Author     string            // where the format states one
	Year       int               // of publication, where the format states one
	Address    string            // URL of the document, if its container states one
	Labels     map[string]string // other metadata that the container states, by names in lower case
	Bytes      int64             // size of the file
	ModTime    time.Time         // of the file, UTC, whole seconds
	Content    string            // SHA-256 of the file, hexadecimal
	Encoding   string            // character encoding, by its label on the web, if the format does not fix it
	Marks      []Mark            // headings, notes and block quotes that the format states
	Flags      []Flag            // possible signs of hidden copying
	Pages      []int             // where each page starts in Text, for PDF
	PageLabels []string          // page labels, if any differs from its page number
	Notes      []string          // remarks on the reading, for readers of a report
	Messages   phrase.Table      // messages of notes, and of details of flags with arguments
	Cut        bool              // the container has only the beginning of the document; Notes say why
	Project    bool              // joined from the files of a project
	Parts      []string          // SHA-256 of the files of a project, hexadecimal
	Reader     int               // version of the reader, see [Options.Reads]
}

// Version is the version of the readers. An index stores it with each document and reads the
// file again if the version differs: increase it with each change that may change the text of
// a file.
const Version = 31

// withOCR is added to the version of a reader that used text recognition.
const withOCR = 1 << 20

// reader returns the version of the reader for a format, as stored in an index.
func (o Options) reader(format string) int {
	if o.OCR != nil && format == "pdf" {
		return Version + withOCR
	}
	return Version
}

// Reads reports whether a document of a format that was read by this version of the reader
// need not be read again. Recognised text stays valid for options without text recognition.
func (o Options) Reads(reader int, format string) bool {
	return reader == o.reader(format) || reader == Version+withOCR
}

// Types of the readers.
type (
	Mark     = format.Mark
	MarkKind = format.MarkKind
	Flag     = format.Flag
	FlagKind = format.FlagKind
)

// The kinds of marks.
const (
	Heading  = format.Heading
	Item     = format.Item
	Footnote = format.Footnote
	NoteMark = format.NoteMark
	Quote    = format.Quote
	Contents = format.Contents

	Recognized = format.Recognized
	Doubtful   = format.Doubtful
)

// The kinds of flags.
const (
	HiddenText     = format.HiddenText
	NoTextLayer    = format.NoTextLayer
	OnlyPictures   = format.OnlyPictures
	UnknownFont    = format.UnknownFont
	MixedScript    = format.MixedScript
	SpacedWord     = format.SpacedWord
	InvisibleChars = format.InvisibleChars
)

// Errors that say why a file was not read. Errors that wrap them add details.
var (
	ErrNotFile  error = phrase.Error("said.not-regular", "not a regular file")        // a folder, device or pipe
	ErrChanged  error = phrase.Error("said.changed-while-read", "changed while read") // a writer changed it
	ErrEmpty          = format.ErrEmpty                                               // nothing but white space and markup
	ErrNoLayer        = format.ErrNoLayer                                             // only pictures of text
	ErrBinary         = format.ErrBinary                                              // another kind of file
	ErrEncoding       = format.ErrEncoding                                            // text in an unknown character encoding
	ErrTooLarge       = format.ErrTooLarge                                            // larger than the limit
	ErrDamaged        = format.ErrDamaged                                             // violates its format

	ErrEncrypted = format.ErrEncrypted
	ErrNoField   = format.ErrNoField // the text field is missing; wraps ErrEmpty
)

// Note adds a note, unless it counts 0 items.
func (d *Document) Note(p *phrase.Phrase) {
	if !p.CountsNone() {
		d.Notes = append(d.Notes, d.Messages.Add(p))
	}
}

// Remarks returns the notes as errors, whose messages can be translated.
func (d *Document) Remarks() []error {
	var list []error
	for _, note := range d.Notes {
		list = append(list, d.Messages.Of(note))
	}
	return list
}

// Textless reports whether err means that the bytes of a file have no text that can be read:
// reading it again gives the same error. ErrTooLarge is not one of these errors, since it depends on
// limits.
func Textless(err error) bool {
	return slices.ContainsFunc([]error{ErrEmpty, ErrBinary, ErrNoLayer, ErrEncoding, ErrDamaged, ErrEncrypted}, func(kind error) bool { return errors.Is(err, kind) })
}

// Errors about collections.
var (
	ErrMany   error = phrase.Error("said.many-documents", "holds many documents") // Open reads one document only
	ErrNested error = phrase.Error("said.nested", "archive in an archive")
)

// DefaultMaxBytes is the maximum size of a file if [Options.MaxBytes] is 0.
const DefaultMaxBytes = 256 << 20

// Options set how files are read. The zero value is ready to use.
type Options struct {
	Time     time.Duration // limit for one document; 0 for DefaultTime
	Memory   int64         // limit in bytes of the PDF engine for one file; 0 for 1 GB
	MaxBytes int64         // maximum size of a file and of its text; 0 for DefaultMaxBytes
	Encoding string        // character encoding of text, HTML and the like; overrides detection
	Strip    bool          // omit the boilerplate of web pages: navigation, footers
	Archived Boilerplate   // what is read of pages in web archives
	Field    string        // field of JSON Lines, or column of a table, that has the text; "" for text
	ID       string        // field or column that has the name; "" for id
	Projects Projects      // which sets of files are read as one document
	Whole    bool          // read a text file with many documents as one document
	Workers  int           // number of records of a container that are processed in parallel
	Known    Known         // skips documents in containers; nil for none
	Resume   *Resume       // where to resume in a container of many documents; nil for its start
	AsIs     bool          // keep disguised words and do not flag them

	OCR *ocr.Recognizer // recognises text in scanned pages; nil to skip them

	within    int  // nesting depth of attachments
	toArticle bool // read the article of a page
}

// Boilerplate states what is read of a page in a web archive.
type Boilerplate string

// The values of Boilerplate.
const (
	ToArticle Boilerplate = ""      // the article, or the page without boilerplate if it is not mostly one article
	Stripped  Boilerplate = "strip" // the page without boilerplate
	Kept      Boilerplate = "keep"  // the whole page
)

// Projects states where a project, such as a thesis with a file for each chapter, is read as one
// document.
type Projects string

// The values of Projects.
const (
	InArchives Projects = ""        // in archives
	InFolders  Projects = "folders" // also in folders, which the caller finds by Options.FindsProject
	Nowhere    Projects = "none"    // each file is a document of its own
)

// Known reports whether a document of a container can be skipped: d has its path, size,
// content hash and the metadata that the container states, but no text; whole reports that no
// further metadata exists. Several goroutines may call it at once.
type Known func(d *Document, whole bool) bool

func (o Options) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

// DefaultTime is the limit of time for one document if [Options.Time] is 0.
const DefaultTime = 5 * time.Minute

func (o Options) time() time.Duration {
	if o.Time > 0 {
		return o.Time
	}
	return DefaultTime
}

// source returns data as the source of a reader.
func (o Options) source(data []byte, ext string) *format.Source {
	src := &format.Source{Data: data, Ext: ext, Budget: o.budget(), Encoding: o.Encoding, Strip: o.Strip}
	if o.OCR != nil { // a nil pointer would make a non-nil interface
		src.OCR = o.OCR
	}
	if o.within < maxWithin {
		src.Inner = o.inner
	}
	return src
}

// inner reads a file that is embedded in the text of another file and has one document.
func (o Options) inner(ctx context.Context, name string, data []byte) (*format.Text, error) {
	o.within++
	f, err := findInner(data, extension(name))
	if err != nil {
		return nil, err
	}
	return f.read(ctx, o.source(data, extension(name)))
}

// findInner is find for a file in the text of another.
func findInner(data []byte, ext string) (*row, error) {
	f, err := find(data, ext)
	if err == nil && (f.ready != nil || f.split != nil) {
		return nil, fmt.Errorf("%w: %w", ErrNested, phrase.Error("cause.in-text", "{name} in a text", "name", f.name))
	}
	return f, err
}

func (o Options) budget() format.Budget {
	return format.Budget{Time: o.time(), Bytes: o.maxBytes(), Memory: o.Memory}
}

// extension returns the file type in a name: lower case without the dot.
func extension(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}
