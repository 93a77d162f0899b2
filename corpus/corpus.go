// Package corpus reads whole collections: files, folders and archives of any
// format that package document reads, vertical files and JSON Lines of any
// length, or the texts that an index keeps.
//
// [Map] passes the documents of an [Input] to several workers at once and their
// results to one receiver, in order. Unusable input is passed to Input.Problem and
// counted, and the rest is processed. The packages below build on this one: dedup
// on the bytes ([Blocks]), the others on the words ([Doc.Words]).
package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// An Input describes a collection and how to read it.
type Input struct {
	Paths  []string    // files and folders; "-" is the standard input
	Index  store.Index // its texts are read in place of Paths
	Stdin  io.Reader
	Field  string     // name of the field of JSON Lines with the text; "" means "text"
	ID     string     // name of the field with the document's id; "" means "id", else "url"
	Column int        // of vertical files, that has the words, counted from 1; 0 for 1
	Tags   plain.Tags // of vertical files; empty names are detected
	Read   document.Options
	Norms  *normalize.Set
	// Languages are the codes of the languages to read, or [language.Unknown]; documents in
	// other languages are skipped and counted. Empty means all.
	Languages []string
	Workers   int // number of workers; 0 means one for each processor
	Most      int // limit of documents, above which [Map] returns an error wrapping [ErrTooMany]; 0 means none

	// Problem, if not nil, is called with each unusable or changed input, by one
	// goroutine at a time.
	Problem func(where string, err error)
	// Tagged, if not nil, is called with the tags of each vertical file, by one goroutine.
	Tagged func(path string, tags plain.Tags)
	// Progress, if not nil, is called with the bytes read so far and in all.
	Progress func(done, total int64)
}

// DocBytes is the memory that reading takes for each document, in bytes, to detect
// duplicate ids.
const DocBytes = 40

// Room returns how many documents fit into half of memory bytes if each takes the
// given number of bytes.
func Room(memory, each int64) int { return int(memory / 2 / each) }

// ErrTooMany is returned if a collection has more documents than fit into memory.
var ErrTooMany error = phrase.Error("cause.over-memory", "more than memory has room for")

func (in *Input) field() string {
	return cmp.Or(in.Field, "text")
}

// IDFields returns the fields that may have the id of a document. The first one
// that is present has it.
func (in *Input) IDFields() []string {
	return []string{cmp.Or(in.ID, "id"), "url"}
}

// MostBytes is the limit of a document in a stream, in bytes, regardless of the
// settings. Offsets in it fit into 32 bits.
const MostBytes = 1 << 31

// maxDoc returns the limit of a document in a stream, in bytes.
func (in *Input) maxDoc() int {
	if in.Read.MaxBytes > 0 {
		return int(min(in.Read.MaxBytes, MostBytes))
	}
	return document.DefaultMaxBytes
}

// A Doc is one document of a collection.
type Doc struct {
	N     int       // counts the documents from 0
	ID    string    // what results call it; of two with one id, the second has another
	Where string    // its place, for messages
	Time  time.Time // the date in its metadata, else the modification time of its file
	Raw   []byte    // as it is in a vertical file or a line of JSON, nil for others
	Form  Form
	Text  string

	norm   *normalize.Normalizer
	mode   normalize.Mode
	parted bool // its format states paragraphs
}

// Words calls fn with each normalised word of the text and the number of its
// paragraph. The word is valid only during the call.
func (d *Doc) Words(fn func(word []byte, paragraph int)) {
	for s := d.Scan(); s.Next(); {
		fn(s.Word(), s.Paragraph())
	}
}

// Scan returns a scanner of the words of the text.
func (d *Doc) Scan() *normalize.Scanner { return d.norm.Scan(d.Text, d.mode) }

// normalised sets the normalisation rules for the document's types. separated reports
// whether blank lines separate its paragraphs.
func (d *Doc) normalised(norms *normalize.Set, separated bool, types ...string) {
	d.norm, _ = norms.For(types...)
	d.parted = separated
	d.mode = normalize.Blank
	if !separated || d.norm.Rules().NewLine != normalize.Auto {
		d.mode = d.norm.Mode(d.Text)
	}
}

// A Form is the way in which a file contains documents.
type Form uint8

// The forms of files.
const (
	Whole     Form = iota // one document, read by package document
	Vertical              // a token in each line, a tag before each document
	JSONLines             // an object in each line
)

