// Package corpus reads whole collections: files, folders and archives of any
// format that package document reads, vertical files and JSON Lines of any
// length, or the texts that an index keeps.
//
// [Map] gives each document of an [Input] to several workers at once and their
// results to one receiver, in order. What cannot be used is named by
// Input.Problem and counted; the rest is done. The packages below work on what
// this one reads: dedup on the bytes ([Blocks]), the others on the words
// ([Doc.Words]).
package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// An Input says what a collection is made of.
type Input struct {
	Paths   []string     // files and folders; "-" is the standard input
	Index   store.Reader // in place of Paths: the texts that it keeps
	Stdin   io.Reader
	Field   string // of the objects of JSON Lines, that has the text; "" for text
	ID      string // of these objects, that has the name of the document; "" for id, else url
	Column  int    // of vertical files, that has the words, counted from 1; 0 for 1
	Read    document.Options
	Norms   *normalize.Set
	Workers int // 0 for one a processor
	Most    int // documents; with more, [Map] ends with an error wrapping [ErrTooMany]; 0 for any number

	// Problem is called with what cannot be used, or not as it is, by one
	// goroutine at a time; nil for nobody.
	Problem func(where string, err error)
	// Progress is called with the bytes that were read, of so many.
	Progress func(done, total int64)
}

// DocBytes is what reading holds of each document, to know ids that another has.
const DocBytes = 40

// Room returns how many documents there may be of which so many bytes are held each, where
// half of memory is for that.
func Room(memory, each int64) int { return int(memory / 2 / each) }

// ErrTooMany says that there is more in a collection than memory has room for.
var ErrTooMany = errors.New("more than memory has room for")

// field returns the name of the field that has the text.
func (in *Input) field() string {
	if in.Field == "" {
		return "text"
	}
	return in.Field
}

// IDFields returns the names of the fields that may have the name of a document; the
// first that does, has.
func (in *Input) IDFields() []string {
	return []string{cmp.Or(in.ID, "id"), "url"}
}

// MostBytes is how many bytes a document of a stream may have whatever the settings say, so
// that places in it have 32 bits.
const MostBytes = 1 << 31

// maxDoc is how many bytes a document of a stream may have.
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
	Time  time.Time // when its file was changed, or of the date that it states
	Raw   []byte    // as it is in a vertical file or a line of JSON, nil for others
	Form  Form
	Text  string

	norm *normalize.Normalizer
	mode normalize.Mode
}

// Words calls fn with each normalised word of the text and the number of its
// paragraph. The word is valid only during the call.
func (d *Doc) Words(fn func(word []byte, paragraph int)) {
	for s := d.norm.Scan(d.Text, d.mode); s.Next(); {
		fn(s.Word(), s.Paragraph())
	}
}

// normalised gives the document the rules for its types. parted says that
// blank lines separate its paragraphs.
func (d *Doc) normalised(norms *normalize.Set, parted bool, types ...string) {
	d.norm, _ = norms.For(types...)
	d.mode = normalize.Blank
	if !parted || d.norm.Rules().NewLine != normalize.Auto {
		d.mode = d.norm.Mode(d.Text)
	}
}

// A Form is how the documents of a file are kept.
type Form uint8

// The forms of files.
const (
	Whole     Form = iota // one that package document reads
	Vertical              // a token in each line, <doc> before each document
	JSONLines             // an object in each line
)

// formOf returns the form of a file by its name and its first bytes.
func formOf(path string, head []byte) Form {
	name := strings.ToLower(Unpacked(path))
	head = bytes.TrimPrefix(head, format.BOM)
	switch {
	case strings.HasSuffix(name, ".vert"), strings.HasSuffix(name, ".vrt"), strings.HasSuffix(name, ".vertical"):
		return Vertical
	case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".ndjson"):
		return JSONLines
	case looksVertical(head):
		return Vertical
	case looksJSONLines(head):
		return JSONLines
	}
	return Whole
}

// A Summary says what was read.
type Summary struct {
	Documents int   // that were given
	Bytes     int64 // of their texts
	Problems  int   // that were named
}

// Map calls a worker with each document, several at once, and sink with what it
// returned, in the order of the collection. newWorker is called once for each
// goroutine. A document is valid until sink has returned.
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

// cell keeps a text in its column.
var cell = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)

// Cell returns a text as results have it in a column: without tabs and line ends.
func Cell(text string) string { return cell.Replace(text) }

// A problem is something that cannot be used, or not as it is.
type problem struct {
	where string
	err   error
}

// place names a document in a file for messages.
func place(path string, number int64, what string) string {
	return fmt.Sprintf("%s: %s %d", path, what, number)
}
