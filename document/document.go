// Package document reads files of any format into the original text that is
// compared and shown.
//
// The original text is what every offset of a report points into. For plain
// text in UTF-8 it is the file, byte for byte, but for words that were disguised
// ([Flag]); for other formats it is the text without its markup, with the
// format's paragraphs separated by blank lines.
//
// Call [Open] for one document, or [Each] for all that a file holds. What a file is, its content says before its name does. A file
// that cannot be read rightly is an error, for which the variables here are to
// be tested; a guess in its place would be missed by everything after it.
package document

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/ocr"
)

// A Document is what was read out of one file.
type Document struct {
	Path       string            // as it was given
	Format     string            // one of Formats
	Ext        string            // file type by name, lower case without the dot: whose rules normalise it
	Text       string            // original text: valid UTF-8
	Parted     bool              // the format states paragraphs; blank lines of Text separate them
	Title      string            // where the format states one
	Author     string            // where the format states one
	Year       int               // likewise, of publication
	Address    string            // where it was found, where what holds it states that: a URL
	Labels     map[string]string // likewise, what else that says of it, by names in lower case
	Bytes      int64             // size of the file
	ModTime    time.Time         // of the file, UTC, whole seconds
	Content    string            // SHA-256 of the file, hexadecimal
	Encoding   string            // of its characters, as web pages name it, where the format leaves it open
	Marks      []Mark            // headings, notes and block quotes, where the format states them
	Flags      []Flag            // what may hide copying
	Pages      []int             // where each page starts in Text, for PDF
	PageLabels []string          // labels of the pages, where any is not the number of its page
	Notes      []string          // what the reader of a report should know about the reading
	Cut        bool              // what holds it has only the beginning of it, and Notes say why
	Reader     int               // of files that read it: see [Options.Reads]
}

// Version counts the changes after which the reader may give another text for
// the same file. An index remembers it with each document, and reads the file
// again where it is another: raise it with such a change.
const Version = 11

// withOCR is added to the version of a reader that had the text of pictures recognised.
const withOCR = 1 << 20

// reader returns the version of the reader of a format, as an index remembers it.
func (o Options) reader(format string) int {
	if o.OCR != nil && format == "pdf" {
		return Version + withOCR
	}
	return Version
}

// Reads reports whether a document of a format that a reader of some version read would
// be read no better now. Text in pictures that was recognised stays, also for who does
// not ask for it.
func (o Options) Reads(reader int, format string) bool {
	return reader == o.reader(format) || reader == Version+withOCR
}

// What is said of a text, and why there is none, in the words of the readers.
type (
	Mark     = format.Mark
	MarkKind = format.MarkKind
	Flag     = format.Flag
	FlagKind = format.FlagKind
)

// The kinds of marks.
const (
	Heading  = format.Heading
	Footnote = format.Footnote
	Quote    = format.Quote

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

// Errors that say why a file was not read. Their wrappers say more.
var (
	ErrNotFile  = errors.New("not a regular file") // a folder, device or pipe
	ErrChanged  = errors.New("changed while read") // somebody writes to it
	ErrEmpty    = format.ErrEmpty                  // nothing but white space and markup
	ErrNoLayer  = format.ErrNoLayer                // pictures of text
	ErrBinary   = format.ErrBinary                 // some other kind of file
	ErrEncoding = format.ErrEncoding               // text, but its characters are unknown
	ErrTooLarge = format.ErrTooLarge               // more than the limit
	ErrDamaged  = format.ErrDamaged                // breaks the rules of its format

	ErrEncrypted = format.ErrEncrypted
	ErrNoField   = format.ErrNoField // what should have the text; it is an ErrEmpty
)

// Errors about collections.
var (
	ErrMany   = errors.New("holds many documents") // Open was asked for one
	ErrNested = errors.New("archive in an archive")
)

// DefaultMaxBytes is the size that a file may have where no limit is given.
const DefaultMaxBytes = 256 << 20

// Options say how files are read. The zero value is ready to use.
type Options struct {
	Time     time.Duration // that one document may take; 0 for DefaultTime
	Memory   int64         // bytes that the engine for PDFs may take for one file; 0 for 1 GB
	MaxBytes int64         // size that a file may have, and its text; 0 for DefaultMaxBytes
	Encoding string        // of the characters of text, HTML and the like, in place of what is found out
	Strip    bool          // of pages, what is around their text is left out: navigation, footers
	Keep     bool          // of pages in archives of the web too, where else it is left out
	Field    string        // of JSON Lines, or column of a table, which has the text; "" for text
	ID       string        // likewise, which has the name; "" for id
	Whole    bool          // files that hold many documents, and are text, are one
	Workers  int           // records of a container that are worked on at once
	Known    Known         // of documents in containers, that need not be read; nil for none
	Resume   *Resume       // where to begin in a container of many documents; nil for its start
	AsIs     bool          // disguised words stay as they are, and are not flagged

	OCR *ocr.Recognizer // of the text of pages that are pictures; nil where that is not wanted

	within int // files that what is read is attached to
}

// Known reports whether a document of a container need not be read: d has its path,
// size, content, and what the container states of it, but no text; whole says that
// nothing else is stated of it. It is called by several goroutines at once.
type Known func(d *Document, whole bool) bool

func (o Options) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

// DefaultTime is how long one document may take where no limit is given.
const DefaultTime = 5 * time.Minute

func (o Options) time() time.Duration {
	if o.Time > 0 {
		return o.Time
	}
	return DefaultTime
}

// source is data as its reader gets it.
func (o Options) source(data []byte, ext string) *format.Source {
	src := &format.Source{Data: data, Ext: ext, Budget: o.budget(), Encoding: o.Encoding, Strip: o.Strip, OCR: o.OCR}
	if o.within < maxWithin {
		src.Inner = o.inner
	}
	return src
}

// inner reads a file that is put into the text of another one, which must be one
// document.
func (o Options) inner(ctx context.Context, name string, data []byte) (*format.Text, error) {
	o.within++
	f, err := find(data, extension(name))
	if err != nil {
		return nil, err
	}
	if f.ready != nil || f.split != nil {
		return nil, fmt.Errorf("%w: %s in a text", ErrNested, f.name)
	}
	return f.read(ctx, o.source(data, extension(name)))
}

func (o Options) budget() format.Budget {
	return format.Budget{Time: o.time(), Bytes: o.maxBytes(), Memory: o.Memory}
}

// extension returns the file type that a name says.
func extension(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}