// formOf detects the form of a file by its name and its first bytes. The standard input,
// which has no name, may also be a vertical file with other tags than <doc>.
func formOf(path string, head []byte) Form {
	name := strings.ToLower(packed.Unpacked(path))
	head = bytes.TrimPrefix(head, format.BOM)
	switch {
	case strings.HasSuffix(name, ".vert"), strings.HasSuffix(name, ".vrt"), strings.HasSuffix(name, ".vertical"):
		return Vertical
	case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".ndjson"):
		return JSONLines
	case plain.LooksVertical(head), path == Stdin && plain.LooksVerticalAny(head):
		return Vertical
	case container.LooksJSONLines(head, ""):
		return JSONLines
	}
	return Whole
}

// A Summary counts the input that was read.
type Summary struct {
	Documents int   // that were given
	Bytes     int64 // of their texts
	Problems  int   // that were named
	Separators
	LeftOut
}

// Separators counts the texts whose format does not state paragraphs by the way in which
// these were separated.
type Separators struct {
	Lines  int `json:"lines"`  // each line is a paragraph
	Blanks int `json:"blanks"` // at blank lines
	Single int `json:"single"` // of Blanks: they have several lines, and no blank line
}

// Add counts a text with this mode.
func (s *Separators) Add(text string, mode normalize.Mode) {
	switch mode {
	case normalize.Line:
		s.Lines++
	case normalize.Blank:
		s.Blanks++
		text = strings.TrimSpace(text)
		if strings.Contains(text, "\n") && !strings.Contains(text, "\n\n") && !blankLine.MatchString(text) {
			s.Single++
		}
	}
}

// Merge adds the counts of other texts.
func (s *Separators) Merge(o Separators) {
	s.Lines, s.Blanks, s.Single = s.Lines+o.Lines, s.Blanks+o.Blanks, s.Single+o.Single
}

var blankLine = regexp.MustCompile(`\n[ \t\r\f\v]*\n`)

// Map calls workers with the documents, several at once, and sink with each result,
// in the order of the collection. newWorker is called once for each goroutine. A
// document is valid until sink has returned.
func Map[T any](ctx context.Context, in *Input, newWorker func() func(*Doc) (T, error), sink func(*Doc, T) error) (Summary, error) {
	p := &pipeline[T]{in: in, sink: sink, ids: map[uint64]uint32{}}
	err := p.run(ctx, newWorker)
	return p.sum, err
}

// Each calls fn with each document in order.
func Each(ctx context.Context, in *Input, fn func(*Doc) error) (Summary, error) {
	none := func() func(*Doc) (struct{}, error) {
		return func(*Doc) (struct{}, error) { return struct{}{}, nil }
	}
	return Map(ctx, in, none, func(d *Doc, _ struct{}) error { return fn(d) })
}

var cell = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)

// Cell returns text with its tabs and line ends replaced, for a column of a table.
func Cell(text string) string { return cell.Replace(text) }

type problem struct {
	where string
	err   error
}

func place(path string, number int64, what string) string {
	return fmt.Sprintf("%s: %s %d", path, what, number)
}

// unpack returns a reader of the content of r, decompressed if its first bytes
// are those of a compressed file. The first damage ends it.
func unpack(r io.Reader) (*unpacker, error) {
	p, err := packed.Open(r, 0)
	if err != nil {
		return nil, damaged(err)
	}
	return &unpacker{p}, nil
}

type unpacker struct{ from *packed.Reader }

func (u *unpacker) close() { u.from.Close() }

// Read implements [io.Reader]. If the file cannot be decompressed, the error wraps
// [document.ErrDamaged].
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if err != nil && err != io.EOF && u.from.Packed() {
		err = damaged(err)
	}
	return n, err
}

// damaged wraps errors of decompression in [document.ErrDamaged]. Errors of the disk
// are returned unchanged.
func damaged(err error) error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return phrase.Error("corpus.cut-off", "{cause}: it is cut off", "cause", document.ErrDamaged)
	}
	return fmt.Errorf("%w: %w", document.ErrDamaged, err)
}

// LeftOut counts the documents that were skipped because of their language.
type LeftOut struct {
	Foreign int `json:"foreign,omitempty"` // in a language that was not requested
	Unknown int `json:"unknown,omitempty"` // in a language that was not recognized
}

func (l *LeftOut) add(code string) {
	if code == language.Unknown {
		l.Unknown++
	} else {
		l.Foreign++
	}
}

func (l *LeftOut) merge(o LeftOut) { l.Foreign, l.Unknown = l.Foreign+o.Foreign, l.Unknown+o.Unknown }
